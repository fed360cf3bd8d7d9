# ccbench: make demo and make test do everything on a fresh Debian machine with Go.

GO      ?= go
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
export CGO_ENABLED = 0
# iptables and ip live in /usr/sbin, which an ordinary user may not have.
export PATH := $(PATH):/usr/sbin:/sbin

ROOT := $(shell [ "$$(id -u)" = 0 ] && echo yes)
SUDO := $(if $(ROOT),,sudo)
# Tests of namespaces need root; the test binaries alone get it, not the compiler.
EXEC := $(if $(ROOT),,-exec 'sudo -E env PATH=$(PATH)')

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/ccbench, static
	$(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/ccbench ./cmd/ccbench

.PHONY: demo
demo: iptables build ## install what is missing, build, run experiments/loss1pct.yaml (under 2 minutes)
	bin/ccbench run experiments/loss1pct.yaml

.PHONY: test
test: iptables iproute2 mandoc check ## install what the tests need, check and test everything, as root where it must be
	$(GO) test -p 1 $(EXEC) ./...

.PHONY: check
check: ## gofmt, vet, staticcheck, builds for other systems
	@files=$$(gofmt -l cmd experiments internal); [ -z "$$files" ] || { echo "gofmt would change: $$files"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	GOOS=freebsd $(GO) vet ./...
	GOOS=darwin $(GO) vet ./...
	$(GO) vet -tags man ./cmd/ccbench
	GOOS=freebsd $(GO) build -o /dev/null ./cmd/ccbench
	GOOS=darwin $(GO) build -o /dev/null ./cmd/ccbench

.PHONY: bench
bench: iptables ## measure ccbench itself: what a trial takes beside its duration
	$(GO) test -p 1 -run '^$$' -bench TrialOverhead -benchtime 20x $(EXEC) ./internal/testbed

.PHONY: fuzz
fuzz: ## fuzz each reader for a fixed number of inputs
	$(GO) test -run '^$$' -fuzz FuzzRead -fuzztime 20000x ./internal/agent/wire
	$(GO) test -run '^$$' -fuzz FuzzLoad -fuzztime 20000x ./internal/experiment
	$(GO) test -run '^$$' -fuzz FuzzOverride -fuzztime 20000x ./internal/experiment
	$(GO) test -run '^$$' -fuzz FuzzReader -fuzztime 20000x ./internal/result

.PHONY: docs
docs: ## make the blocks of README and docs/ anew that a command makes
	$(GO) test ./cmd/ccbench -run TestDocumentsAreMadeByCommands -update

# The manual's date is the commit's, so that the same source gives the same pages.
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)

.PHONY: man
man: ## write the manual pages to build/man
	@mkdir -p build/man
	SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) $(GO) run -tags man -ldflags '-X main.version=$(VERSION)' ./cmd/ccbench man build/man

# Each script has the name under which its shell looks for it.
.PHONY: completions
completions: build ## write completion scripts to build/completions
	@mkdir -p build/completions
	bin/ccbench completion bash >build/completions/ccbench
	bin/ccbench completion zsh >build/completions/_ccbench
	bin/ccbench completion fish >build/completions/ccbench.fish

PREFIX ?= /usr/local
SHARE = $(DESTDIR)$(PREFIX)/share

.PHONY: install
install: build man completions ## install program, manual and completions under DESTDIR and PREFIX (/usr/local)
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/bin bin/ccbench
	install -D -m 644 -t $(SHARE)/man/man1 build/man/*.1
	install -D -m 644 -t $(SHARE)/bash-completion/completions build/completions/ccbench
	install -D -m 644 -t $(SHARE)/zsh/site-functions build/completions/_ccbench
	install -D -m 644 -t $(SHARE)/fish/vendor_completions.d build/completions/ccbench.fish

.PHONY: clean
clean: ## remove what was built; results stay
	rm -rf bin build

# Programs that a fresh Debian may lack, each installed only when it is missing.
.PHONY: iptables iproute2 mandoc
iptables:
	@command -v iptables >/dev/null || $(MAKE) --no-print-directory debian-package PACKAGE=iptables
iproute2:
	@command -v ip >/dev/null || $(MAKE) --no-print-directory debian-package PACKAGE=iproute2
mandoc:
	@command -v mandoc >/dev/null || $(MAKE) --no-print-directory debian-package PACKAGE=mandoc

.PHONY: debian-package
debian-package:
	$(SUDO) apt-get update -qq
	$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(PACKAGE)
