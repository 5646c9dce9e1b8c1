// Command compare sends the same requests to patchlab and to a kube-apiserver and
// reports the responses that differ:
//
//	go run ./cmd/kubeapiserver -serve -recorded # prints URL and token
//	patchlab-admission serve --listen 127.0.0.1:8001
//	go run ./cmd/compare -url http://127.0.0.1:8001 -against URL -against-token TOKEN objects DIR...
//	go run ./cmd/compare -url http://127.0.0.1:8001 -against URL -against-token TOKEN random
//	go run ./cmd/compare -url http://127.0.0.1:8001 -against URL -against-token TOKEN cases FILE...
//	go run ./cmd/compare -url http://127.0.0.1:8001 -against URL -against-token TOKEN definitions
//	go run ./cmd/compare -url http://127.0.0.1:8001 -against URL -against-token TOKEN plugins
//	go run ./cmd/compare -url http://127.0.0.1:8001 -against URL -against-token TOKEN policies
//	go run ./cmd/compare -url http://127.0.0.1:8001 -against URL -against-token TOKEN admission
//	go run ./cmd/compare -url http://127.0.0.1:8001 -against URL -against-token TOKEN tables
//	go run ./cmd/compare -url http://127.0.0.1:8001 -against URL -against-token TOKEN watches
//	go run ./cmd/compare -url http://127.0.0.1:8001 -against URL -against-token TOKEN documents
//	go run ./cmd/compare -url http://127.0.0.1:8001 -against URL -against-token TOKEN related
//	go run ./cmd/compare -url http://127.0.0.1:8001 -against URL -against-token TOKEN collected
//	go run ./cmd/compare -url http://127.0.0.1:8001 -against URL -against-token TOKEN extensions
//
// The subcommand objects reads the manifests in each folder, creates the
// CustomResourceDefinitions, then creates, applies, patches, replaces and deletes every
// object. The subcommand random changes recorded objects of built-in kinds at random, most
// of them into invalid ones. The subcommand cases sends the requests of files in the format
// of the recordings. The subcommand definitions creates CustomResourceDefinitions with random
// schemas, and their custom resources. The subcommands plugins and policies generate namespaces with objects that
// configure admission, and writes to them; both servers need the admission plugins that
// kube-apiserver enables by default, and no controllers; so does admission, which changes webhooks, policies, their parameters
// and definitions between the writes. The subcommand tables reads recorded objects as tables while
// their status and metadata change at random. The subcommand watches opens watches in all forms and lists objects while
// several managers write them, and documents reads discovery and OpenAPI documents while CustomResourceDefinitions come,
// change and go. The subcommand related writes objects that depend on one another, with admission as for plugins: Services
// that compete for addresses, owners and finalizers, classes and quotas, and subresources of pods, workloads and accounts.
// The subcommand collected compares what garbage collection and the controller of namespaces leave of such objects; it needs
// the controllers on both servers. The subcommand extensions registers an extension API server with APIServices that change
// at random, and compares their conditions, discovery and forwarded requests; both servers must run on this machine,
// kube-apiserver with -extensions. The order of managedFields, the messages of refusals, and the
// values that a server chooses (uids, times, addresses, ports, names) are not compared.
//
// The exit code is 1 if responses differ by more than -tolerate allows, or if the
// comparison failed. Both servers should be empty; objects remain in them. Run the command
// in the folder test.
package main

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// options are the values of the flags.
type options struct {
	url, token             string
	against, againstToken  string
	record                 string
	only                   string
	tolerate               float64
	seed                   uint64
	cases, examples, limit int
	words, order, protobuf bool
	reviews                bool
	seconds                int
	recordings             string
}

