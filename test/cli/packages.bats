#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# The Debian packages, made by dpkg-buildpackage from the trees that are built already (BUILT in packaging/debian/rules) and
# unpacked: is everything in them, in its place, and does the program find its parts there? `make packages` builds them anew.

load lib

setup_file()
{
	local tool

	for tool in dpkg-buildpackage dh; do
		command -v $tool >/dev/null || { echo "$tool is not installed" >"$BATS_FILE_TMPDIR/skip"; return 0; }
	done
	[ -x "$PARIO_MPICH" ] || { echo "there is no build with MPICH" >"$BATS_FILE_TMPDIR/skip"; return 0; }
	mkdir "$BATS_FILE_TMPDIR/pario"
	cp -r "$PARIO_SOURCE/packaging/debian" "$BATS_FILE_TMPDIR/pario/debian"
	cd "$BATS_FILE_TMPDIR/pario" || return
	# what the build needs was there when the trees were built
	BUILT=$(dirname "$PARIO_BUILD") DEB_BUILD_OPTIONS="nocheck noautodbgsym" \
		timeout -k 5 600 dpkg-buildpackage --build=binary --no-sign --no-check-builddeps >../log 2>&1 || { tail -n 40 ../log; return 1; }
	cd ..
	for package in pario pario-mpich pario-common; do
		dpkg -x "${package}"_*.deb "root-$package" || return
	done
	# as dpkg would lay them over each other
	cp -r root-pario-common/. root-pario/
	cp -r root-pario-common/. root-pario-mpich/
}

setup()
{
	[ ! -e "$BATS_FILE_TMPDIR/skip" ] || skip "$(cat "$BATS_FILE_TMPDIR/skip")"
	cd "$BATS_TEST_TMPDIR" || return
	DATA=$BATS_TEST_TMPDIR/data OUT=$BATS_TEST_TMPDIR/out MOUNTED=
	mkdir "$DATA"
	ROOT=$BATS_FILE_TMPDIR
}

@test "what is installed is in the packages, each file in one of them" {
	DESTDIR=$PWD/whole cmake --install "$PARIO_BUILD" --prefix /usr >/dev/null
	# Debian has the licence in its own place, and its own changelog; man pages are compressed
	(cd whole && find . -type f | grep -vE '/doc/pario/(LICENSE|CHANGELOG.md)$' | sed 's|/doc/pario/|/doc/pario-common/|') | sort >installed
	(cd "$ROOT/root-pario" && find . -type f | sed 's/\.gz$//' |
		grep -vE '/doc/[a-z-]+/(copyright|changelog)$') | sort >packed
	diff installed packed
	DESTDIR=$PWD/mpich cmake --install "$(dirname "$PARIO_MPICH")" --prefix /usr >/dev/null
	diff <(cd mpich && find usr/bin usr/lib -type f | sort) <(cd "$ROOT/root-pario-mpich" && find usr/bin usr/lib -type f | sort)
	[ -e "$ROOT/root-pario-mpich/usr/lib/pario/libpario-trace-mpich.so" ]
	dpkg -c "$ROOT"/pario_*.deb >list
	run ! grep -E '/usr/share/(man|bash-completion)/' list
}

@test "the packages say what they need and whom they exclude" {
	run -0 dpkg -f "$ROOT"/pario_*.deb Depends
	[[ $output == *"pario-common (= "*"openmpi-bin"* && $output == *libjansson4* && $output == *libopenmpi3* ]]
	run -0 dpkg -f "$ROOT"/pario-mpich_*.deb Depends
	[[ $output == *"mpich"* && $output == *libmpich12* && $output != *openmpi* ]]
	[ "$(dpkg -f "$ROOT"/pario_*.deb Conflicts)" = pario-mpich ]
	[ "$(dpkg -f "$ROOT"/pario-common_*.deb Architecture)" = all ]
}

@test "the program runs from where it is installed, with all its parts" {
	for package in pario pario-mpich; do
		PARIO=$ROOT/root-$package/usr/bin/pario
		run -0 pario --version
		[[ $output == "pario "[0-9]* ]]
		run -0 pario list
		[[ $output == *transfer* ]]
		run -0 pario run transfer --np 2 --api null --block_size 1m --repetitions 2 --output "$package"
		# the tracer's library lies beside it
		run -0 pario trace -o $package.trace -- cat /etc/hostname
		run pario profile $package.trace
		[ "$status" -eq 0 ] || { echo "$output"; false; }
		[[ $output == *"/etc/hostname"* ]]
	done
}

@test "documents, examples, man pages and completions are there" {
	local doc=$ROOT/root-pario/usr/share/doc/pario-common share=$ROOT/root-pario/usr/share page

	[ "$(find "$doc/docs" -name '*.md' -o -name '*.md.gz' | wc -l)" -eq "$(find "$PARIO_SOURCE/docs" -maxdepth 1 -name '*.md' | wc -l)" ]
	[ "$(find "$doc/examples" -name '*.ini*' | wc -l)" -eq "$(find "$PARIO_SOURCE/examples" -name '*.ini' | wc -l)" ]
	[ "$(find "$share/man/man1" -name 'pario*.1.gz' | wc -l)" -eq "$(find "$PARIO_SOURCE/docs/man" -name '*.1' | wc -l)" ]
	for page in "$share"/man/man1/*.gz; do gzip -t "$page"; done
	bash -n "$share/bash-completion/completions/pario"
	[ -s "$share/zsh/vendor-completions/_pario" ] || [ -s "$share/zsh/site-functions/_pario" ]
	[ -s "$share/fish/vendor_completions.d/pario.fish" ]
}

@test "the tests that the packages bring pass" {
	local count=0 command

	while read -r command; do
		count=$((count + 1))
		mkdir -p "$PWD/tmp$count"
		PATH=$ROOT/root-$([ $count = 1 ] && echo pario || echo pario-mpich)/usr/bin:$PATH AUTOPKGTEST_TMP=$PWD/tmp$count \
			run -0 timeout -k 5 "$LIMIT_S" bash -ec "$command"
	done < <(sed -n 's/^Test-Command: //p' "$PARIO_SOURCE/packaging/debian/tests/control")
	[ $count -eq 2 ]
}

# The trees of the check know where MPI lies; those of the packages do not (CMAKE_SKIP_RPATH). Debug builds are not hardened.
@test "lintian has no error and no warning" {
	command -v lintian >/dev/null || skip "lintian is not installed"
	run -0 timeout -k 5 300 lintian --allow-root --fail-on error,warning \
		--suppress-tags custom-library-search-path,hardening-no-fortify-functions "$ROOT"/*.changes
}
