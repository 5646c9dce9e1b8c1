// Gencatalog writes the catalog of built-in kinds that package schema embeds, and the
// OpenAPI definitions of their types that the server embeds.
//
// For each Kubernetes version it reads, from the Go module proxy, the OpenAPI v3 and
// discovery documents in the module k8s.io/kubernetes, the enums in its Go source, and the
// struct tags of the API types in the matching version of k8s.io/api and related modules.
// Usage:
//
//	go run ./schema/internal/gencatalog -o schema/catalog.bin -definitions server/internal/definitions/definitions.gz [-versions 1.36.3]
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/patchlab-dev/patchlab/document"
	"github.com/patchlab-dev/patchlab/schema"
)

// releases lists the patch releases that the catalog is generated from.
const releases = "1.30.14,1.31.14,1.32.13,1.33.13,1.34.4,1.35.4,1.36.3,1.37.2"

func main() {
	log.SetFlags(0)
	out := flag.String("o", "catalog.bin", "`file` to write the catalog to")
	definitions := flag.String("definitions", "definitions.gz", "`file` to write the OpenAPI definitions to")
	versions := flag.String("versions", releases, "comma-separated Kubernetes `releases`, oldest first")
	flag.Parse()
	var all []*release
	for _, v := range strings.Split(*versions, ",") {
		r, err := readRelease(v)
		if err != nil {
			log.Fatalf("gencatalog: Kubernetes %s: %v", v, err)
		}
		all = append(all, r)
		log.Printf("%s: %d kinds", v, len(r.kinds))
	}
	write(*out, encode(all))
	text, err := encodeDefinitions(all)
	if err != nil {
		log.Fatalf("gencatalog: %v", err)
	}
	data, err := compressed(text)
	if err != nil {
		log.Fatalf("gencatalog: %v", err)
	}
	write(*definitions, data)
}

func write(file string, data []byte) {
	if err := os.WriteFile(file, data, 0o644); err != nil {
		log.Fatalf("gencatalog: %v", err)
	}
	log.Printf("%s: %d bytes", file, len(data))
}

// A release is the content of the generated files for one Kubernetes version.
type release struct {
	minor       string // "1.36"
	kinds       []*schema.Kind
	groups      []group                   // in discovery order
	definitions map[string]document.Value // OpenAPI schemas by name
}

type group struct {
	name     string
	versions []string // the preferred version first
}

func readRelease(version string) (*release, error) {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) != 3 {
		return nil, fmt.Errorf("want a full version such as 1.36.3")
	}
	dir, err := moduleDir("k8s.io/kubernetes", "v"+version)
	if err != nil {
		return nil, err
	}
	kinds, err := readKinds(dir)
	if err != nil {
		return nil, err
	}
	r := &release{minor: parts[0] + "." + parts[1]}
	if err := r.discover(dir, kinds); err != nil {
		return nil, err
	}
	if r.definitions, err = readDefinitions(dir); err != nil {
		return nil, err
	}
	declared := newGoStructs("v0." + parts[1] + "." + parts[2])
	for _, k := range r.kinds {
		if err := declared.apply(k.Type()); err != nil {
			return nil, err
		}
	}
	return r, nil
}
