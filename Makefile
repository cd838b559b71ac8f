# Everything here installs what it needs first: on a fresh Debian 12 or Ubuntu with a Swift
# toolchain, `make demo` and `make test` are all there is to do.

SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
PACKAGES := python3 pkg-config libegl-dev libgles-dev libgbm-dev libcairo2-dev libpangocairo-1.0-0 \
  libpng-dev libturbojpeg0-dev libwebp-dev liblcms2-dev libavformat-dev libavcodec-dev \
  libavutil-dev libswscale-dev libgl1-mesa-dri libegl-mesa0 \
  fonts-dejavu-core \
  ffmpeg
# Installs the packages in $missing with one line. What apt says is shown if it fails.
INSTALL := [ -z "$$missing" ] || { \
	  echo "Installing $$(echo $$missing | wc -w) packages:$$missing"; log=$$(mktemp); \
	  { $(SUDO) apt-get update -qq && $(SUDO) env DEBIAN_FRONTEND=noninteractive \
	    apt-get install -y -qq --no-install-recommends $$missing; } >$$log 2>&1; \
	  status=$$?; [ $$status = 0 ] || cat $$log >&2; rm -f $$log; exit $$status; }
# This package's own builds have the render process as a product; see Package.swift.
export LAMINA_WITHOUT_PLUGIN := 1
# Imports that a target's dependencies in Package.swift do not cover are errors.
BUILD := swift build --explicit-target-dependency-import-check error
# Release builds hold Swift's runtime, so that they run where no Swift is, and start in less time.
RELEASE := $(BUILD) -c release --static-swift-stdlib
LAMINA := .build/release/lamina

.PHONY: deps build release install uninstall deb demo manual docs test test-install test-package \
  test-mistakes test-asan test-tsan test-cpu \
  test-gbm test-slurm test-failures test-seeds coverage fuzz soak-program soak hostile test-browser \
  lint format clean

deps:
	@missing=; for p in $(PACKAGES) $(MORE_PACKAGES); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; \
	done; \
	$(INSTALL)

build: deps
	$(BUILD)

release: deps
	$(RELEASE) --product lamina
	$(RELEASE) --product lamina-render-server

# What .packaging/install does with a release build.
PREFIX := /usr/local
install: MORE_PACKAGES := binutils
install: release
	PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' .packaging/install

uninstall:
	PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' .packaging/uninstall

# A package for this Debian, .build/deb/lamina_VERSION_ARCHITECTURE.deb.
deb: MORE_PACKAGES := binutils dpkg-dev lintian
deb: release
	.packaging/make-deb .build/deb

# The package in a bare Debian 12, as root: installed, run in an empty environment, removed. A minute.
test-install: MORE_PACKAGES := binutils dpkg-dev lintian debootstrap
test-install: release
	.packaging/test-install

# A document of our own as a film and as a picture of one moment of it.
demo: release
	$(LAMINA) render Tests/Demo/demo.ca --from 0 --to 6 --fps 30 -o demo.mp4
	$(LAMINA) render Tests/Demo/demo.ca --at 4.1 --background black -o demo.png
	@ls -l demo.mp4 demo.png

# The manual's page of commands, of the tool's own table.
manual: deps
	$(BUILD) --product lamina
	.build/debug/lamina help --as markdown > Sources/Lamina/Lamina.docc/CommandLine.md

# The manual, offline. Fails for a public symbol without a comment and for a link to nothing.
docs: deps
	$(BUILD)
	.ci/documentation

# The tests complete lines in these shells.
test test-asan test-tsan coverage: MORE_PACKAGES := zsh fish
test: deps
	$(BUILD) --build-tests
	.ci/swift-test --skip-build --parallel
	$(MAKE) test-package
	$(MAKE) test-mistakes

# A package that depends on this one, as a copy, since its tests record snapshots. One program must
# find the render process that SwiftPM built beside it, hold nothing of that process's modules, and
# fail where it is not to be had; the other overrides all that is open.
CONSUMER := .build/consumer-package
test-package: deps
	.ci/open-members overrides Tests/Consumer/Overrides/Overrides.swift
	$(BUILD) --product lamina
	rm -rf $(CONSUMER) && cp -rp Tests/Consumer $(CONSUMER)
	env -u LAMINA_WITHOUT_PLUGIN swift build --build-tests --package-path $(CONSUMER) \
	  --scratch-path .build/consumer -debug-info-format none
	cd / && "$(CURDIR)/.build/consumer/debug/consumer"
	! LAMINA_RENDER_SERVER=/nowhere .build/consumer/debug/consumer >/dev/null
	nm .build/consumer/debug/consumer | awk ' \
	  /[0-9]Lamina(RenderServer|Planner|GLES|Software|RenderTree|FramePlan)/ { if (held++ < 5) print } \
	  /6Lamina7CALayerC/ { client++ } \
	  END { print "consumer: " held + 0 " symbols of the render process"; exit held || !client }'
	.build/consumer/debug/overrides
	swiftc -typecheck -Xfrontend -verify -Xfrontend -verify-ignore-unrelated \
	  -I .build/consumer/debug/Modules \
	  $(addprefix -Xcc -fmodule-map-file=,$(wildcard Sources/C*/module.modulemap)) \
	  $$(find .build/consumer/debug/ -path '*-tool.build' -prune -o \
	    -path '*/C*.build/module.modulemap' -printf '-Xcc -fmodule-map-file=%p ') \
	  Tests/Consumer/Unavailable/Unavailable.swift
	PATH="$(CURDIR)/.build/debug:$$PATH" env -u LAMINA_WITHOUT_PLUGIN \
	  Tests/Consumer/check-snapshots $(CONSUMER) .build/consumer

