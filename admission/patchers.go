package admission

import (
	"context"
	"encoding/json"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/client-go/kubernetes/scheme"
)

// typedPatcher is the patcher of a mutation whose result has to be an object of its Go type, if that of
// a built-in kind is changed. kube-apiserver patches such objects, ours are unstructured.
type typedPatcher struct {
	patch.Patcher
	// strict refuses unknown fields, which the schema of an ApplyConfiguration has refused before.
	strict bool
}

var strictDecoder = sync.OnceValue(func() *serializer.Serializer {
	return serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, serializer.SerializerOptions{Strict: true})
})

func (p typedPatcher) Patch(ctx context.Context, r patch.Request, budget int64) (runtime.Object, error) {
	out, err := p.Patcher.Patch(ctx, r, budget)
	object, ok := out.(*unstructured.Unstructured)
	if err != nil || !ok || out == r.VersionedAttributes.VersionedObject || !scheme.Scheme.Recognizes(r.VersionedAttributes.VersionedKind) {
		return out, err
	}
	if o, ok := r.ObjectInterfaces.(*objects); ok && !o.write.Kind.Builtin {
		return out, nil
	}
	requested := r.VersionedAttributes.GetKind().GroupVersion()
	converts := r.VersionedAttributes.VersionedKind.GroupVersion() != requested
	if !p.strict && !converts {
		return out, nil
	}
	text, err := json.Marshal(object.Object)
	if err != nil {
		return nil, err
	}
	typed, _, err := strictDecoder().Decode(text, &r.VersionedAttributes.VersionedKind, nil)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if converts { // which fails: no two versions are converted without the internal one
		_, err = scheme.Scheme.ConvertToVersion(typed, requested)
	}
	return out, err
}
