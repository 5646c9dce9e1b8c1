package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
	"github.com/patchlab-dev/patchlab/internal/oracle/hooks"
)

// review configures a mutating and a validating webhook for all resources in both servers. Neither changes nor refuses
// anything; the reviews that they receive become part of the responses. The returned function removes them.
func (p *pair) review() (end func(), err error) {
	server := hooks.Start()
	p.theirs, p.ours = server.Caller("theirs").Around(p.theirs), server.Caller("ours").Around(p.ours)
	for _, kind := range []string{"Mutating", "Validating"} {
		for _, send := range []conformance.Send{p.theirs, p.ours} {
			answer, err := send(request(http.MethodPost, reviewers[kind], "", "application/json", encode(reviewer(kind))))
			if err != nil {
				return nil, err
			}
			if answer.Code != http.StatusCreated {
				return nil, fmt.Errorf("the webhook that reads all requests: %d %s", answer.Code, answer.Body)
			}
		}
	}
	p.wait(2 * time.Second) // until kube-apiserver observes them
	return func() {
		for _, collection := range reviewers {
			for _, send := range []conformance.Send{p.theirs, p.ours} {
				_, _ = send(conformance.Request{Method: http.MethodDelete, Path: collection + "/reviews"})
			}
		}
		server.Close()
	}, nil
}

// reviewers are the paths of the configurations of webhooks.
var reviewers = map[string]string{
	"Mutating":   prefix(admissionGroup) + "/mutatingwebhookconfigurations",
	"Validating": prefix(admissionGroup) + "/validatingwebhookconfigurations",
}

// reviewer is a configuration of a webhook for all requests except those of kube-apiserver itself.
func reviewer(kind string) object {
	path := map[string]string{"Mutating": "/m/noop", "Validating": "/v/allow"}[kind]
	return object{"apiVersion": admissionGroup, "kind": kind + "WebhookConfiguration", "metadata": object{"name": "reviews"}, "webhooks": []any{object{
		"name": "reviews.example.com", "sideEffects": "None", "admissionReviewVersions": []any{"v1"}, "clientConfig": object{"url": "$HOOK$" + path, "caBundle": "$CA$"},
		"matchConditions": []any{object{"name": "client", "expression": "!request.userInfo.username.startsWith('system:apiserver')"}},
		"rules":           []any{object{"apiGroups": []any{"*"}, "apiVersions": []any{"*"}, "operations": []any{"*"}, "resources": []any{"*/*"}}},
	}}}
}