# Mistakes have to end a program with a message also where a precondition says nothing.
test-mistakes: deps
	$(RELEASE) --product mistakes
	.build/release/mistakes

# All tests, built to notice memory that is read after it was freed or beyond its end. Drivers and
# fontconfig keep what they have until the process ends.
test-asan: deps
	swift build --sanitize address --scratch-path .build/asan --build-tests
	LAMINA_SANDBOX=off ASAN_OPTIONS=detect_leaks=0 .ci/swift-test --sanitize address --scratch-path .build/asan \
	  --skip-build --parallel

# All tests, built to notice memory that two threads use at once. A command ends without waiting for
# its threads, which is no leak.
TSAN := --sanitize thread -Xswiftc -DLAMINA_THREAD_SANITIZER --scratch-path .build/tsan
test-tsan: deps
	swift build $(TSAN) --build-tests
	LAMINA_SANDBOX=off TSAN_OPTIONS=detect_deadlocks=0:report_thread_leaks=0 .ci/swift-test $(TSAN) \
	  --skip-build --parallel

# How much of each module the tests run. A confined process could not write down what it ran. Tests of
# programs that can open few files may fail: what ran is written to a file too.
COVERAGE := .build/coverage
coverage: deps
	swift build --enable-code-coverage --scratch-path $(COVERAGE) --build-tests
	rm -rf $(COVERAGE)/profiles && mkdir $(COVERAGE)/profiles
	-LAMINA_SANDBOX=off LLVM_PROFILE_FILE="$(CURDIR)/$(COVERAGE)/profiles/%4m.profraw" \
	  .ci/swift-test --scratch-path $(COVERAGE) --skip-build --parallel
	.ci/coverage $(COVERAGE) $(COVERAGE)/profiles $(MODULE)

# Particles, and frames drawn by the CPU, have the same bits on every processor: two of QEMU's
# without AVX and FMA, two with them. QEMU runs the tests' own program, which must be one for x86-64.
# A frame of the demo is the same in release builds and in debug builds without any optimization,
# with AVX-512 forbidden and with AVX2 as well, and there too.
PROCESSORS := qemu64 Nehalem Haswell max
FRAME := render Tests/Demo/demo.ca --at 4.1 --platform software --in-process -o -
test-cpu: deps
	@missing=; command -v qemu-x86_64 >/dev/null || missing=" qemu-user"; $(INSTALL)
	$(BUILD) --build-tests
	@for cpu in $(PROCESSORS); do \
	  said=$$(qemu-x86_64 -cpu $$cpu .build/debug/LaminaPackageTests.xctest \
	    --testing-library swift-testing --filter PortableParticleTests \
	    --filter PortableFrameTests 2>&1); \
	  case $$said in \
	    *"2 tests in 2 suites passed"*) echo "$$cpu: the same bits" ;; \
	    *) printf '%s\n' "$$cpu: $$said"; exit 1 ;; \
	  esac; \
	done
	$(RELEASE) --product lamina
	LAMINA_UNOPTIMIZED=1 $(BUILD) --scratch-path .build/unoptimized --product lamina
	.build/unoptimized/debug/lamina $(FRAME) > .build/frame.rgba
	@for run in "" "env LAMINA_CPU=avx2" "env LAMINA_CPU=baseline" \
	  $(foreach cpu,$(PROCESSORS),"qemu-x86_64 -cpu $(cpu)"); do \
	  $$run $(LAMINA) $(FRAME) > .build/other.rgba && \
	    cmp .build/frame.rgba .build/other.rgba || exit 1; \
	  echo "$$run $(LAMINA): the same frame"; \
	done

