package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/patchlab-dev/patchlab/internal/oracle/conformance"
)

// compareCases compares the cases of files, in the format of the recordings. Recorded
// responses in them are ignored.
func compareCases(o *options, p *pair, files []string) (*report, error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return nil, err
	}
	r := newReport()
	for _, file := range files {
		cases, err := conformance.Read(file)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			if len(c.Steps) == 0 {
				return nil, fmt.Errorf("%s: the case %q has no steps", file, c.Name)
			}
			path := c.Steps[0].Request.Path
			if !only.MatchString(path) {
				continue
			}
			if err := p.compare(r, path[strings.LastIndex(path, "/")+1:], c); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return r, nil
}
