// iOS, AppAuth 1.7 or later. A public client; the redirect URI is a universal link of your app.
// Give the link that opens your app to `flow?.resumeExternalUserAgentFlow(with: url)`.
import AppAuth
import UIKit

final class SignIn {
    var flow: OIDExternalUserAgentSession?
    var state: OIDAuthState? // archive it in the keychain: it holds the refresh token

    func start(from screen: UIViewController, done: @escaping (String?) -> Void) {
        let issuer = URL(string: "https://id.example")!
        OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { found, _ in
            guard let found else { return done(nil) }
            let request = OIDAuthorizationRequest( // PKCE, state and nonce by itself
                configuration: found,
                clientId: "your-client-id",
                scopes: [OIDScopeOpenID, "offline_access"],
                redirectURL: URL(string: "https://shop.example/callback")!,
                responseType: OIDResponseTypeCode,
                additionalParameters: nil)
            self.flow = OIDAuthState.authState(byPresenting: request, presenting: screen) { state, _ in
                self.state = state
                guard let token = state?.lastTokenResponse?.idToken else { return done(nil) }
                done(OIDIDToken(idTokenString: token)?.subject) // this person, in this app
            }
        }
    }
}
