// curl https://start.spring.io/starter.tgz -d type=maven-project -d dependencies=web,oauth2-client -d packageName=app -d applicationName=App | tar xz; cp App.java src/main/java/app; ./mvnw spring-boot:run
// Spring Boot 3 and 4. Redirect URI: http://127.0.0.1:3000/login/oauth2/code/thenar
package app;

import java.util.Map;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.*;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.*;

@SpringBootApplication
@RestController
public class App {
    public static void main(String[] arguments) {
        var oauth = "spring.security.oauth2.client.";
        new SpringApplicationBuilder(App.class).properties(Map.of("server.port", "3000",
            oauth + "registration.thenar.client-id", System.getenv("CLIENT_ID"),
            oauth + "registration.thenar.client-secret", System.getenv("CLIENT_SECRET"),
            oauth + "registration.thenar.scope", "openid",
            oauth + "provider.thenar.issuer-uri", System.getenv("ISSUER"))).run(arguments);
    }

    @Bean // Spring sends PKCE for public clients only, unless it is set
    SecurityFilterChain security(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
        var requests = new DefaultOAuth2AuthorizationRequestResolver(clients, "/oauth2/authorization");
        requests.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
        return http.authorizeHttpRequests(all -> all.anyRequest().authenticated())
            .oauth2Login(login -> login.authorizationEndpoint(at -> at.authorizationRequestResolver(requests)))
            .build();
    }

    @GetMapping("/")
    String home(@AuthenticationPrincipal OidcUser person) {
        return "Hello, " + person.getSubject(); // this person, in this app, for ever
    }
}
