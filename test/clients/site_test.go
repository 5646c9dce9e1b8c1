package clients

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// Site is the Go type of the custom resource in testdata/crds.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SiteSpec   `json:"spec"`
	Status            SiteStatus `json:"status,omitempty"`
}

type SiteSpec struct {
	Replicas int64  `json:"replicas,omitempty"`
	Message  string `json:"message,omitempty"`
}

type SiteStatus struct {
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
	Replicas           int64  `json:"replicas,omitempty"`
	Phase              string `json:"phase,omitempty"`
}

// SiteList is a list of sites.
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Site `json:"items"`
}

func (s *Site) DeepCopyObject() runtime.Object {
	out := *s
	s.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func (l *SiteList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = make([]Site, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*Site)
	}
	return &out
}

func siteScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	gv := schema.GroupVersion{Group: sites.Group, Version: sites.Version}
	s.AddKnownTypes(gv, &Site{}, &SiteList{})
	metav1.AddToGroupVersion(s, gv)
	if err := clientgoscheme.AddToScheme(s); err != nil {
		panic(err)
	}
	return s
}
