// dotnet new web -o app; cp Program.cs app; dotnet add app package Microsoft.AspNetCore.Authentication.OpenIdConnect; dotnet run --project app --urls http://127.0.0.1:3000
// Redirect URI: http://127.0.0.1:3000/callback
using Microsoft.AspNetCore.Authentication.OpenIdConnect;

var builder = WebApplication.CreateBuilder(args);
var given = builder.Configuration; // reads the environment
builder.Services.AddAuthorization();
builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = "Cookies";
        options.DefaultChallengeScheme = "Thenar";
    })
    .AddCookie("Cookies")
    .AddOpenIdConnect("Thenar", options =>
    {
        options.Authority = given["ISSUER"];
        options.RequireHttpsMetadata = !given["ISSUER"]!.StartsWith("http://127.0.0.1"); // a local trial
        options.ClientId = given["CLIENT_ID"];
        options.ClientSecret = given["CLIENT_SECRET"];
        options.CallbackPath = "/callback";
        options.ResponseType = "code";
        options.UsePkce = true;
        options.MapInboundClaims = false; // keeps the name sub
        options.Scope.Clear();
        options.Scope.Add("openid");
        options.Events.OnRemoteFailure = answer =>
        {
            answer.Response.StatusCode = 403;
            answer.HandleResponse();
            return answer.Response.WriteAsync("The sign-in failed");
        };
    });
var app = builder.Build();
app.UseAuthentication();
app.UseAuthorization();
app.MapGet("/", (HttpContext http) => $"Hello, {http.User.FindFirst("sub")!.Value}").RequireAuthorization();
app.Run();
