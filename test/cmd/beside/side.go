package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// side is a server to measure.
type side struct {
	name, url, token string
	// processes are the IDs of the server's processes, whose CPU time and memory are
	// measured.
	processes []int
	end       func()
}

// build builds the main package in dir, relative to the folder test, as a release does, and
// returns the program's file and a function that removes it.
func build(ctx context.Context, dir string) (file string, remove func(), err error) {
	folder, err := os.MkdirTemp("", "beside")
	if err != nil {
		return "", nil, err
	}
	file = filepath.Join(folder, filepath.Base(dir))
	c := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", file, ".")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		os.RemoveAll(folder)
		return "", nil, fmt.Errorf("building %s: %w\n%s", dir, err, out)
	}
	return file, func() { os.RemoveAll(folder) }, nil
}

// startPatchlab starts patchlab serve and waits until it is ready.
func startPatchlab(program, name string, flags ...string) (*side, error) {
	c := exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...)...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	end := func() { _ = c.Process.Signal(os.Interrupt); _ = c.Wait() }
	line, err := bufio.NewReader(out).ReadString('\n')
	url, found := strings.CutPrefix(strings.TrimSpace(line), "serving on ")
	if !found {
		end()
		return nil, fmt.Errorf("%s serve printed %q in place of its address, see its errors above (%v)", program, line, err)
	}
	return &side{name: name, url: url, processes: []int{c.Process.Pid}, end: end}, nil
}

// config returns a client configuration that does not share connections with others.
func (s *side) config(protobuf bool) *rest.Config {
	c := &rest.Config{Host: s.url, BearerToken: s.token, QPS: -1, UserAgent: "beside/1"}
	c.Dial = (&net.Dialer{}).DialContext // without its own Dial, client-go shares connections between configurations
	if strings.HasPrefix(s.url, "https:") {
		c.Insecure = true
	}
	c.ContentType, c.AcceptContentTypes = "application/json", "application/json"
	if protobuf {
		c.ContentType = "application/vnd.kubernetes.protobuf"
		c.AcceptContentTypes = c.ContentType + ",application/json"
	}
	return c
}

func (s *side) client(protobuf bool) (*kubernetes.Clientset, error) {
	return kubernetes.NewForConfig(s.config(protobuf))
}

// namespace creates a namespace and returns its name.
func (s *side) namespace(ctx context.Context) (string, error) {
	c, err := s.client(false)
	if err != nil {
		return "", err
	}
	n, err := c.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "beside-"}}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("%s: creating a namespace: %w", s.name, err)
	}
	return n.Name, nil
}

// empty deletes the command's objects in a namespace.
func (s *side) empty(ctx context.Context, namespace string) error {
	c, err := s.client(false)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	return s.deleted(namespace, errors.Join(
		c.AppsV1().Deployments(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}),
		c.CoreV1().ConfigMaps(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}),
	))
}

// remove deletes the command's objects in a namespace, and the namespace.
func (s *side) remove(ctx context.Context, namespace string) error {
	if err := s.empty(ctx, namespace); err != nil {
		return err
	}
	c, err := s.client(false)
	if err != nil {
		return err
	}
	return s.deleted(namespace, c.CoreV1().Namespaces().Delete(context.WithoutCancel(ctx), namespace, metav1.DeleteOptions{}))
}

func (s *side) deleted(namespace string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: deleting what was created in namespace %s: %w", s.name, namespace, err)
	}
	return nil
}

// processorTime returns the user and system CPU time of the server's processes.
func (s *side) processorTime() time.Duration {
	var ticks int64
	for _, id := range s.processes {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
		if err != nil {
			continue
		}
		// The name of the program, in parentheses, may contain spaces. utime and stime are
		// fields 14 and 15, in hundredths of a second (proc(5)).
		_, rest, _ := bytes.Cut(stat, []byte(") "))
		fields := bytes.Fields(rest)
		for _, f := range fields[11:13] {
			n, _ := strconv.ParseInt(string(f), 10, 64)
			ticks += n
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// memory returns the resident memory of the server's processes in MiB. field is VmRSS
// for the current value or VmHWM for the peak.
func (s *side) memory(field string) int {
	kib := 0
	for _, id := range s.processes {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", id))
		if err != nil {
			continue
		}
		if _, after, found := bytes.Cut(status, []byte(field+":")); found {
			n, _ := strconv.Atoi(string(bytes.Fields(after)[0]))
			kib += n
		}
	}
	return kib / 1024
}
