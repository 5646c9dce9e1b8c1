package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patchlab-dev/patchlab/internal/app/cli/program"
	"github.com/patchlab-dev/patchlab/internal/app/cli/serving"
	"github.com/patchlab-dev/patchlab/server"
)

// ran runs a command that ends by itself.
func ran(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	app := &program.App{In: strings.NewReader(""), Out: &o, Err: &e}
	code = run(ctx, app, args)
	return code, o.String(), e.String()
}

func TestEnvtestInstallsBothPrograms(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // without patchlab-admission
	folder := filepath.Join(t.TempDir(), "a", "k8s")
	code, out, errs := ran(t, "envtest", "--dir", folder)
	if code != program.ExitDone || out != folder+"\n" || !strings.Contains(errs, "webhooks are disabled, because the program patchlab-admission") {
		t.Fatalf("code %d, printed %q, errors %q", code, out, errs)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	installed := func(name string) os.FileInfo {
		file := filepath.Join(folder, name+suffix)
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(file); err != nil || !bytes.Equal(data, want) || suffix == "" && info.Mode().Perm()&0o111 != 0o111 {
			t.Errorf("%s is not this program: %v, mode %v", name, err, info.Mode())
		}
		return info
	}
	etcd, before := installed("etcd"), installed("kube-apiserver")
	if err := os.WriteFile(filepath.Join(folder, "etcd"+suffix), []byte("an older version"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := ran(t, "envtest", "--dir", folder); code != program.ExitDone {
		t.Fatal(errs)
	}
	if !os.SameFile(before, installed("kube-apiserver")) {
		t.Error("the program was replaced by itself, so a test that starts it may find no file")
	}
	if os.SameFile(etcd, installed("etcd")) {
		t.Error("the other version was overwritten instead of replaced, so a running one changes")
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 3 {
		t.Errorf("the folder has %v: %v", left, err)
	}

	if version, err := os.ReadFile(filepath.Join(folder, "kube-version")); err != nil || string(version) != "1.36\n" {
		t.Errorf("the version is %q: %v", version, err)
	}
	if code, _, errs := ran(t, "envtest", "--dir", folder, "--kube-version", "v1.33.2"); code != program.ExitDone {
		t.Error(errs)
	}
	printed, err := exec.Command(filepath.Join(folder, "kube-apiserver"+suffix), "--version").CombinedOutput()
	if err != nil || string(printed) != "Kubernetes v1.33.0+patchlab\n" {
		t.Errorf("kube-apiserver --version printed %q: %v", printed, err)
	}
	if suffix == "" { // links need a privilege on Windows
		kubectl := filepath.Join(t.TempDir(), "kubectl")
		if err := os.WriteFile(kubectl, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", filepath.Dir(kubectl))
		for range 2 {
			if code, _, errs := ran(t, "envtest", "--dir", folder); code != program.ExitDone {
				t.Error(errs)
			}
		}
		if linked, err := os.Readlink(filepath.Join(folder, "kubectl")); err != nil || linked != kubectl {
			t.Errorf("kubectl in the folder links to %q (%v), want %q", linked, err, kubectl)
		}
	}
	if code, _, errs := ran(t, "envtest", "--dir", folder, "--kube-version", "1.2"); code != program.ExitUsage || !strings.Contains(errs, "supported versions are 1.30") {
		t.Errorf("an unknown version: code %d, errors %q", code, errs)
	}

	foreign := t.TempDir()
	etcdOfOthers := filepath.Join(foreign, "etcd"+suffix)
	if err := os.WriteFile(etcdOfOthers, []byte("etcd"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs = ran(t, "envtest", "--dir", foreign)
	if data, err := os.ReadFile(etcdOfOthers); code != program.ExitRefused || out != "" || !strings.Contains(errs, etcdOfOthers+" exists and was not installed by patchlab") || string(data) != "etcd" || err != nil {
		t.Errorf("a folder with another etcd: code %d, printed %q, errors %q, etcd has %q (%v)", code, out, errs, data, err)
	}
	if left, err := os.ReadDir(foreign); err != nil || len(left) != 1 {
		t.Errorf("the folder with another etcd has %v: %v", left, err)
	}

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := ran(t, "envtest", "--dir", file); code != program.ExitRefused || out != "" || !strings.Contains(errs, "installing kube-apiserver and etcd: ") || !strings.Contains(errs, file) {
		t.Errorf("a file in place of the folder: code %d, printed %q, errors %q", code, out, errs)
	}
}

// envtest starts the programs without a command, under their names, and asks them for a flag.
func TestProgramsOfEnvtestAreCommands(t *testing.T) {
	if code, out, errs := ran(t, serving.KubeAPIServer, "--version"); code != program.ExitDone || out != "Kubernetes v1.36.0+patchlab\n" || errs != "" {
		t.Errorf("--version: code %d, printed %q, errors %q", code, out, errs)
	}
	for _, name := range []string{serving.KubeAPIServer, serving.EtcdStandIn} {
		for _, file := range []string{filepath.Join("x", name), filepath.Join("x", name+".exe")} {
			code, out, errs := ran(t, called(file, []string{"--help"})...)
			if code != program.ExitDone || !strings.Contains(out, name+" [flags]") || errs != "" {
				t.Errorf("%s --help: code %d, printed %q, errors %q", file, code, out, errs)
			}
			// envtest sets these flags if it finds them in the help.
			for _, absent := range []string{"--insecure-port", "--unsafe-no-fsync"} {
				if strings.Contains(out, absent) {
					t.Errorf("%s has %s", file, absent)
				}
			}
		}
	}
}

func TestEtcdAnswersHealthChecks(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	_ = l.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	code := make(chan int, 1)
	var errs quiet
	app := &program.App{In: strings.NewReader(""), Out: io.Discard, Err: &errs}
	go func() {
		code <- run(ctx, app, []string{serving.EtcdStandIn, "--listen-client-urls=" + address, "--data-dir", t.TempDir(), "--unsafe-no-fsync=true"})
	}()
	for range 1000 {
		resp, err := http.Get(address + "/health")
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		text, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK || !strings.Contains(string(text), `"health":"true"`) {
			t.Errorf("%s %s", resp.Status, text)
		}
		stop()
		if c := <-code; c != program.ExitDone {
			t.Errorf("code %d, errors %q", c, errs.String())
		}
		return
	}
	t.Errorf("it does not answer: %s", errs.String())
}

// envtest's flags have an effect or none, and a user learns which of the others have none.
func TestKubeAPIServerWithItsFlags(t *testing.T) {
	folder := t.TempDir()
	certificate, err := server.SelfSigned(time.Now(), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(folder, "ca.crt")
	if err := os.WriteFile(ca, certificate.PEM, 0o600); err != nil {
		t.Fatal(err)
	}
	given := []string{
		"--cert-dir=" + folder, "--client-ca-file=" + ca, "--etcd-servers=http://127.0.0.1:1", "--service-cluster-ip-range=10.0.0.0/24", "--allow-privileged=true",
		"--disable-admission-plugins=ServiceAccount,NamespaceLifecycle", "--enable-admission-plugins=AlwaysPullImages,Priority,MutatingAdmissionPolicy",
		"--feature-gates=A=true", "--runtime-config", "api/all=true", "--feature-gates=B=true",
	}
	for _, c := range []struct {
		mode, address string
		code          int // of an anonymous request, as kube-apiserver 1.36.3 answers it
	}{{"RBAC", "127.0.0.1", 403}, {"Node,RBAC", "0.0.0.0", 403}, {"AlwaysAllow", "127.0.0.1", 401}, {"AlwaysAllow", "0.0.0.0", 401}} {
		url, errs, stop := startProgram(t, append([]string{serving.KubeAPIServer, "--bind-address=" + c.address, "--secure-port=0", "--authorization-mode=" + c.mode}, given...)...)
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		for path, want := range map[string]int{"/healthz": 200, "/api/v1/pods": c.code} {
			resp, err := client.Get(url + path)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("with %s, GET %s is %s, want %d", c.mode, path, resp.Status, want)
			}
		}
		if code := stop(); code != program.ExitDone {
			t.Errorf("exit code %d", code)
		}
		for _, note := range []string{
			"note: flags that have no effect here: --feature-gates, --runtime-config\n",
			"note: admission plugins that patchlab does not implement: AlwaysPullImages\n",
		} {
			if !strings.Contains(errs.String(), note) {
				t.Errorf("the notes are %q, want %q", errs.String(), note)
			}
		}
	}
}

func TestKubeAPIServerRefuses(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, data []byte) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	certificate, err := server.SelfSigned(time.Now(), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	cert, text := write("cert.pem", certificate.PEM), write("text", []byte("none"))
	key := write("key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("none")}))
	for _, c := range []struct {
		why  string
		args []string
		code int
		want string
	}{
		{"an argument", []string{"x"}, program.ExitUsage, "accepts no arguments"},
		{"an unknown mode", []string{"--authorization-mode=Node,Rbac"}, program.ExitUsage, "--authorization-mode Rbac: expected some of AlwaysAllow"},
		{"a mode that would allow too much", []string{"--authorization-mode=AlwaysDeny"}, program.ExitUsage, "AlwaysDeny: patchlab does not implement this mode"},
		{"an unknown plugin", []string{"--enable-admission-plugins=Priority,Bogus"}, program.ExitUsage, "--enable-admission-plugins Bogus: kube-apiserver has no such admission plugin"},
		{"an unknown disabled plugin", []string{"--disable-admission-plugins=Bogus"}, program.ExitUsage, "--disable-admission-plugins Bogus: kube-apiserver has no such"},
		{"no range", []string{"--service-cluster-ip-range=10.0.0.0"}, program.ExitUsage, "--service-cluster-ip-range 10.0.0.0: expected a range such as 10.96.0.0/16"},
		{"a small range", []string{"--service-cluster-ip-range=10.0.0.0/30"}, program.ExitUsage, "at least eight addresses"},
		{"no file of authorities", []string{"--client-ca-file", filepath.Join(folder, "none")}, program.ExitRefused, "--client-ca-file " + filepath.Join(folder, "none") + ": no such file"},
		{"no authority in the file", []string{"--client-ca-file", text}, program.ExitRefused, "text: the file contains no certificate in PEM"},
		{"a certificate without its key", []string{"--tls-cert-file", cert}, program.ExitUsage, "--tls-cert-file and --tls-private-key-file must be used together"},
		{"a file that is not a key", []string{"--tls-cert-file", cert, "--tls-private-key-file", key}, program.ExitRefused, "with the key " + key},
		{"no certificate where one is named", []string{"--tls-cert-file", filepath.Join(folder, "none"), "--tls-private-key-file", key}, program.ExitRefused, "the server's certificate: "},
	} {
		code, out, errs := ran(t, append([]string{serving.KubeAPIServer, "--secure-port=0"}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.want) || out != "" {
			t.Errorf("%s: code %d, printed %q, errors %q; want %d and %q", c.why, code, out, errs, c.code, c.want)
		}
	}
	if code, _, errs := ran(t, serving.EtcdStandIn, "--listen-client-urls", "127.0.0.1:1"); code != program.ExitUsage || !strings.Contains(errs, "expected one URL") {
		t.Errorf("etcd without a URL: code %d, errors %q", code, errs)
	}
}
