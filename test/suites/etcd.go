package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"
)

// startEtcd runs an etcd with empty storage and returns its URL.
func startEtcd(program string) (url string, stop func(), err error) {
	data, err := os.MkdirTemp("", "suites-etcd")
	if err != nil {
		return "", nil, err
	}
	stop = func() { _ = os.RemoveAll(data) }
	defer func() {
		if err != nil {
			stop()
		}
	}()
	urls, err := freeURLs()
	if err != nil {
		return "", stop, err
	}
	c := exec.Command(program, "--data-dir", data, "--unsafe-no-fsync", "--log-level", "error",
		"--listen-client-urls", urls[0], "--advertise-client-urls", urls[0],
		"--listen-peer-urls", urls[1], "--initial-advertise-peer-urls", urls[1], "--initial-cluster", "default="+urls[1])
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		return "", stop, err
	}
	stop = func() { _ = c.Process.Kill(); _ = c.Wait(); _ = os.RemoveAll(data) }
	return urls[0], stop, healthy(urls[0])
}

// freeURLs returns URLs with free ports, which are open until all are found, so that they differ.
func freeURLs() (urls [2]string, err error) {
	for i := range urls {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return urls, err
		}
		defer l.Close()
		urls[i] = "http://" + l.Addr().String()
	}
	return urls, nil
}

// healthy waits until an etcd is ready.
func healthy(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/health", nil)
		if err != nil {
			return err
		}
		if answer, err := http.DefaultClient.Do(r); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("etcd at %s is not healthy after 30 s", url)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
