# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Targets are described by `make help`. The modules themselves are described by drivers/*/Kbuild.

SHELL := /bin/bash
BUILD ?= $(CURDIR)/build
export BUILD

# One kernel (KERNEL=6.1, KERNEL=6.12 or a full version), or one of each series and the running one.
KERNELS = $(if $(KERNEL),$(KERNEL),$(shell . scripts/lib.sh && buildable_kernels))
# ROOT is what scripts/root.sh makes: trixie, trixie-arm64 ...
IN_ROOT = $(if $(ROOT),scripts/in-root.sh $(ROOT))
BUILD_OF = $(BUILD)$(if $(ROOT),/$(ROOT))
# The provider is for the libibverbs that is installed, for the one below the root VERBS, or for that of
# ROOT, in which it is built then.
PROVIDER_DIR ?= $(BUILD_OF)/provider
VM := tests/vm/run.sh $(if $(KERNEL),--kernel $(KERNEL))

all: modules provider

modules:
	@kernels="$(KERNELS)"; [ -n "$$kernels" ] || \
		{ . scripts/lib.sh; scripts/build-modules.sh "$${SERIES[0]}"; exit 2; }; \
	for kernel in $$kernels; do \
		echo "== modules for $$kernel"; \
		scripts/build-modules.sh $$kernel || exit 1; \
	done

provider:
	@echo "== provider$(if $(ROOT), for Debian $(ROOT))"
	@$(IN_ROOT) $(MAKE) --no-print-directory -C providers/svt \
		BUILD=$(abspath $(PROVIDER_DIR)) VERBS=$(abspath $(VERBS))

tools:
	@echo "== test programs$(if $(ROOT), for Debian $(ROOT))"
	@$(IN_ROOT) $(MAKE) --no-print-directory -C tests/tools BUILD=$(BUILD_OF)/tools
	@$(if $(ROOT),:,$(MAKE) --no-print-directory -C providers/svt/tests \
		BUILD=$(BUILD)/provider/tests $(BUILD)/provider/tests/device-test)

install uninstall:
	@scripts/install.sh $@ $(KERNELS)

deb rpm:
	@$(IN_ROOT) env BUILD=$(BUILD_OF) scripts/package.sh $@

deps:
	@scripts/install-deps.sh check

check:
	@tests/check.sh $(if $(T),--only '$(value T)')

check-full:
	@tests/check.sh --full $(if $(T),--only '$(value T)')

check-kcsan:
	@tests/check.sh --kcsan $(if $(T),--only '$(value T)')

cases: provider tools
	@$(MAKE) --no-print-directory modules KERNEL=um
	@tests/check.sh --list $(if $(T),--only '$(value T)')
	@tests/check.sh --full --list $(if $(T),--only '$(value T)')
	@tests/check.sh --kcsan --list $(if $(T),--only '$(value T)')

demo:
	@tests/demo.sh

matrix:
	@python3 tests/matrix.py $(BUILD)/matrix

coverage:
	@scripts/coverage.sh

docs:
	@scripts/docs.sh

bench:
	@tests/bench.sh $(if $(T),--only '$(value T)') $(KERNEL)

bench-copy:
	@$(MAKE) -s -C tests/bench BUILD=$(BUILD)/bench
	@$(BUILD)/bench/copy

bench-host:
	@tests/bench-host.sh $(ARGS)

vm: all
	@$(VM) --shell

clean:
	rm -rf $(BUILD)

help:
	@echo "make               modules for each supported kernel with headers here; the provider"
	@echo "make KERNEL=6.1    the same for one kernel: 6.1, 6.12 or a full version"
	@echo "make modules       only the modules, in build/VERSION/drivers"
	@echo "make provider      only the libibverbs provider, in build/provider"
	@echo "make provider ROOT=trixie   the same in a root of that Debian suite, which is made; or sid"
	@echo "make provider VERBS=ROOT PROVIDER_DIR=DIR   the same for the libibverbs below ROOT, in DIR"
	@echo "make tools         only the programs that the tests use, in build/tools"
	@echo "make demo          see it work: pingpong and perftest between two namespaces in a VM"
	@echo "make check         everything that must pass before a commit; T=PATTERN runs a part"
	@echo "make check-full    the long tests, all on each kernel, and with KASAN and lockdep"
	@echo "make check-kcsan   the tests in a kernel that looks for data races"
	@echo "make cases         what these would run: case, kernel and stage; T=PATTERN"
	@echo "make matrix        kernels and libraries of the last run of each stage, and what came of it"
	@echo "make coverage      which lines of the modules the tests run, in a table"
	@echo "make docs          the pages of Documentation as HTML, in build/docs"
	@echo "make bench         svt, rxe and TCP in one VM, with instructions as time: a table"
	@echo "make bench-copy    what a copy costs on this processor, with the ICRC and without"
	@echo "make bench-host    the same programs between two machines; ARGS=--help"
	@echo "make vm            a shell in a VM with the modules loaded; KERNEL=6.12 or 6.1"
	@echo "make deps          install the Debian packages that all of this needs"
	@echo "make install       modules with depmod, the provider and svt@.service, here (or below DESTDIR)"
	@echo "make uninstall     the reverse"
	@echo "make deb           packages for this Debian, in build/deb: svt-dkms, ibverbs-provider-svt; ROOT=trixie"
	@echo "make rpm           the same two as RPM packages, in build/rpm"
	@echo "make clean         remove build/"
	@echo "SVT_TIME_SCALE=3   in the environment stretches every time limit of the tests"

.PHONY: all modules provider tools install uninstall deb rpm deps check check-full check-kcsan cases matrix \
	coverage docs bench bench-copy bench-host demo vm clean help
