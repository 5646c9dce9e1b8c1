package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// The content types of patches.
const (
	jsonPatchType      = "application/json-patch+json"
	mergePatchType     = "application/merge-patch+json"
	strategicPatchType = "application/strategic-merge-patch+json"
	applyPatchType     = "application/apply-patch+yaml"
)

// tableType is the media type of a table.
const tableType = "application/json;as=Table;v=v1;g=meta.k8s.io"

func request(method, path, query, contentType, body string) conformance.Request {
	return conformance.Request{Method: method, Path: path, Query: query, ContentType: contentType, Body: body}
}

func encode(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // impossible: the value was decoded from JSON
	}
	return string(text)
}

// decode returns a value of JSON, with numbers as they are written; nil if it is none.
func decode(text []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

// errUnready is the error of a case in which kube-apiserver cannot read the objects of a definition into its cache.
var errUnready = errors.New("the cache of the definition's objects is not ready")

func isUnready(answer conformance.Answer) bool {
	return answer.Code == http.StatusTooManyRequests && strings.Contains(string(answer.Body), "storage is (re)initializing")
}

// patient returns a Send that repeats a request as long as kube-apiserver answers that it does not serve
// the objects of a new definition yet. If it never does, because a webhook for conversion fails, the error is errUnready.
func patient(send conformance.Send) conformance.Send {
	const most, pause = 100, 50 * time.Millisecond
	return func(r conformance.Request) (answer conformance.Answer, err error) {
		for range most {
			answer, err = send(r)
			if err != nil || !isUnready(answer) {
				break
			}
			time.Sleep(pause)
		}
		if err == nil && isUnready(answer) {
			err = errUnready
		}
		return answer, err
	}
}
