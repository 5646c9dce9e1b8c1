package inputs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/manifest"
)

// excludeFlag has the patterns of --exclude.
type excludeFlag struct {
	patterns []string
	used     map[string]bool
}

// Add adds the flag for a command that reads folders.
func (f *excludeFlag) Add(c *cobra.Command) {
	c.Flags().Var(f, "exclude", "`GLOB` of files and folders to skip in folders, such as kind.yaml, .github or 'overlays/*/patches'; with a slash, the path within the folder, in which ** matches any folders (repeatable)")
}

// Set adds a pattern.
func (f *excludeFlag) Set(pattern string) error {
	f.patterns = append(f.patterns, pattern)
	return manifest.CheckExclude(pattern)
}

// String returns the patterns.
func (f *excludeFlag) String() string { return strings.Join(f.patterns, ", ") }

// Type returns the type for the help.
func (f *excludeFlag) Type() string { return "stringArray" }

// apply sets the patterns of a reader.
func (f *excludeFlag) apply(s *manifest.Source) {
	s.Exclude = f.patterns
	s.Excluded = func(pattern, _ string) {
		if f.used == nil {
			f.used = map[string]bool{}
		}
		f.used[pattern] = true
	}
}

// advised adds to the error of a file how the hidden folder that it is in, within one of several folders, is skipped. Such
// a folder belongs to a program, whose files need not be manifests.
func (f *excludeFlag) advised(folders []string, file string, err error) error {
	for _, folder := range folders {
		within, failed := filepath.Rel(folder, file)
		if failed != nil || !filepath.IsLocal(within) {
			continue
		}
		for _, part := range strings.Split(filepath.ToSlash(filepath.Dir(within)), "/") {
			if len(part) > 1 && strings.HasPrefix(part, ".") {
				return fmt.Errorf("%w; --exclude %s skips this folder", err, part)
			}
		}
	}
	return err
}

// NoteUnused reports the patterns that match nothing, which may be misspelled.
func (f *excludeFlag) NoteUnused(a *program.App) {
	for _, pattern := range slices.Compact(slices.Clone(f.patterns)) {
		if !f.used[pattern] {
			a.Note("Warning: --exclude " + strconv.Quote(pattern) + " matches no file or folder")
		}
	}
}
