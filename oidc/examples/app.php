<?php // composer require jumbojett/openid-connect-php; php -S 127.0.0.1:3000 app.php
require __DIR__ . '/vendor/autoload.php';

if (!in_array(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH), ['/login', '/callback'])) {
    exit('<a href="/login">Sign in with your palm</a>');
}
$thenar = new Jumbojett\OpenIDConnectClient(getenv('ISSUER'), getenv('CLIENT_ID'), getenv('CLIENT_SECRET'));
$thenar->setRedirectURL('http://127.0.0.1:3000/callback');
$thenar->setCodeChallengeMethod('S256');
try {
    $thenar->authenticate(); // redirects at /login, checks the answer at /callback
} catch (Jumbojett\OpenIDConnectClientException $fault) {
    http_response_code(403);
    exit('The sign-in failed: ' . htmlspecialchars($fault->getMessage()));
}
echo 'Hello, ', htmlspecialchars($thenar->getVerifiedClaims('sub')); // this person, in this app
