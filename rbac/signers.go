package rbac

import (
	"context"
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// certificates is the API group of requests for certificates and of bundles of them.
const certificates = "certificates.k8s.io"

// checkSigner refuses what concerns a signer of certificates, unless a role allows a verb for it: to
// approve and to sign CertificateSigningRequests, to decide a PodCertificateRequest, and to write a
// ClusterTrustBundle. kube-apiserver does so in the plugins CertificateApproval, CertificateSigning
// and ClusterTrustBundleAttest, and in the validation of PodCertificateRequests.
func checkSigner(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes) *cluster.Status {
	switch a.Resource.Resource {
	case "certificatesigningrequests":
		return checkSigningRequest(ctx, c, a)
	case "clustertrustbundles":
		return checkBundle(ctx, c, a)
	case "podcertificaterequests":
		return checkPodRequest(ctx, c, a)
	}
	return nil
}

func checkSigningRequest(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes) *cluster.Status {
	if a.Operation != cluster.OperationUpdate {
		return nil
	}
	var verb string
	switch a.Request.Subresource {
	case "approval":
		verb = "approve"
	case "status":
		verb = "sign"
		was, is := a.Old.Get("status"), a.Object.Get("status")
		if document.Equal(was.Get("certificate"), is.Get("certificate")) && document.Equal(was.Get("conditions"), is.Get("conditions")) {
			return nil
		}
	default:
		return nil
	}
	signer := signerOf(a.Old) // a changed one is refused by validation
	return unlessSigner(ctx, c, a, verb, signer, func() *cluster.Status {
		return a.Forbid(fmt.Sprintf("user not permitted to %s requests with signerName %q", verb, signer))
	})
}

// checkBundle permits every update of a bundle that changes no more than garbage collection does.
func checkBundle(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes) *cluster.Status {
	signer := signerOf(a.Object)
	if signer == "" {
		return nil
	}
	if a.Operation == cluster.OperationUpdate && onlyCollected(a) {
		return nil
	}
	return unlessSigner(ctx, c, a, "attest", signer, func() *cluster.Status {
		return a.Forbid(fmt.Sprintf("user not permitted to attest for signerName %q", signer))
	})
}

// onlyCollected reports whether an update changes no more than garbage collection does.
func onlyCollected(a *cluster.Attributes) bool {
	return document.Equal(withoutCollected(a.Object), withoutCollected(a.Old))
}

// withoutCollected returns an object without the metadata that garbage collection changes.
func withoutCollected(object document.Value) document.Value {
	metadata := object.Get("metadata")
	for _, key := range [...]string{"ownerReferences", "finalizers", "managedFields", "selfLink"} {
		metadata = metadata.Without(key)
	}
	return object.With("metadata", metadata)
}

func checkPodRequest(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes) *cluster.Status {
	if a.Operation != cluster.OperationUpdate || a.Request.Subresource != "status" || document.Equal(a.Old.Get("status"), a.Object.Get("status")) {
		return nil
	}
	signer := signerOf(a.Old)
	return unlessSigner(ctx, c, a, "sign", signer, func() *cluster.Status {
		why := fmt.Sprintf("Forbidden: User %q is not permitted to \"sign\" for signer %q", a.Request.User.Name, signer)
		return invalid(a, []cluster.Cause{{Type: string(schema.ErrorForbidden), Message: why, Field: "spec.signerName", Path: document.Keys("spec", "signerName")}})
	})
}

func signerOf(object document.Value) string { return object.Lookup("spec", "signerName").StringOr("") }

// unlessSigner returns a refusal unless a role allows the verb for a signer. The right for all
// signers of a domain is that for domain/*.
func unlessSigner(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes, verb, signer string, refusal func() *cluster.Status) *cluster.Status {
	domain, _, _ := strings.Cut(signer, "/")
	for _, name := range [...]string{signer, domain + "/*"} {
		allowed, _, err := decide(ctx, c, a.Request.User, &action{verb: verb, group: certificates, resource: "signers", name: name})
		if err != nil {
			return internal(err)
		}
		if allowed {
			return nil
		}
	}
	return refusal()
}
