module github.com/patchlab-dev/patchlab

go 1.26
