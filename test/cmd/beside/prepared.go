package main

import (
	"context"
	"fmt"
	"net/http"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

const (
	jsonType     = "application/json"
	protobufType = "application/vnd.kubernetes.protobuf"
)

// preparedRows returns rows of the requests that typed clients send, but with prepared bodies
// and over net/http, and without decoding the responses. Their clients take much less processor
// time than typed ones, above all for lists, so that these rows compare the servers.
func preparedRows() ([]row, error) {
	d := deployment("")
	d.GenerateName = "prepared-"
	deploymentBody, err := encoded(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))
	if err != nil {
		return nil, err
	}
	configMapBody, err := encoded(configMap(0), corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	if err != nil {
		return nil, err
	}
	list := func(mediaType string) func(context.Context, *client, place, int) error {
		return func(ctx context.Context, c *client, p place, _ int) error {
			return c.wire.read(ctx, http.MethodGet, deployments(p.full), mediaType, "")
		}
	}
	return []row{
		{name: "prepared: create a ConfigMap", creates: true, do: func(ctx context.Context, c *client, p place, _ int) error {
			return c.wire.read(ctx, http.MethodPost, "/api/v1/namespaces/"+p.work+"/configmaps", protobufType, configMapBody)
		}},
		{name: "prepared: create a Deployment", creates: true, do: func(ctx context.Context, c *client, p place, _ int) error {
			return c.wire.read(ctx, http.MethodPost, deployments(p.work), protobufType, deploymentBody)
		}},
		{name: "prepared: get a Deployment", do: func(ctx context.Context, c *client, p place, n int) error {
			return c.wire.read(ctx, http.MethodGet, fmt.Sprintf("%s/d%d", deployments(p.full), n%listed), protobufType, "")
		}},
		{name: "prepared: list 2,000 Deployments, protobuf", do: list(protobufType)},
		{name: "prepared: list 2,000 Deployments, JSON", do: list(jsonType)},
	}, nil
}

// encoded returns an object of a kind in protobuf, as typed clients send it.
func encoded(o runtime.Object, kind schema.GroupVersionKind) (string, error) {
	o.GetObjectKind().SetGroupVersionKind(kind)
	body, err := runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), o)
	return string(body), err
}

// deployments returns the path of the Deployments in a namespace.
func deployments(namespace string) string {
	return "/apis/apps/v1/namespaces/" + namespace + "/deployments"
}
