# The front door; CMake does the work. `make help` lists the targets.
#
# CC=mpicc.mpich make        builds for MPICH (default: Open MPI)
# make BUILD=dir             another build tree
# make CMAKE_ARGS=-DPARIO_WITH_HDF5=OFF

BUILD ?= build
PREFIX ?= /usr/local
CMAKE ?= cmake
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_ARGS ?=
SCRATCH ?= pario-scratch
MAKEFLAGS += --no-print-directory

# make's own default for CC is no choice of the user's
ifeq ($(origin CC),default)
unexport CC
choice_cc :=
else
export CC
choice_cc := $(CC)
endif
choice := CC=$(choice_cc) OMPI_CC=$(OMPI_CC) MPICH_CC=$(MPICH_CC) CFLAGS=$(CFLAGS) \
	LDFLAGS=$(LDFLAGS) CMAKE_ARGS=$(CMAKE_ARGS)
export choice CFLAGS LDFLAGS

# Under `make -j` the jobs are shared with the outer make.
parallel = $(if $(findstring jobserver,$(MAKEFLAGS)),,--parallel $(JOBS))

.PHONY: all help deps build configure glance test check corpus fuzz reliability cluster-check real-programs bench install dist packages docs pictures format clean distclean

all: build

help:
	@echo 'make            build $(BUILD)/pario'
	@echo 'make deps       install what the build needs (Debian; the list is packaging/debian-packages)'
	@echo 'make glance     install what is missing, build, and measure this machine in ./$(SCRATCH)'
	@echo 'make test       build once and run the quick tests; installs nothing'
	@echo 'make check      install what the tests need, and run them all (ONLY="name ..." for some)'
	@echo 'make corpus     import every result below CORPUS=DIR, and check the numbers'
	@echo 'make fuzz       10^7 inputs for each fuzzer; hours, goes on where it stopped (FUZZ_SECONDS for each)'
	@echo 'make reliability  the tests of faults and attacks, every failing call (hours; ARGS="--seconds 3600"), and their tables in docs/reliability.md'
	@echo 'make cluster-check  every test on three nodes made of namespaces, and the tables in docs/cluster.md (root)'
	@echo 'make real-programs  programs of others with and without the tracer, and their table in docs/trace.md (NAMES="nco rsync" for some)'
	@echo 'make bench      pario against raw loops and fio'
	@echo 'make install    to PREFIX=$(PREFIX), below DESTDIR when set'
	@echo 'make dist       the sources of the last commit as $(BUILD)/packages/pario-VERSION.tar.gz'
	@echo 'make packages   Debian and RPM packages from that, built and linted (PACKAGES="deb" for one kind)'
	@echo 'make docs       write the man pages anew'
	@echo 'make pictures   make the pictures of the documents anew (needs Chromium)'
	@echo 'make format     clang-format on all C files'
	@echo 'make clean      remove the build tree; distclean also scratch data (results stay)'
	@echo 'CC=mpicc.mpich make builds for MPICH; BUILD=dir chooses another build tree.'

deps:
	@packaging/install-deps build optional

# A tree configured with another compiler is configured anew: CMake would silently keep the old one.
configure:
	@command -v $(CMAKE) >/dev/null || \
		{ echo "cmake is not here: \`make deps\` installs what the build needs."; exit 1; }
	@mkdir -p '$(BUILD)'
	@if [ -f '$(BUILD)/Makefile' ] && \
		[ "$$choice" = "$$(cat '$(BUILD)/.choice' 2>/dev/null)" ]; then exit 0; fi; \
	rm -rf '$(BUILD)/CMakeCache.txt' '$(BUILD)/CMakeFiles' '$(BUILD)/.choice' && \
	$(CMAKE) -S . -B '$(BUILD)' -G 'Unix Makefiles' $(CMAKE_ARGS) && \
	printf '%s\n' "$$choice" >'$(BUILD)/.choice'

build: configure
	+@$(CMAKE) --build '$(BUILD)' $(parallel)

