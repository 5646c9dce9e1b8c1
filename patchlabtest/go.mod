module github.com/patchlab-dev/patchlab/patchlabtest

go 1.26

require (
	github.com/patchlab-dev/patchlab v0.0.0
	k8s.io/api v0.36.3
	k8s.io/apimachinery v0.36.3
	k8s.io/client-go v0.36.3
)

replace github.com/patchlab-dev/patchlab => ../
