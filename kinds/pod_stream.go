//go:build !js

package kinds

import "github.com/patchlab-dev/patchlab/schema"

// StreamOptions returns the kind of the options of a subresource of pods that opens a stream: log, exec,
// attach or portforward; nil for any other. Clients send these options as the query and not as a body, so
// that OpenAPI documents do not have them (k8s.io/api/core/v1, PodLogOptions and others).
func StreamOptions(subresource string) *schema.Kind {
	switch subresource {
	case "log", "exec", "attach", "portforward":
		return streamOptions(subresource)
	}
	return nil // at once, as for status: it is asked for every request to a subresource
}

// ProxyOptions returns the kind of the options of the subresource proxy, with which a client reaches a pod, a Service or a
// node; nil for any other kind. Its field is the path behind that of the object (k8s.io/api/core/v1, PodProxyOptions and
// others).
func ProxyOptions(kind *schema.Kind) *schema.Kind {
	if kind.Group != "" {
		return nil
	}
	switch kind.Kind {
	case "Pod", "Service", "Node":
		path := schema.Field{Name: "path", Type: &schema.Type{Scalar: schema.StringScalar}, Go: schema.GoOmitEmpty}
		options := schema.NewKind(schema.GroupVersionKind{Version: "v1", Kind: kind.Kind + "ProxyOptions"}, &schema.Type{Map: &schema.MapType{Fields: []schema.Field{path}}})
		options.Builtin = true
		return options
	}
	return nil
}

func streamOptions(subresource string) *schema.Kind {
	text, truth := &schema.Type{Scalar: schema.StringScalar}, &schema.Type{Scalar: schema.BooleanScalar}
	number := &schema.Type{Scalar: schema.IntegerScalar, Format: "int64"}
	list := func(elem *schema.Type) *schema.Type { return &schema.Type{List: &schema.ListType{Elem: elem}} }
	field := func(name string, t *schema.Type) schema.Field {
		return schema.Field{Name: name, Type: t, Go: schema.GoOmitEmpty}
	}
	pointer := func(name string, t *schema.Type) schema.Field {
		return schema.Field{Name: name, Type: t, Go: schema.GoOmitEmpty | schema.GoPointer}
	}
	var kind string
	var fields []schema.Field
	switch subresource {
	case "log":
		kind = "PodLogOptions"
		fields = []schema.Field{
			field("container", text), field("follow", truth), field("insecureSkipTLSVerifyBackend", truth), pointer("limitBytes", number),
			field("previous", truth), pointer("sinceSeconds", number), pointer("sinceTime", &schema.Type{Scalar: schema.StringScalar, Format: "date-time"}),
			pointer("stream", text), pointer("tailLines", number), field("timestamps", truth),
		}
	case "exec":
		kind = "PodExecOptions"
		fields = []schema.Field{
			{Name: "command", Type: list(text)}, // is null if it is empty
			field("container", text), field("stderr", truth), field("stdin", truth), field("stdout", truth), field("tty", truth),
		}
	case "attach":
		kind = "PodAttachOptions"
		fields = []schema.Field{
			field("container", text), field("stderr", truth), field("stdin", truth), field("stdout", truth), field("tty", truth),
		}
	case "portforward":
		kind = "PodPortForwardOptions"
		fields = []schema.Field{field("ports", list(&schema.Type{Scalar: schema.IntegerScalar, Format: "int32"}))}
	}
	k := schema.NewKind(schema.GroupVersionKind{Version: "v1", Kind: kind}, &schema.Type{Map: &schema.MapType{Fields: fields}})
	k.Builtin = true
	return k
}