glance: deps
	+@$(MAKE) build
	@mkdir -p '$(SCRATCH)'
	'$(BUILD)/pario' glance '$(SCRATCH)' $(ARGS)

test:
	@CHECK_DIR='$(BUILD)/check' test/run --quick $(ONLY)

check:
	@packaging/install-deps build optional test
	@test/browser/node/install '$(BUILD)/check/node'
	@CHECK_DIR='$(BUILD)/check' test/run $(ONLY)

corpus: build
	@[ -n '$(CORPUS)' ] || { echo 'make corpus CORPUS=DIR: which directory holds the results?'; exit 2; }
	@test/corpus.py '$(BUILD)/pario' '$(CORPUS)' $(ARGS)

# Each harness has two hours at a time; runs add up from one call to the next.
fuzz: build
	@packaging/install-deps build optional test
	@mkdir -p '$(BUILD)/check'
	@CHECK_DIR="$$(cd '$(BUILD)/check' && pwd)" PARIO='$(abspath $(BUILD))/pario' \
		FUZZ_RUNS=$${FUZZ_RUNS:-10000000} FUZZ_SECONDS=$${FUZZ_SECONDS:-7200} test/gates/fuzz.sh

reliability:
	@rm -f '$(BUILD)'/check/hostile-*.log '$(BUILD)'/check/fault-*.log
	@CHECK_DIR='$(BUILD)/check' CHECK_TORTURE=full test/run build/openmpi build/mpich hostile fault || true
	@CHECK_DIR="$$(cd '$(BUILD)/check' && pwd)" test/step sweep sweep $(ARGS) || true
	@test/reliability.py '$(BUILD)/check' docs/reliability.md

# Programs of both MPIs, as the check builds them; ONLY="slurm faults" for some parts.
cluster-check:
	@packaging/install-deps build optional test cluster
	@CHECK_DIR='$(BUILD)/check' test/run build/openmpi build/mpich
	@CHECK_DIR='$(BUILD)/check' PARIO='$(BUILD)/check/openmpi/pario' PARIO_MPICH='$(BUILD)/check/mpich/pario' \
		PYTHONDONTWRITEBYTECODE=1 test/cluster/check $(ONLY)

real-programs:
	@packaging/install-deps build optional test real
	+@$(MAKE) build
	+@$(MAKE) CC=mpicc.mpich BUILD='$(BUILD)/mpich' build
	@test/real/programs.py '$(BUILD)/pario' $(NAMES) --mpich '$(BUILD)/mpich/pario' --into docs/trace.md

bench:
	@packaging/install-deps build optional bench
	+@$(MAKE) build
	+@$(CMAKE) --build '$(BUILD)' $(parallel) --target bench_programs
	BUILD='$(BUILD)' bench/run $(ARGS)

install: build
	DESTDIR='$(DESTDIR)' $(CMAKE) --install '$(BUILD)' --prefix '$(PREFIX)'

# The same commit gives the same bytes.
dist:
	@mkdir -p '$(BUILD)/packages'
	@version=$$(sed -n 's/^project(pario VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt) && \
	git archive --format=tar --prefix="pario-$$version/" HEAD | gzip -n9 >'$(BUILD)/packages/'"pario-$$version.tar.gz" && \
	echo '$(BUILD)/packages/'"pario-$$version.tar.gz"

packages: dist
	@packaging/install-deps build optional test packages
	@packaging/packages '$(BUILD)/packages' $(PACKAGES)

docs: build
	@mkdir -p docs/man
	@$(CMAKE) --build '$(BUILD)' --target docs

# Of pages made from fixed journals, by Chromium.
pictures: build
	@/usr/bin/python3 tools/pictures.py '$(BUILD)/pario'

format:
	@find src test bench -name '*.[ch]' -exec clang-format -i {} +

clean:
	rm -rf '$(BUILD)'

distclean: clean
	rm -rf '$(SCRATCH)'
