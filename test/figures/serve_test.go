package figures

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkServe is the command `patchlab serve` with 1,000 Deployments, until
// it serves, and what it then holds in memory (Linux tells).
func BenchmarkServe(b *testing.B) {
	command := filepath.Join(b.TempDir(), "patchlab")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", command, "./cmd/patchlab")
	build.Dir = "../.."
	if msg, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, msg)
	}
	objects := filepath.Join(b.TempDir(), "objects.yaml")
	if err := os.WriteFile(objects, deployments(1000), 0o644); err != nil {
		b.Fatal(err)
	}
	resident := 0
	for b.Loop() {
		resident = serve(b, command, objects)
	}
	b.ReportMetric(float64(resident)/1024, "MiB-resident")
}

// serve runs the command until it is ready and gives its resident memory in KiB.
func serve(b *testing.B, command, objects string) int {
	cmd := exec.Command(command, "serve", "--listen", "127.0.0.1:0", "--load", objects)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "serving on ") {
		b.Fatalf("the first line is %q, %v", line, err)
	}
	resident := residentMemory(b, cmd.Process.Pid)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return resident
}

func residentMemory(b *testing.B, pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("this system does not tell a process's memory: ", err)
	}
	_, after, _ := bytes.Cut(status, []byte("VmRSS:"))
	kib, err := strconv.Atoi(string(bytes.Fields(after)[0]))
	if err != nil {
		b.Fatal(err)
	}
	return kib
}

func deployments(n int) []byte {
	var out bytes.Buffer
	for i := range n {
		fmt.Fprintf(&out, `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web-%d, namespace: default, labels: {app: web-%d}}
spec:
  replicas: 3
  selector: {matchLabels: {app: web-%d}}
  template:
    metadata: {labels: {app: web-%d}}
    spec:
      containers:
      - {name: web, image: "web:1", ports: [{containerPort: 80}], env: [{name: LEVEL, value: info}]}
      - {name: side, image: "side:1"}
`, i, i, i, i)
	}
	return out.Bytes()
}
