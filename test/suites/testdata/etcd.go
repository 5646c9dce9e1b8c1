package framework

// This file takes the place of test/integration/framework/etcd.go of Kubernetes: the
// servers under test keep their objects themselves.

import (
	"os"
	"testing"

	"k8s.io/klog/v2"
)

func RunCustomEtcd(klog.Logger, string, []string) (url string, stopFn func(), err error) {
	return "", func() {}, nil
}

func EtcdMain(tests func() int) { os.Exit(tests()) }

func GetEtcdURL() string { return "http://127.0.0.1:1" }

func StartEtcd(klog.Logger, testing.TB, bool) {}
