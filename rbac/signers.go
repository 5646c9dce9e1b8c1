package rbac

import (
	"context"
	"fmt"
	"strings"

	"github.com/patchlab-dev/patchlab/cluster"
	"github.com/patchlab-dev/patchlab/document"
)

// certificates is the API group of CertificateSigningRequests.
const certificates = "certificates.k8s.io"

// checkSigner refuses to approve and to sign certificate requests for a signer, unless a role allows
// the verb approve or sign for it, as kube-apiserver's plugins CertificateApproval and
// CertificateSigning do. The right for all signers of a domain is that for domain/*.
func checkSigner(ctx context.Context, c *cluster.Cluster, a *cluster.Attributes) *cluster.Status {
	if a.Resource.Resource != "certificatesigningrequests" || a.Operation != cluster.OperationUpdate {
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
	signer := a.Old.Lookup("spec", "signerName").StringOr("") // a changed one is refused by validation
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
	return a.Forbid(fmt.Sprintf("user not permitted to %s requests with signerName %q", verb, signer))
}
