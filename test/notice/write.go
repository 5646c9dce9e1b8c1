package notice

import (
	"fmt"
	"slices"
	"strings"
)

const head = `patchlab is licensed under the Apache License, Version 2.0 (see LICENSE).

The commands, and the page of the playground with its engine, contain the modules and
packages below. This file is written by 'make notice'; the licence texts follow the
list, each once.

The programs with the API server (all but playground) also contain texts of Kubernetes:
the schemas in its API specification of 1.30 to 1.37 (server/internal/definitions),
Copyright The Kubernetes Authors, Apache-2.0.

`

// List writes the list of the components, a line each.
func List(all []Component) string {
	var b strings.Builder
	for _, c := range all {
		name := c.Name
		if c.Version != "" {
			name += " " + c.Version
		}
		fmt.Fprintf(&b, "  %s\n      %s; in %s\n", name, c.Licence, strings.Join(c.In, ", "))
	}
	return b.String()
}

// apache is the licence of most of the modules, and that of this repository.
const apache = "Apache-2.0"

// Write writes the whole file. It returns an error for a component without an installed licence file.
func Write(all []Component) (string, error) {
	var b strings.Builder
	b.WriteString(head + List(all))
	section := func(names []string, what, text string) {
		b.WriteString("\n" + strings.Repeat("-", 80) + "\n" + what + " " + strings.Join(names, ", ") + "\n\n" + text)
	}
	var order []string
	of := map[string][]string{}
	notices := map[string][]string{}
	for _, c := range all {
		licence, notice := c.text()
		if licence == "" {
			return "", fmt.Errorf("%s: its licence is not in %q; for npm packages, run 'npm ci' in web first", c.Name, c.dir)
		}
		if c.Licence == apache {
			licence = apache
		}
		if of[licence] == nil {
			order = append(order, licence)
		}
		of[licence] = append(of[licence], c.Name)
		if notice != "" {
			notices[notice] = append(notices[notice], c.Name)
		}
	}
	for _, licence := range order {
		if licence == apache {
			section(of[apache], "Licence of", "Apache License, Version 2.0: the text is in the file LICENSE.\n")
			continue
		}
		section(of[licence], "Licence of", licence)
	}
	var texts []string
	for text := range notices {
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b string) int { return strings.Compare(notices[a][0], notices[b][0]) })
	for _, text := range texts {
		section(notices[text], "Notice of", text)
	}
	return b.String(), nil
}
