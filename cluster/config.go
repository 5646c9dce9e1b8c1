package cluster

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/fieldmanager"
	"github.com/patchlab-dev/patchlab/patch"
	"github.com/patchlab-dev/patchlab/schema"
	"github.com/patchlab-dev/patchlab/store"
)

// Config is the configuration of a Cluster or a Pipeline. The zero value is a cluster of the
// default Kubernetes version, with a store in memory.
type Config struct {
	// Version is the Kubernetes minor version, such as "1.36"; "" is
	// schema.DefaultVersion.
	Version string
	// Kinds are the kinds that are served from the beginning; nil means the built-in kinds of
	// Version that kube-apiserver enables by default. The cluster adds the kinds of
	// CustomResourceDefinitions to the registry.
	Kinds *schema.Registry
	// Store holds the objects; nil is a new store in memory. Any other implementation must be
	// configured with [Equal], [Record.UID] and [Record.Lifetime]. One that stores bytes also
	// needs [Record.Encode] and [DecodeRecord], as the documentation of package store/etcd
	// shows.
	Store store.Store[*Record]
	// Definitions caches parsed CustomResourceDefinitions, for several clusters that start
	// with the same definitions. nil disables the cache.
	Definitions *DefinitionCache
	// Shared must be true if other processes write to the store as well. The cluster then also
	// serves the CustomResourceDefinitions that they write.
	Shared bool
	// NoDefaults disables the defaulting of built-in kinds.
	NoDefaults bool
	// Addresses allocates cluster IPs and node ports to Services that leave them unset, as the API
	// server does. Without it, and in browsers (GOOS=js), they stay unset.
	Addresses bool
	// ServiceRanges are the ranges of cluster IPs (--service-cluster-ip-range of kube-apiserver): one, or one of each IP
	// family for a cluster with both, the default family first. With nil, they are allocated from 10.96.0.0/16, and
	// Services may choose any of IPv4, because objects of other clusters have IPs of other ranges.
	ServiceRanges []netip.Prefix
	// StrictNamespaces refuses to create objects in namespaces that do not exist or are being
	// deleted, and to delete default, kube-system and kube-public, as the admission plugin
	// NamespaceLifecycle does.
	StrictNamespaces bool
	// Converters convert custom resources between versions. The key is the name of the CRD
	// ("widgets.lab.example.com"). Metadata that a converter changes is restored. A CRD that
	// has neither a converter nor a conversion webhook uses the strategy None: only the
	// apiVersion changes.
	Converters map[string]Converter
	// Rules evaluates the CEL validation rules of custom resources; with nil they are not
	// evaluated.
	Rules Rules
	// Conversion calls the conversion webhooks of CRDs that have no entry in Converters; with
	// nil, objects of a CRD with a conversion webhook are served in their storage version
	// only.
	Conversion Conversion
	// Tokens signs the tokens of service accounts. With nil they are not signed, and no token is
	// valid.
	Tokens Tokens
	// StaticTokens are further bearer tokens that [Cluster.Authenticate] accepts, with their users, like those of
	// --token-auth-file of kube-apiserver. They are for the audience of the API and do not expire.
	StaticTokens map[string]User
	// Admission returns the cluster's admission chain; nil admits every write. New calls it
	// once, with the cluster, which can answer requests by then.
	Admission func(*Cluster) (Admission, error)
	// Engine and PatchEngine implement structured merge and patching; nil selects those of
	// this module.
	Engine      fieldmanager.Engine
	PatchEngine patch.Engine
	// Now returns the time of a write; nil is time.Now.
	Now func() time.Time
	// UID returns the uid of a new object; nil generates random UUIDs.
	UID func() string
	// Suffix returns the suffix that is appended to generateName; nil generates five random
	// characters, as the API server does.
	Suffix func() string
	// BookmarkInterval is the interval at which a watch sends bookmarks; 0 is a minute.
	BookmarkInterval time.Duration
}

// A Converter returns the object converted to another apiVersion of its kind.
type Converter func(object document.Value, apiVersion string) (document.Value, error)

// Tokens signs the tokens of service accounts and checks the signatures, as package server does.
// Its methods are called concurrently.
type Tokens interface {
	// Issuer returns the issuer of the tokens, which is also the audience of the API.
	Issuer() string
	// Sign returns the JSON Web Token (RFC 7519) with the given claims, a JSON object.
	Sign(claims []byte) (string, error)
	// Verify returns an error unless the token has the signature of Sign, or that of another key which is
	// trusted.
	Verify(token string) error
}

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.UID == nil {
		c.UID = NewUID
	}
	if c.Suffix == nil {
		c.Suffix = randomSuffix
	}
	if c.BookmarkInterval <= 0 {
		c.BookmarkInterval = time.Minute
	}
	return c
}

// NewUID returns a random UUID of version 4 (RFC 9562), the default of Config.UID. A uid has to be
// unique but not secret, so it does without crypto/rand, which would add 0.1 MB to the page.
func NewUID() string {
	var b [16]byte
	binary.NativeEndian.PutUint64(b[:], rand.Uint64())
	binary.NativeEndian.PutUint64(b[8:], rand.Uint64())
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// suffixLetters are the characters of generated suffixes. Vowels and characters that look
// alike are left out, so that no words arise.
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789"

func randomSuffix() string {
	var b [5]byte
	for i := range b {
		b[i] = suffixLetters[rand.IntN(len(suffixLetters))]
	}
	return string(b[:])
}
