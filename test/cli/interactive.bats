#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# Commands as a person types them: run cold and warm, checked, skipped where they are not installed.

load lib
load ops

SHAPE=(--files 12 --directories 3 --file_size 700 --rounds 2 --repetitions 1)

# path_with PROGRAM...: fills bin/ with these, and with what pario needs to start its clients.
path_with()
{
	local program

	command -v mpiexec.openmpi >/dev/null || skip "mpiexec.openmpi is not on PATH"
	mkdir bin
	printf '#!/bin/sh\nexit 1\n' >bin/ssh # Open MPI looks for it even on one node
	chmod +x bin/ssh
	for program in mpiexec mpiexec.openmpi mpirun orted prted prterun sh env hostname "$@"; do
		if command -v "$program" >/dev/null; then ln -s "$(readlink -f "$(command -v "$program")")" "bin/$program"; fi
	done
}

# with_bin ARGUMENTS...: a run that finds nothing but the programs in bin/. Started by its path, as pario starts it,
# Open MPI's launcher would add the directory it lies in.
with_bin()
{
	rm -rf "$OUT"
	timeout -k 5 "$LIMIT_S" env PATH="$PWD/bin" mpiexec.openmpi -n 2 "$PARIO" run interactive --dir "$DATA" --output "$OUT" \
		--quiet "${SHAPE[@]}" "$@"
}

@test "every command runs cold and warm on 1, 2, 3 and 4 clients" {
	local n

	command -v cc >/dev/null || skip "no compiler"
	done_well interactive --np 4 --clients 1,2,3,4 "${SHAPE[@]}"
	for n in 1 2 3 4; do
		[ "$(ops $n)" = "cp $((4 * n)),ls_l $((4 * n)),ls_lR $((4 * n)),find $((4 * n)),tar_create $((4 * n)),\
tar_extract $((4 * n)),du $((4 * n)),compile $((4 * n)),rm $((4 * n))" ]
	done
	[ "$(results '.metrics | [.cold_median_s, .cold_worst_s, .warm_median_s, .warm_worst_s] |
		map(.value > 0) | all' | sort -u)" = true ]
	[ "$(results '.metrics | .cold_median_s.value <= .cold_worst_s.value and
		.warm_median_s.value <= .warm_worst_s.value' | sort -u)" = true ]
	# cp and tar -x: 12 files of 700 bytes were compared for each client
	[ "$(results 'select(.clients == 2 and .metrics.verified_bytes) | [.phase, .metrics.verified_bytes.value]')" = \
		$'["cp",16800]\n["tar_extract",16800]' ]
}

@test "the same with MPICH and 7 clients" {
	need_mpich
	PROGRAM=$PARIO_MPICH done_well interactive --np 7 "${SHAPE[@]}" --phases cp,find,rm
	[ "$(ops 7)" = "cp 28,find 28,rm 28" ]
}

@test "without --drop_caches it is said that names stayed cached" {
	done_well interactive --np 2 "${SHAPE[@]}" --phases ls_lR
	[ "$(results .metrics.cold_metadata.value)" -eq 0 ]
	[ "$(results .cache.wanted)" = cold ]
	[ "$(results '.outcome == "suspect" or .cache.pages_resident == 0')" = true ]
}

@test "a command that is not installed is skipped with the package's name" {
	path_with cp ls rm
	run -0 --separate-stderr with_bin --phases cp,find,tar_create,tar_extract,compile,rm
	sound
	[ "$(results 'select(.outcome == "skip") | .phase' | paste -sd,)" = find,tar_create,tar_extract,compile ]
	[ "$(results 'select(.phase == "tar_create") | .reason')" = "the command tar is not installed (package tar)" ]
	[ "$(results 'select(.phase == "cp") | .ops')" -eq 8 ]
	[ -z "$(ls -A "$DATA")" ]
}

@test "a command that fails counts as failed and its complaint is quoted" {
	path_with ls cp
	printf '#!/bin/sh\necho "cp: a planted complaint" >&2\nexit 3\n' >bin/planted
	rm bin/cp
	mv bin/planted bin/cp
	chmod +x bin/cp
	run -3 --separate-stderr with_bin --phases cp
	sound
	[ "$(results '[.outcome, .ops, .metrics.failed_ops.value]')" = '["fail",0,8]' ]
	results .reason | grep -q 'the command cp ended with status 3: cp: a planted complaint'
	[ -z "$(ls -A "$DATA")" ]
}

@test "a cp that copies nothing, and an rm that leaves all, are found" {
	path_with ls
	printf '#!/bin/sh\nexit 0\n' >bin/cp
	cp bin/cp bin/rm
	chmod +x bin/cp bin/rm
	run -3 with_bin --phases cp
	[ "$(results .outcome)" = fail ]
	run -4 with_bin --phases rm
	[ "$(results .outcome)" = fail ]
	results .reason | grep -q 'rm ended without an error, but .*/victim is still there'
	[ -z "$(ls -A "$DATA")" ]
}

@test "no shell reads the names: a directory with blanks and metacharacters" {
	DATA="$DATA/\$(touch broken); 'a b' \"c\""
	mkdir "$DATA"
	done_well interactive --np 2 "${SHAPE[@]}" --phases cp,ls_l,find,rm
	[ ! -e broken ]
}

@test "contradictions get a sentence" {
	local arguments

	for arguments in "--files 0" "--directories 0" "--rounds 0" "--phases mv"; do
		# shellcheck disable=SC2086 # several words
		run -2 --separate-stderr operate interactive --np 2 "${SHAPE[@]}" $arguments
		one_sentence
		untouched
	done
}

@test "files of others in the directory are not touched" {
	mkdir -p "$DATA/interactive/0/tree"
	echo mine >"$DATA/interactive/0/tree/f0"
	sums "$DATA" >before
	run -0 operate interactive --np 2 "${SHAPE[@]}" --phases cp,tar_extract,rm
	sums "$DATA" >after
	# the directory itself is newer, nothing in it is
	diff <(grep -v '^\. d' before) <(grep -v '^\. d' after)
}

@test "what a compiler puts aside lies on the storage that is measured, and is removed" {
	command -v gcc >/dev/null || skip "no compiler"
	path_with as ld realpath
	# shellcheck disable=SC2016 # the script expands them
	printf '#!/bin/sh\necho left >"$TMPDIR/left.$$"\nrealpath "$TMPDIR" "$TMP" "$TEMP" >>%q\nexec %q "$@"\n' \
		"$PWD/places" "$(command -v gcc)" >bin/cc
	chmod +x bin/cc
	mkdir aside
	TMPDIR=$PWD/aside with_bin --phases compile
	[ "$(wc -l <places)" -ge 12 ]
	run ! grep -v "^$DATA/pario-" places
	[ -z "$(ls -A "$DATA")" ]
	[ -z "$(find aside -name 'left*')" ]
}
