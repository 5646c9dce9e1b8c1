# The commands of this repository. `make test` is all that CI runs besides lint.

GO ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
# The folders that are Go modules of their own: tests against real clients and
# peers, and the package for users' tests, which imports client-go.
MODULES = . $(patsubst %/go.mod,%,$(wildcard test/go.mod test/*/go.mod patchlabtest/go.mod))

.PHONY: test race lint fmt vet staticcheck build fuzz bench catalog

## test: all tests of all modules
test:
	@set -e; for m in $(MODULES); do echo "== $$m"; (cd $$m && $(GO) test ./...); done

## race: the tests of what runs concurrently, with the race detector
race:
	$(GO) test -race ./store/... ./cluster/... ./server/... ./fieldmanager/... ./patch/... ./schema/...

## lint: formatting, vet and staticcheck
lint: fmt vet staticcheck

fmt:
	@files=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$files" ]; then echo "not formatted (run gofmt -w):"; echo "$$files"; exit 1; fi

vet:
	@set -e; for m in $(MODULES); do (cd $$m && $(GO) vet ./...); done

staticcheck:
	@set -e; for m in $(MODULES); do (cd $$m && $(GO) run $(STATICCHECK) ./...); done

## build: the command, in bin/
build:
	$(GO) build -trimpath -ldflags '-s -w' -o bin/patchlab ./cmd/patchlab

## bench: ours beside the peers in one run
bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

## catalog: the built-in kinds of each Kubernetes version, from the Go module proxy
catalog:
	$(GO) generate ./schema
