module github.com/patchlab-dev/patchlab

go 1.26

require (
	github.com/tidwall/btree v1.8.2
	go.yaml.in/yaml/v3 v3.0.6
	sigs.k8s.io/yaml v1.6.0
)

require go.yaml.in/yaml/v2 v2.4.2 // indirect