func main() {
	var o options
	flag.StringVar(&o.url, "url", "http://127.0.0.1:8001", "URL of patchlab serve")
	flag.StringVar(&o.token, "token", "", "bearer token for -url")
	flag.StringVar(&o.against, "against", os.Getenv("PATCHLAB_TEST_SERVER"), "URL of the kube-apiserver; certificates are not checked")
	flag.StringVar(&o.againstToken, "against-token", os.Getenv("PATCHLAB_TEST_TOKEN"), "bearer token for -against")
	flag.StringVar(&o.record, "record", "", "file to append the differing cases to, with the responses of -against")
	flag.StringVar(&o.only, "only", "", "regular expression of the paths to which requests are sent, or of the forms of related; not for definitions, documents, watches and collected")
	flag.Float64Var(&o.tolerate, "tolerate", 0, "percentage of responses that may differ")
	flag.IntVar(&o.examples, "examples", 1, "number of cases to print for each difference")
	flag.IntVar(&o.limit, "limit", 0, "objects: the maximum number of objects of a folder; 0 means all")
	flag.BoolVar(&o.words, "words", false, "also compare the wording of refusals")
	flag.BoolVar(&o.order, "order", false, "also compare the order of the causes of refusals")
	flag.BoolVar(&o.protobuf, "protobuf", false, "cases, objects, random: send and receive objects of built-in kinds as protobuf")
	flag.BoolVar(&o.reviews, "reviews", false, "also compare what webhooks for all resources receive; not for watches and collected, whose requests are sent at once")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the random cases")
	flag.IntVar(&o.cases, "cases", 1000, "how many random cases")
	flag.IntVar(&o.seconds, "seconds", 8, "watches: after how many seconds watches end, which must be longer than all requests of a case take; collected: how long the controllers need at least")
	flag.StringVar(&o.recordings, "recordings", "../testdata/invalid", "random, tables: folder of the recorded cases to change")
	flag.Parse()
	if err := run(&o, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

const usage = "expected objects DIR..., cases FILE..., random, definitions, plugins, policies, admission, tables, watches, documents, related, collected or extensions"

func run(o *options, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	if o.against == "" {
		return errors.New("no kube-apiserver to compare with: set -against")
	}
	p := &pair{ours: send(o.url, o.token), theirs: patient(send(o.against, o.againstToken)), words: o.words, order: o.order}
	if o.protobuf {
		types, err := newBuiltinTypes()
		if err != nil {
			return err
		}
		p.ours, p.theirs = types.asTypedClient(p.ours), types.asTypedClient(p.theirs)
	}
	if o.reviews {
		end, err := p.review()
		if err != nil {
			return err
		}
		defer end()
	}
	if o.record != "" {
		f, err := os.OpenFile(o.record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		defer f.Close()
		p.record = f
	}
	var r *report
	var err error
	switch {
	case args[0] == "objects" && len(args) > 1:
		r, err = compareObjects(o, p, args[1:])
	case args[0] == "cases" && len(args) > 1:
		r, err = compareCases(o, p, args[1:])
	case args[0] == "random" && len(args) == 1:
		r, err = compareRandom(o, p)
	case args[0] == "definitions" && len(args) == 1:
		r, err = compareDefinitions(o, p)
	case args[0] == "tables" && len(args) == 1:
		r, err = compareTables(o, p)
	case args[0] == "documents" && len(args) == 1:
		r, err = compareDocuments(o, p)
	case args[0] == "watches" && len(args) == 1:
		r, err = compareWatches(o, p)
	case args[0] == "related" && len(args) == 1:
		r, err = compareRelated(o, p)
	case args[0] == "collected" && len(args) == 1:
		r, err = compareCollected(o, p)
	case args[0] == "extensions" && len(args) == 1:
		r, err = compareExtensions(o, p)
	case args[0] == "plugins" && len(args) == 1:
		r, err = compareWorlds(o, p, args[0], (*world).plugins)
	case args[0] == "admission" && len(args) == 1:
		r, err = compareAdmission(o, p)
	case args[0] == "policies" && len(args) == 1:
		r, err = compareWorlds(o, p, args[0], (*world).policies)
	default:
		return fmt.Errorf("%s, got %q", usage, args)
	}
	if err != nil {
		return err
	}
	r.print(out, o.examples)
	if share := r.differing(); share > o.tolerate {
		return fmt.Errorf("%.2f %% of the responses differ", share)
	}
	return nil
}

func send(url, token string) conformance.Send {
	return conformance.HTTP(url, token, &http.Client{Timeout: time.Minute,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, MaxIdleConnsPerHost: 4}})
}
