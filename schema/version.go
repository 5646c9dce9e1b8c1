package schema

import (
	"strconv"
	"strings"
)

// VersionBefore orders API versions by Kubernetes' version priority (apimachinery's
// version.CompareKubeAwareVersionStrings): v2, v1, v2beta1, v1beta2, v1beta1, v1alpha1,
// then versions of any other form alphabetically. Versions with equal priority, such as v1
// and v01, are ordered alphabetically too.
func VersionBefore(a, b string) bool {
	x, xok := parseVersion(a)
	y, yok := parseVersion(b)
	switch {
	case xok != yok:
		return xok
	case !xok:
		return a < b
	case x.stage != y.stage:
		return x.stage > y.stage
	case x.major != y.major:
		return x.major > y.major
	case x.minor != y.minor:
		return x.minor > y.minor
	}
	return a < b
}

// CompareVersions compares API versions in the order of VersionBefore.
func CompareVersions(a, b string) int {
	switch {
	case VersionBefore(a, b):
		return -1
	case VersionBefore(b, a):
		return 1
	}
	return 0
}

// IsPrerelease reports whether an API version is an alpha or beta version, such as v1beta1.
func IsPrerelease(version string) bool {
	v, ok := parseVersion(version)
	return ok && v.stage != stageStable
}

type apiVersion struct{ stage, major, minor int }

// The stages of an API version.
const (
	stageAlpha = iota
	stageBeta
	stageStable
)

func parseVersion(s string) (v apiVersion, ok bool) {
	rest, ok := strings.CutPrefix(s, "v")
	if !ok {
		return v, false
	}
	v.stage = stageStable
	minor := ""
	if major, m, found := strings.Cut(rest, "alpha"); found {
		rest, minor, v.stage = major, m, stageAlpha
	} else if major, m, found := strings.Cut(rest, "beta"); found {
		rest, minor, v.stage = major, m, stageBeta
	}
	if v.major, ok = digits(rest); !ok {
		return v, false
	}
	if v.stage != stageStable {
		v.minor, ok = digits(minor)
	}
	return v, ok
}

func digits(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n), err == nil
}