# Fuzzes each way in for bytes from outside for TIME seconds, or with RUNS inputs each. It begins with
# Tests/Fuzz/Corpora. Inputs that found something new stay in .build/fuzz/corpus; one that ends the
# program is .build/fuzz/NAME-crash-…
FUZZ := .build/fuzz/release/fuzz
TIME := 60
TARGETS := messages server caml archive image
fuzz: deps
	LAMINA_FUZZ=1 swift build -c release --sanitize fuzzer \
	  --scratch-path .build/fuzz --product fuzz
	@for target in $(TARGETS); do \
	  corpus=.build/fuzz/corpus/$$target; mkdir -p $$corpus; \
	  export FUZZ_TARGET=$$target; \
	  FUZZ_SEEDS=$$corpus $(FUZZ) || exit 1; \
	  cp Tests/Fuzz/Corpora/$$target/* $$corpus || exit 1; \
	  case $$target in \
	    caml) cp Tests/Scenes/*.caml $$corpus ;; \
	    image) cp Tests/AppleSourceTests/Photos/* $$corpus ;; \
	  esac; \
	  echo "$$target:"; \
	  $(FUZZ) $(if $(RUNS),-runs=$(RUNS),-max_total_time=$(TIME)) -timeout=30 -detect_leaks=0 \
	    -rss_limit_mb=4096 -max_len=65536 -print_final_stats=1 -verbosity=0 \
	    -artifact_prefix=.build/fuzz/$$target- $$corpus >.build/fuzz/$$target.log 2>&1 || \
	    { tail -60 .build/fuzz/$$target.log; exit 1; }; \
	  grep -E "executed_units|new_units_added" .build/fuzz/$$target.log; \
	done

# The GBM path needs a DRM node, which QEMU has: the same scenes, on Debian's own kernel.
test-gbm: release
	for product in draw-scenes draw-dma-bufs; do $(RELEASE) --product $$product || exit 1; done
	Tests/GBM/compare-platforms .build/release
	Tests/GBM/compare-dma-bufs .build/release

# Films on a real Slurm of two and of four nodes on this host, as whoever calls this. The packages'
# own services must not start: nothing but the test is to have a Slurm.
SLURM := munge slurm-client slurmctld slurmd
test-slurm: release
	@missing=; for p in $(SLURM); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; \
	done; \
	[ -z "$$missing" ] || { policy=/usr/sbin/policy-rc.d; \
	  [ -e $$policy ] || { printf '#!/bin/sh\nexit 101\n' | $(SUDO) tee $$policy >/dev/null; \
	    $(SUDO) chmod +x $$policy; trap '$(SUDO) rm -f '$$policy EXIT; }; $(INSTALL); }
	Tests/Slurm/test-farm $(LAMINA)

# Not a build of RELEASE, since it uses Swift Testing, of which there is no static library.
SOAK := .build/soak/release/soak
soak-program: deps
	for product in soak lamina-render-server; do \
	  LAMINA_SOAK=1 $(BUILD) -c release --scratch-path .build/soak --product $$product || exit 1; done

# 1,000 clients are killed; then a film, and live frames for TIME seconds, while the render process is
# killed again and again. Nothing may be left, no frame may be wrong, and memory may not grow.
soak: TIME := 600
soak: soak-program
	$(SOAK) $(TIME) 2>.build/soak.log

# COUNT valid trees that ask for too much, each drawn twice, by software, and as many others by GLES,
# in a process with a budget of BUDGET megabytes.
hostile: COUNT := 5000
hostile: BUDGET := 64
hostile: soak-program
	$(SOAK) trees $(COUNT) software 0 $(BUDGET)
	$(SOAK) trees $(COUNT) surfaceless $(COUNT) $(BUDGET)

# Random scenes and edits, COUNT of them: what is painted again equals the whole frame, by both
# executors, and so it does if memory just holds each frame. A release build; 2,000 take fifteen
# minutes.
test-seeds: FIRST := 0
test-seeds: COUNT := 2000
test-seeds: deps
	LAMINA_SEEDS='$(FIRST) $(COUNT)' swift test -c release -Xswiftc -enable-testing \
	  --scratch-path .build/seeds --filter DamageTests

# Has the n-th call of each kind fail in a client and in its render process, for n = 1, 2, 3… until
# there is no such call: the frames are the same, or an error says what failed.
test-failures: deps
	for product in lamina lamina-render-server drawing-client FailingCalls; do \
	  $(BUILD) --product $$product || exit 1; done
	Tests/FailingCalls/fail-each-call .build/debug

# A report of twenty pairs, used in Chromium by clicks and keys; its commands are run. Then the
# inspector's pages of several documents. The scripts are for the python3 of Debian, whose package
# selenium is.
test-browser: deps
	@missing=; for p in chromium chromium-driver python3-selenium; do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; \
	done; \
	$(INSTALL)
	$(BUILD) --product lamina
	Tests/Browser/check-report .build/debug/lamina .build/report
	Tests/Browser/check-inspector .build/debug/lamina .build/inspector
	Tests/Browser/check-preview .build/debug/lamina

# What ends the program says why in release builds too, which a precondition does not.
lint:
	.ci/check-imports
	.ci/open-members check
	! grep -rnE '\<(precondition|preconditionFailure|fatalError)\(' --include='*.swift' Sources Shaders \
	  | grep -v '^Sources/LaminaValues/ProgrammerError.swift:'
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Shaders
# The formatter leaves comments as they are.
	! LC_ALL=C.UTF-8 grep -rnE '^.{101,}' --include='*.swift' --include='*.[ch]' --include='*.glsl' \
	  --include='*.vert' --include='*.frag' Package.swift Sources Tests Shaders \
	  | grep -E '^[^:]*:[0-9]+: *//' | grep -vE 'expected-error|: *///     '

format:
	swift format --in-place --recursive --parallel Package.swift Sources Tests Shaders

clean:
	rm -rf .build demo.mp4 demo.png
