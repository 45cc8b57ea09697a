// go mod init app; go mod tidy; go run app.go
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	thenar, err := oidc.NewProvider(context.Background(), os.Getenv("ISSUER"))
	if err != nil { panic(err) }
	id := os.Getenv("CLIENT_ID")
	app := oauth2.Config{ClientID: id, ClientSecret: os.Getenv("CLIENT_SECRET"), Endpoint: thenar.Endpoint(),
		RedirectURL: "http://127.0.0.1:3000/callback", Scopes: []string{oidc.ScopeOpenID}}
	http.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		made := map[string]string{"state": oauth2.GenerateVerifier(), "nonce": oauth2.GenerateVerifier(), "pkce": oauth2.GenerateVerifier()}
		for name, value := range made {
			http.SetCookie(w, &http.Cookie{Name: name, Value: value, HttpOnly: true, SameSite: http.SameSiteLaxMode, Path: "/"})
		}
		http.Redirect(w, r, app.AuthCodeURL(made["state"], oidc.Nonce(made["nonce"]), oauth2.S256ChallengeOption(made["pkce"])), 302)
	})
	http.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		kept := func(name string) string { c, err := r.Cookie(name); if err != nil { return "none" }; return c.Value }
		refuse := func(why any) { http.Error(w, fmt.Sprint("The sign-in failed: ", why), 403) }
		if r.FormValue("state") != kept("state") { refuse("another browser began"); return }
		if r.FormValue("error") != "" { refuse(r.FormValue("error")); return }
		tokens, err := app.Exchange(r.Context(), r.FormValue("code"), oauth2.VerifierOption(kept("pkce")))
		if err != nil { refuse(err); return }
		raw, _ := tokens.Extra("id_token").(string)
		person, err := thenar.Verifier(&oidc.Config{ClientID: id}).Verify(r.Context(), raw)
		if err != nil || person.Nonce != kept("nonce") { refuse("the ID token is wrong"); return }
		fmt.Fprint(w, "Hello, ", person.Subject) // this person, in this app, for ever
	})
	panic(http.ListenAndServe("127.0.0.1:3000", nil))
}
