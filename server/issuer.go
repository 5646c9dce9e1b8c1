package server

import (
	"cmp"
	"encoding/json"
	"net/http"

	"github.com/go-jose/go-jose/v4"
)

// issuerPath and keysPath publish what verifies the tokens (OpenID Connect Discovery 1.0, RFC 7517).
const (
	issuerPath = "/.well-known/openid-configuration"
	keysPath   = "/openid/v1/jwks"
	keysType   = "application/jwk-set+json"
)

// issuer serves the configuration of the tokens' issuer: its name, and where its keys are.
func (s *Server) issuer(w *writer, r *http.Request) {
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	s.publish(w, r, "application/json", func(tokens *Tokens) any {
		return struct {
			Issuer        string   `json:"issuer"`
			Keys          string   `json:"jwks_uri"`
			ResponseTypes []string `json:"response_types_supported"`
			SubjectTypes  []string `json:"subject_types_supported"`
			Algorithms    []string `json:"id_token_signing_alg_values_supported"`
		}{tokens.Issuer(), scheme + r.Host + keysPath, []string{"id_token"}, []string{"public"}, tokens.algorithms()}
	})
}

// keys serves the public keys of the tokens.
func (s *Server) keys(w *writer, r *http.Request) {
	s.publish(w, r, keysType, func(tokens *Tokens) any { return jose.JSONWebKeySet{Keys: tokens.keys} })
}

// publish serves a document about the tokens, which clients may keep for an hour.
func (s *Server) publish(w *writer, r *http.Request, contentType string, document func(*Tokens) any) {
	err := checkRoute(cmp.Or(r.Header.Get("Accept"), contentType), []string{contentType})
	if r.Method != http.MethodGet {
		err = errMethod
	}
	if s.options.Tokens == nil {
		err = errNoPage
	}
	if err == nil {
		err = s.options.Tokens.Check()
	}
	var body []byte
	if err == nil {
		body, err = json.Marshal(document(s.options.Tokens))
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=3600")
	s.page(w, r, contentType, body)
}
