package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// manifest is an object of a file.
type manifest struct {
	file   string
	object map[string]any
}

func (m manifest) text(path ...string) string {
	var value any = m.object
	for _, p := range path {
		members, _ := value.(map[string]any)
		value = members[p]
	}
	text, _ := value.(string)
	return text
}

func (m manifest) isCRD() bool {
	return m.text("kind") == "CustomResourceDefinition" && m.text("apiVersion") == "apiextensions.k8s.io/v1"
}

// readManifests returns the distinct objects of the YAML and JSON files in a folder, in the
// order of the files, and the number of documents that are not objects, such as templates.
func readManifests(folder string) (objects []manifest, others int, err error) {
	seen := map[string]bool{}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || !isManifest(path) {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found, rest := parse(content)
		others += rest
		for _, object := range found {
			text, err := json.Marshal(object)
			if err != nil || seen[string(text)] {
				continue
			}
			seen[string(text)] = true
			name, _ := filepath.Rel(folder, path)
			objects = append(objects, manifest{file: name, object: object})
		}
		return nil
	})
	return objects, others, err
}

func isManifest(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// parse returns the objects among the documents of a file, and those in its lists.
func parse(content []byte) (objects []map[string]any, others int) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, others
		}
		if err != nil {
			return objects, others + 1
		}
		value, err := yaml.YAMLToJSONStrict(document)
		if err != nil {
			others++
			continue
		}
		decoder := json.NewDecoder(bytes.NewReader(value))
		decoder.UseNumber()
		var object map[string]any
		if decoder.Decode(&object) != nil {
			others++
			continue
		}
		found, rest := expand(object)
		objects, others = append(objects, found...), others+rest
	}
}

// expand returns an object, or the items of a list.
func expand(object map[string]any) (objects []map[string]any, others int) {
	one := manifest{object: object}
	if items, ok := object["items"].([]any); ok && strings.HasSuffix(one.text("kind"), "List") {
		for _, item := range items {
			members, _ := item.(map[string]any)
			found, rest := expand(members)
			objects, others = append(objects, found...), others+rest
		}
		return objects, others
	}
	if one.text("apiVersion") == "" || one.text("kind") == "" || one.text("metadata", "name") == "" {
		return nil, 1
	}
	return []map[string]any{object}, 0
}
