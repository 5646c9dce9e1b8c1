package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchlab-dev/patchlab/explain"
	"github.com/patchlab-dev/patchlab/internal/app/cli/results"
)

// The part of SARIF 2.1.0 (OASIS) that lint uses.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
		// ColumnKind is the unit of columns: characters, not UTF-16 code units.
		ColumnKind string `json:"columnKind"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string             `json:"id"`
		ShortDescription sarifText          `json:"shortDescription"`
		FullDescription  sarifText          `json:"fullDescription"`
		Help             sarifText          `json:"help"`
		HelpURI          string             `json:"helpUri"`
		Default          sarifConfiguration `json:"defaultConfiguration"`
	}
	sarifConfiguration struct {
		Level explain.Severity `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        explain.Severity  `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
	}
)

const projectURL = "https://github.com/patchlab-dev/patchlab"

// sarifOf returns findings as a SARIF log.
func sarifOf(findings []locatedFinding) sarifLog {
	rules := explain.LintRules()
	driver := sarifDriver{Name: "patchlab", InformationURI: projectURL}
	for _, r := range rules {
		driver.Rules = append(driver.Rules, sarifRule{ID: r.ID, ShortDescription: sarifText{r.Title}, FullDescription: sarifText{r.Reason},
			Help: sarifText{r.Reason + " " + r.Remedy}, HelpURI: projectURL + "/blob/main/doc/lint.md#" + r.ID, Default: sarifConfiguration{r.Severity}})
	}
	listed := []sarifResult{} // GitHub refuses a run whose results are null
	for _, f := range findings {
		listed = append(listed, sarifResult{
			RuleID:    f.Rule,
			RuleIndex: slices.IndexFunc(rules, func(r explain.LintRule) bool { return r.ID == f.Rule }),
			Level:     f.Severity,
			Message:   sarifText{f.Target.String() + ": " + f.Message + ". " + f.Remedy},
			Locations: []sarifLocation{{
				Physical: sarifPhysical{sarifArtifact{fileURI(f.Position.Name)}, sarifRegion{max(1, f.Position.Line), max(1, f.Position.Column)}},
				Logical:  []sarifLogical{{results.FileName(f.Target) + f.Path.String()}},
			}},
			Fingerprints: map[string]string{"patchlab/v1": fingerprint(f)},
		})
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{{Tool: sarifTool{driver}, Results: listed, ColumnKind: "unicodeCodePoints"}}}
}

// fileURI returns the relative URI of a file, or a name for other sources.
func fileURI(name string) string {
	name = strings.Trim(name, "<>")
	if name == "" {
		name = "stdin"
	}
	u := url.URL{Path: strings.TrimPrefix(filepath.ToSlash(name), "./")}
	return strings.ReplaceAll(strings.TrimPrefix(u.String(), "./"), ":", "%3A") // before a colon is a scheme
}

// fingerprint identifies a finding even after its line has moved: it is derived from the rule,
// the object and the field. A file can have objects of one name in several namespaces or groups.
func fingerprint(f locatedFinding) string {
	sum := sha256.Sum256([]byte(f.Rule + "\x00" + f.Position.Name + "\x00" + results.FileName(f.Target) + "\x00" + f.Path.String()))
	return hex.EncodeToString(sum[:16])
}
