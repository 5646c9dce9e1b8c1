package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A suite is a test package of another project.
type suite struct {
	name string
	// module and version identify the suite's module; pkg is its import path.
	module, version, pkg string
	// shared is set if the tests share one server, which they find through a
	// kubeconfig.
	shared bool
	// ownServers is set if each test starts a server through the files of testdata.
	ownServers bool
	// flags is set if the tests start servers with flags of their own, as far as the command has
	// them. They run only against the command.
	flags bool
	// chosen are the names of the specs to run, one per line, in a suite of Kubernetes' end-to-end tests;
	// "" for all other suites.
	chosen string
	// anyNamespace is set if the tests create objects in namespaces that do not exist,
	// which a kube-apiserver accepts only without its admission plugins.
	anyNamespace bool
	// except lists the tests that require more than a server reached over HTTP, with the
	// reason; they are not run.
	except map[string]string
	// apart maps tests that fail against patchlab to the reason.
	apart map[string]string
}

// result is the result of a suite.
type result struct {
	passed  int
	failed  []string
	skipped int
}

// perTest is the timeout of one test, perSuite that of a suite run as one program.
const (
	perTest  = 3 * time.Minute
	perSuite = 15 * time.Minute
)

func (s *suite) run(t *target) (*result, error) {
	m, err := prepare(s, t.dir)
	if err != nil {
		return nil, err
	}
	program, err := m.compile(s.pkg)
	if err != nil {
		return nil, err
	}
	folder, err := m.folder(s.pkg)
	if err != nil {
		return nil, err
	}
	if s.chosen != "" {
		return s.endToEnd(t, program, folder)
	}
	if usesGinkgo(folder) {
		return s.specs(t, program, folder)
	}
	if s.shared {
		return s.together(t, program, folder)
	}
	names, err := listTests(program, folder)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no tests", program)
	}
	r := &result{}
	for _, name := range names {
		if s.except[name] != "" {
			r.skipped++
			continue
		}
		r.add(s.one(t, program, folder, name))
	}
	return r, nil
}

// alone runs one test of a compiled suite.
func (s *suite) alone(t *target, name string) (*result, error) {
	m, err := prepare(s, t.dir)
	if err != nil {
		return nil, err
	}
	folder, err := m.folder(s.pkg)
	if err != nil {
		return nil, err
	}
	return s.one(t, m.program(s.pkg), folder, name), nil
}

// one runs one test in its own process. It saves the output of a failed test.
func (s *suite) one(t *target, program, folder, name string) *result {
	out, err := t.start(s, program, folder, "-test.run", "^"+name+"$", "-test.v")
	switch {
	case err == nil && strings.Contains(out, "\n--- SKIP: "+name+" "):
		return &result{skipped: 1}
	case err == nil:
		return &result{passed: 1}
	}
	_ = os.WriteFile(filepath.Join(t.dir, name+".log"), []byte(out), 0o644)
	return &result{failed: []string{name}}
}

func (r *result) add(other *result) {
	r.passed += other.passed
	r.skipped += other.skipped
	r.failed = append(r.failed, other.failed...)
}

// replace replaces the failure of a test with the result of its repetition.
func (r *result) replace(name string, again *result) {
	r.failed = slices.DeleteFunc(slices.Clone(r.failed), func(f string) bool { return f == name })
	r.add(again)
}

func listTests(program, folder string) ([]string, error) {
	c := exec.Command(program, "-test.list", "^Test")
	c.Dir = folder
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the tests of %s: %w", program, err)
	}
	var names []string
	for name := range strings.Lines(string(out)) {
		if name = strings.TrimSpace(name); strings.HasPrefix(name, "Test") && name != "TestMain" {
			names = append(names, name)
		}
	}
	return names, nil
}

var (
	ginkgoSummary  = regexp.MustCompile(`(\d+) Passed.* (\d+) Failed.* (\d+) Pending.* (\d+) Skipped`)
	ginkgoFailures = regexp.MustCompile(`(?s)Summarizing \d+ Failures?:(.*?) Passed`)
	// ginkgoFailure matches a spec in the list of failures, also one that panicked or did not end.
	ginkgoFailure = regexp.MustCompile(`(?m)^\s*\[(?:FAIL|PANICKED!|ABORTED|TIMEDOUT|INTERRUPTED)\] (.*)$`)
)

// specs runs a Ginkgo suite, which is a single test, against one server.
func (s *suite) specs(t *target, program, folder string) (*result, error) {
	log, err := t.startShared(program, folder, "specs.log", nil, "-ginkgo.no-color")
	if err != nil {
		return nil, err
	}
	r := &result{}
	if r.addSpecs(log.text) == 0 {
		return nil, log.withoutResults()
	}
	return r, nil
}

// addSpecs adds the results in the output of Ginkgo suites, and returns their number.
func (r *result) addSpecs(out string) (suites int) {
	for _, m := range ginkgoSummary.FindAllStringSubmatch(out, -1) {
		passed, _ := strconv.Atoi(m[1])
		pending, _ := strconv.Atoi(m[3])
		skipped, _ := strconv.Atoi(m[4])
		r.passed, r.skipped = r.passed+passed, r.skipped+pending+skipped
		suites++
	}
	for _, list := range ginkgoFailures.FindAllStringSubmatch(out, -1) {
		for _, f := range ginkgoFailure.FindAllStringSubmatch(list[1], -1) {
			if name := strings.TrimSpace(f[1]); !slices.Contains(r.failed, name) {
				r.failed = append(r.failed, name)
			}
		}
	}
	return suites
}

var (
	testResult = regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): (\S+) `)
	// ended matches what a test program prints after its last test, and not if it panics or is killed.
	ended = regexp.MustCompile(`(?m)^(PASS|FAIL)$`)
)

// together runs the tests of a suite in one process against one server.
func (s *suite) together(t *target, program, folder string) (*result, error) {
	log, err := t.startShared(program, folder, "tests.log", nil, "-test.v")
	if err != nil {
		return nil, err
	}
	return log.tests()
}

// tests returns the results of the tests, or an error if there are none or the program ended before all tests.
func (l *testLog) tests() (*result, error) {
	r := testsOf(l.text)
	if !ended.MatchString(l.text) || len(r.failed) == 0 && (l.failed != nil || r.passed == 0) {
		return nil, l.withoutResults()
	}
	return r, nil
}

// testsOf returns the results of the tests in the output of a test program.
func testsOf(out string) *result {
	r := &result{}
	for _, m := range testResult.FindAllStringSubmatch(out, -1) {
		switch m[1] {
		case "PASS":
			r.passed++
		case "SKIP":
			r.skipped++
		default:
			r.failed = append(r.failed, m[2])
		}
	}
	return r
}

// unexpected returns the failures that are not listed in apart.
func (r *result) unexpected(s *suite) []string {
	return slices.DeleteFunc(slices.Clone(r.failed), func(name string) bool { return s.apart[name] != "" })
}

func (r *result) row(s *suite) string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %s |", s.name, r.passed+len(r.failed)+r.skipped, r.passed, len(r.failed), r.skipped, strings.Join(r.failed, ", "))
}
