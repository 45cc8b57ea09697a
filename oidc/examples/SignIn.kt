// Android, net.openid:appauth:0.11 or later. A public client; the redirect URI is an app link of your app,
// and RedirectUriReceiverActivity in the manifest has its intent filter.
import android.content.Intent
import android.net.Uri
import androidx.activity.ComponentActivity
import androidx.activity.result.contract.ActivityResultContracts.StartActivityForResult
import net.openid.appauth.*

class SignInActivity : ComponentActivity() {
    private val service by lazy { AuthorizationService(this) }
    private val answers = registerForActivityResult(StartActivityForResult()) { finish(it.data) }

    fun start() = AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse("https://id.example")) { found, _ ->
        if (found == null) return@fetchFromIssuer signedIn(null)
        val request = AuthorizationRequest.Builder( // PKCE, state and nonce by itself
            found, "your-client-id", ResponseTypeValues.CODE, Uri.parse("https://shop.example/callback"),
        ).setScopes("openid", "offline_access").build()
        answers.launch(service.getAuthorizationRequestIntent(request))
    }

    private fun finish(data: Intent?) {
        val answer = data?.let(AuthorizationResponse::fromIntent) ?: return signedIn(null)
        service.performTokenRequest(answer.createTokenExchangeRequest()) { tokens, _ ->
            signedIn(tokens?.parsedIdToken?.subject) // null: the sign-in failed
        }
    }

    private fun signedIn(sub: String?) { /* this person, in this app, for ever */ }

    override fun onDestroy() { service.dispose(); super.onDestroy() }
}
