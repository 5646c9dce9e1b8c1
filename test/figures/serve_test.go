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
	"time"
)

// BenchmarkServe measures the start of 'patchlab serve', with and without admission,
// empty or with 1,000 Deployments, and its memory once ready (on Linux). It reports the
// CPU time of the whole process, including shutdown, because other programs affect it
// less than elapsed time.
func BenchmarkServe(b *testing.B) {
	objects := filepath.Join(b.TempDir(), "objects.yaml")
	if err := os.WriteFile(objects, deployments(1000), 0o644); err != nil {
		b.Fatal(err)
	}
	for _, program := range []struct{ name, module, path string }{
		{"patchlab", "../..", "./cmd/patchlab"},
		{"patchlab-admission", "../../admission", "./cmd/patchlab-admission"},
	} {
		command := filepath.Join(b.TempDir(), program.name)
		build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", command, program.path)
		build.Dir = program.module
		if msg, err := build.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, msg)
		}
		for name, args := range map[string][]string{"empty": nil, "deployments": {"--load", objects}} {
			b.Run(program.name+"/"+name, func(b *testing.B) {
				var resident int
				var used time.Duration
				for b.Loop() {
					var once time.Duration
					resident, once = serve(b, command, args...)
					used += once
				}
				b.ReportMetric(float64(resident)/1024, "MiB-resident")
				b.ReportMetric(float64(used.Microseconds())/1000/float64(b.N), "processor-ms")
			})
		}
	}
}

// serve runs the command until it is ready, and returns its resident memory in KiB and
// its CPU time.
func serve(b *testing.B, command string, args ...string) (int, time.Duration) {
	cmd := exec.Command(command, append([]string{"serve", "--listen", "127.0.0.1:0", "--admission=" + strconv.FormatBool(strings.Contains(b.Name(), "admission"))}, args...)...)
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
	return resident, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

func residentMemory(b *testing.B, pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("this system does not report a process's memory: ", err)
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
