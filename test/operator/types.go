// Package operator is an operator in kubebuilder's layout: a kind in two versions with
// conversion, defaulting and validating webhooks, CEL rules, and a reconciler with a
// finalizer, server-side apply and status. Its suite is written for envtest, and runs against
// patchlab with one changed line.
package operator

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// The two versions of the group; v1 is stored.
var (
	V1      = schema.GroupVersion{Group: "shop.example.com", Version: "v1"}
	V1Beta1 = schema.GroupVersion{Group: "shop.example.com", Version: "v1beta1"}
)

// Store is a store with a sign in a color.
type Store struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              StoreSpec   `json:"spec,omitempty"`
	Status            StoreStatus `json:"status,omitempty"`
}

// StoreSpec is the desired state of a store.
type StoreSpec struct {
	Color    string `json:"color,omitempty"`
	Counters int32  `json:"counters,omitempty"`
}

// StoreStatus is the observed state of a store.
type StoreStatus struct {
	Sign string `json:"sign,omitempty"`
}

// StoreList is a list of stores.
type StoreList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Store `json:"items"`
}

// Hub marks v1 as the conversion hub.
func (*Store) Hub() {}

// DeepCopyObject implements runtime.Object.
func (s *Store) DeepCopyObject() runtime.Object {
	out := *s
	s.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// DeepCopyObject implements runtime.Object.
func (l *StoreList) DeepCopyObject() runtime.Object {
	out := &StoreList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*Store))
	}
	return out
}

// OldStore is Store in v1beta1, which spells the field colour.
type OldStore struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              OldStoreSpec `json:"spec,omitempty"`
	Status            StoreStatus  `json:"status,omitempty"`
}

// OldStoreSpec is StoreSpec in v1beta1.
type OldStoreSpec struct {
	Colour   string `json:"colour,omitempty"`
	Counters int32  `json:"counters,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (s *OldStore) DeepCopyObject() runtime.Object {
	out := *s
	s.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// ConvertTo implements conversion.Convertible.
func (s *OldStore) ConvertTo(hub conversion.Hub) error {
	to := hub.(*Store)
	to.ObjectMeta, to.Status = s.ObjectMeta, s.Status
	to.Spec = StoreSpec{Color: s.Spec.Colour, Counters: s.Spec.Counters}
	return nil
}

// ConvertFrom implements conversion.Convertible.
func (s *OldStore) ConvertFrom(hub conversion.Hub) error {
	from := hub.(*Store)
	s.ObjectMeta, s.Status = from.ObjectMeta, from.Status
	s.Spec = OldStoreSpec{Colour: from.Spec.Color, Counters: from.Spec.Counters}
	return nil
}

// AddToScheme adds both versions to a scheme.
func AddToScheme(s *runtime.Scheme) {
	s.AddKnownTypes(V1, &Store{}, &StoreList{})
	s.AddKnownTypeWithName(V1Beta1.WithKind("Store"), &OldStore{})
	metav1.AddToGroupVersion(s, V1)
	metav1.AddToGroupVersion(s, V1Beta1)
}
