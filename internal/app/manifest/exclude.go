package manifest

import (
	"path"
	"path/filepath"
	"strings"
)

// CheckExclude returns an error for a pattern of Source.Exclude that is not valid.
func CheckExclude(pattern string) error {
	for _, part := range strings.Split(pattern, "/") {
		if _, err := path.Match(part, ""); err != nil {
			return err
		}
	}
	return nil
}

// excluded reports whether a pattern of Exclude matches the name of a file or directory, or of a directory that contains
// it, and calls Excluded with it.
func (s *Source) excluded(name, within string) bool {
	for _, pattern := range s.Exclude {
		if !excludes(pattern, filepath.ToSlash(within)) {
			continue
		}
		if s.Excluded != nil {
			s.Excluded(pattern, name)
		}
		return true
	}
	return false
}

// excludes reports whether a pattern matches a name, or the name of a directory that contains it. As in a .gitignore, a
// pattern without a slash matches a name in any directory, another one the path, in which ** matches any number of
// directories.
func excludes(pattern, name string) bool {
	names := strings.Split(name, "/")
	pattern = strings.TrimSuffix(pattern, "/")
	if !strings.Contains(pattern, "/") {
		for _, one := range names {
			if matched, err := path.Match(pattern, one); err == nil && matched {
				return true
			}
		}
		return false
	}
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(pattern, "."), "/"), "/")
	for n := range names {
		if matchesParts(parts, names[:n+1]) {
			return true
		}
	}
	return false
}

// matchesParts reports whether the parts of a pattern match those of a path.
func matchesParts(pattern, names []string) bool {
	if len(pattern) == 0 {
		return len(names) == 0
	}
	if pattern[0] == "**" {
		return matchesParts(pattern[1:], names) || len(names) > 0 && matchesParts(pattern, names[1:])
	}
	if len(names) == 0 {
		return false
	}
	matched, err := path.Match(pattern[0], names[0])
	return err == nil && matched && matchesParts(pattern[1:], names[1:])
}
