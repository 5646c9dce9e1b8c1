package main

import (
	"bytes"
	"errors"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

const protobufType = "application/vnd.kubernetes.protobuf"

// builtinTypes decodes and encodes the Go types of the built-in kinds.
type builtinTypes struct {
	scheme   *runtime.Scheme
	decoder  runtime.Decoder
	protobuf runtime.SerializerInfo
}

func newBuiltinTypes() (*builtinTypes, error) {
	types := runtime.NewScheme()
	if err := errors.Join(scheme.AddToScheme(types), apiextensionsv1.AddToScheme(types), metav1.AddMetaToScheme(types)); err != nil {
		return nil, err
	}
	codecs := serializer.NewCodecFactory(types)
	info, _ := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), protobufType)
	return &builtinTypes{types, codecs.UniversalDeserializer(), info}, nil
}

// inJSON converts an object in protobuf to JSON. Other bodies are returned as they are.
func (b *builtinTypes) inJSON(body []byte) ([]byte, error) {
	if !bytes.HasPrefix(body, []byte("k8s\x00")) {
		return body, nil
	}
	object, _, err := b.decoder.Decode(body, nil, nil)
	if err != nil {
		return nil, err
	}
	return []byte(encode(object)), nil
}

// serves reports whether a path is that of a group whose kinds have Go types.
func (b *builtinTypes) serves(path string) bool {
	parts := strings.Split(path, "/")
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/apis/") && b.scheme.IsGroupRegistered(parts[2])
}

// inProtobuf converts an object in JSON to protobuf. ok is false if a value does not have the type of its field.
func (b *builtinTypes) inProtobuf(body string) (converted string, ok bool) {
	object, _, err := b.decoder.Decode([]byte(body), nil, nil)
	if err != nil {
		return body, false
	}
	var out bytes.Buffer
	if err := b.protobuf.Serializer.Encode(object, &out); err != nil {
		return body, false
	}
	return out.String(), true
}

// asTypedClient returns a Send that writes and reads built-in kinds as typed clients do: without unknown fields, and in
// protobuf. Events of watches are read in JSON; the subcommand watches compares them in protobuf.
func (b *builtinTypes) asTypedClient(send conformance.Send) conformance.Send {
	return func(r conformance.Request) (conformance.Answer, error) {
		if !b.serves(r.Path) {
			return send(r)
		}
		if r.ContentType == "application/json" {
			if body, ok := b.inProtobuf(r.Body); ok {
				r.Body, r.ContentType = body, protobufType
			}
		}
		if r.Accept == "" && r.Events == 0 {
			r.Accept = protobufType + ",application/json"
		}
		answer, err := send(r)
		if err != nil {
			return answer, err
		}
		answer.Body, err = b.inJSON(answer.Body)
		return answer, err
	}
}
