# The commands of this repository. .ci/run lists those that have to pass before a change lands.

GO ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
# The folders that are Go modules, each with the dependencies of its own packages or tests.
MODULES = . $(patsubst %/go.mod,%,$(wildcard test/go.mod test/*/go.mod patchlabtest/go.mod admission/go.mod examples/go.mod store/etcd/go.mod retry/go.mod cmd/*/go.mod))

.PHONY: notice test test-32bit verify prove test-go test-web web race lint fmt vet staticcheck build fuzz bench bench-web suites wasm-size catalog release

## test: all tests of all modules, and of the page in Chromium
test: test-go test-web

# Without a limit of time: with empty caches, the tests that build kubectl and other
# commands take longer on a busy machine than the ten minutes that go test allows.
# Without go test's part of vet, which would analyse all dependencies a second time: lint
# runs all of vet.
test-go:
	@set -e; for m in $(MODULES); do echo "== $$m"; began=$$(date +%s); (cd $$m && $(GO) test -vet=off -timeout 0 ./...); echo "== $$m took $$(($$(date +%s) - began)) s"; done

## race: the tests of what runs concurrently, with the race detector and a tenth of the
## recorded and generated cases; test runs all of them
race:
	$(GO) test -vet=off -race -short ./store/... ./cluster/... ./server/... ./controllers/... ./plugins/... ./rbac/... ./fieldmanager/... ./patch/... ./schema/...

## test-32bit: the shorter tests of the engines as 32-bit x86 programs, whose int has 32 bits, on
## machines that run such programs
test-32bit:
	@GOARCH=386 $(GO) test -vet=off -c -o /dev/null ./internal/engine/names # what does not compile fails, what cannot be run is skipped
	@if GOARCH=386 $(GO) test -vet=off -run xxx ./internal/engine/names > /dev/null 2>&1; then \
		GOARCH=386 $(GO) test -vet=off -short ./document/... ./patch/... ./fieldmanager/... ./schema/... ./kinds/... ./cluster/... ./internal/engine/...; \
	else echo "this machine runs no 32-bit programs"; fi

## verify: the engines against the reference engine, in 20,000 random cases
verify: VERIFY ?= --random 20000
verify:
	$(GO) run ./cmd/patchlab-reference verify $(VERIFY)

## prove: a million random cases against the reference engine and as many requests
## against apimachinery's field manager, from the seed PROVESEED on; takes a while
PROVESEED ?= 1000000000
PROVECASES ?= 1000000
prove:
	$(GO) run ./cmd/patchlab-reference verify --random $(PROVECASES) --seed $(PROVESEED) --progress
	cd test && $(GO) test ./managedfields -run TestAgreesWithApimachinery -count 1 -timeout 0 -v -args -cases $(PROVECASES) -seed $(PROVESEED) -progress

## fuzz: every fuzz target for FUZZTIME, one after the other, with the number of inputs of each
FUZZTIME ?= 2m
fuzz:
	sh test/fuzz.sh $(FUZZTIME) $(FUZZ)

## lint: formatting, vet and staticcheck
lint: fmt vet staticcheck

fmt:
	@files=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$files" ]; then echo "not formatted (run gofmt -w):"; echo "$$files"; exit 1; fi

vet:
	@set -e; for m in $(MODULES); do (cd $$m && $(GO) vet ./...); done
	GOOS=windows $(GO) vet ./...

staticcheck:
	@set -e; for m in $(MODULES); do (cd $$m && $(GO) run $(STATICCHECK) ./...); done

## build: all commands, in bin/, with the page of the playground where Node.js is installed
build:
	@if sh web/scripts/need.sh build; then $(MAKE) web; else echo "building without it: patchlab playground will have no page"; fi
	$(GO) build -trimpath -ldflags '-s -w' -o bin/ ./cmd/...
	cd cmd/patchlab-etcd && $(GO) build -trimpath -ldflags '-s -w' -o ../../bin/ .
	cd admission && $(GO) build -trimpath -ldflags '-s -w' -o ../bin/ ./cmd/patchlab-admission

## bench: the speed of patchlab and of other libraries in one run, into doc/performance.md
bench:
	cd test && $(GO) run ./cmd/bench

## suites: the test suites of Kubernetes, controller-runtime and flux against patchlab
## serve, or with ARGS='-url URL -token TOKEN' against another API server (doc/suites.md)
suites:
	$(GO) build -trimpath -o bin/ ./cmd/patchlab
	cd cmd/patchlab-etcd && $(GO) build -trimpath -o ../../bin/ .
	cd admission && $(GO) build -trimpath -o ../bin/ ./cmd/patchlab-admission
	cd test && $(GO) run ./suites -command ../bin/patchlab $(ARGS)

## wasm-size: the size of the engines in a page, and what an apply allocates there (needs Node.js)
wasm-size:
	sh wasm/engines/size.sh

## catalog: the built-in kinds of each Kubernetes version and their OpenAPI schemas, from the
## Go module proxy
catalog:
	$(GO) generate ./schema

## notice: the file NOTICE, with the licences of what the commands and the page contain
notice: web/node_modules
	cd test && $(GO) run ./cmd/notice

## release: the go.mod files of the published modules at VERSION, to be committed and
## tagged (doc/versions.md)
release:
	cd test && $(GO) run ./cmd/release -version $(VERSION) -write

## web: the playground's page, in web/dist for any static host and for the command, and
## the npm package of the engine, in web/packages/engine
web: web/node_modules
	sh web/scripts/engine.sh
	cd web && npm run --silent build

web/node_modules: web/package-lock.json
	sh web/scripts/need.sh build
	cd web && npm ci --no-audit --no-fund && touch node_modules

## bench-web: how long the page takes in Chromium, for an idle machine (doc/playground.md)
bench-web: web
	sh web/scripts/need.sh test
	cd web && npm run --silent bench

## test-web: the page in Chromium, its formatting, size and work, the npm package, and the engines
## in WebAssembly
test-web: web wasm-size
	sh web/scripts/need.sh test
	cd web && npm run --silent check && npm run --silent size && npm test --silent
	sh web/scripts/wasm-test.sh
