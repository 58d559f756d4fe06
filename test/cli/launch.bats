#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# How pario is started, and what comes out of it where.

load lib

# launched LAUNCHER PROGRAM ARGUMENTS...: a run under a launcher of the user's own.
launched()
{
	rm -rf "$OUT"
	timeout -k 5 "$LIMIT_S" "$@" run transfer --dir "$DATA" --output "$OUT" --transfer_size 16k --block_size 64k \
		--repetitions 1 --operations write
}

need_openmpi()
{
	[[ $("$PARIO" --version) == *openmpi* ]] || skip "this build is not for Open MPI"
	command -v mpiexec.openmpi >/dev/null || skip "mpiexec.openmpi is not installed"
}

json_lines()
{
	"$PYTHON" -c 'import json, sys; print(*(json.loads(line)["kind"] for line in sys.stdin))'
}

# no_escapes TEXT: no control characters but line ends.
no_escapes()
{
	! LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]' <<<"$1"
}

# ---- starting ----

@test "an empty environment is enough" {
	run -0 --separate-stderr env -i "$PARIO" run transfer --dir "$DATA" --output "$OUT" "${SMALL[@]}" --operations write
	[ "$(field outcome)" = pass ] || [ "$(field outcome)" = suspect ]
}

@test "started plainly, one client runs per core" {
	measure --transfer_size 16k --block_size 64k --repetitions 1 --operations write
	[ "$(field clients)" -eq "$(nproc)" ]
}

@test "--np chooses how many, also more than there are cores" {
	measure "${SMALL[@]}" --np $(($(nproc) + 2)) --operations write
	[ "$(field clients)" -eq $(($(nproc) + 2)) ]
}

@test "--clients starts as many as its largest" {
	measure --transfer_size 16k --block_size 64k --repetitions 1 --operations write --clients 1,3
	[ "$(field clients | xargs)" = "1 3" ]
}

@test "root can start it without any option" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	unset OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
	measure "${SMALL[@]}"
	[ -z "$stderr" ]
}

@test "under mpiexec of Open MPI it uses the clients it was given" {
	need_openmpi
	run -0 launched mpiexec.openmpi --oversubscribe -n 3 "$PARIO"
	[ "$(field clients bytes)" = "3 196608" ]
}

@test "under mpiexec of MPICH it uses the clients it was given" {
	need_mpich
	run -0 launched mpiexec.mpich -n 3 "$PARIO_MPICH"
	[ "$(field clients bytes)" = "3 196608" ]
}

@test "MPICH: started plainly" {
	need_mpich
	PARIO=$PARIO_MPICH measure "${SMALL[@]}"
	[ "$(field clients phase)" = "2 write
2 read" ]
}

@test "the launcher of another MPI is seen: Open MPI's program under MPICH" {
	need_openmpi
	need_mpich
	run ! launched mpiexec.mpich -n 2 "$PARIO"
	[ "$status" -ne 124 ]
	[ "$(grep -c "pario: the launcher started 2 processes" <<<"$output")" -eq 1 ]
	[[ $output == *"mpiexec.openmpi"* ]]
	untouched
}

@test "the launcher of another MPI is seen: MPICH's program under Open MPI" {
	need_openmpi
	need_mpich
	run ! launched mpiexec.openmpi --oversubscribe -n 2 "$PARIO_MPICH"
	[ "$status" -ne 124 ]
	[ "$(grep -c "pario: the launcher started 2 processes" <<<"$output")" -eq 1 ]
	[[ $output == *"mpiexec.mpich"* ]]
	untouched
}

@test "bad options under mpiexec: one sentence, no hang, nothing written" {
	need_openmpi
	run ! launched mpiexec.openmpi --oversubscribe -n 3 "$PARIO" run transfer --dir "$DATA" --transfer_sise 4k --
	[ "$status" -ne 124 ]
	[ "$(grep -c "pario: unknown option --transfer_sise" <<<"$output")" -eq 1 ]
	untouched
}

@test "more clients than mpiexec started are refused" {
	need_openmpi
	run ! --separate-stderr timeout "$LIMIT_S" mpiexec.openmpi --oversubscribe -n 2 "$PARIO" run transfer \
		--dir "$DATA" "${SMALL[@]}" --clients 4
	[ "$status" -ne 124 ]
	[ "$(grep -c "pario: --clients 4 needs as many processes, but 2 were started" <<<"$stderr")" -eq 1 ]
	untouched
}

@test "the exit code comes through the launcher" {
	run -3 transfer "${SMALL[@]}" --api null --fail_at 1
	[[ $output != *mpiexec* ]]
}

@test "MPICH: the exit code comes through the launcher" {
	need_mpich
	PARIO=$PARIO_MPICH run -3 transfer "${SMALL[@]}" --api null --fail_at 1
}

@test "standard input is left alone" {
	printf 'one\ntwo\n' >input
	{
		transfer "${SMALL[@]}" --quiet --operations write
		read -r line
	} <input
	[ "$line" = one ]
}

# ---- output ----

@test "--json prints the journal, nothing else" {
	run -0 --separate-stderr transfer "${SMALL[@]}" --json
	[ "$(json_lines <<<"$output")" = "begin result result end" ]
	[ -z "$stderr" ]
	diff <(echo "$output") "$OUT/journal.jsonl"
}

@test "--json with long lines comes out whole" {
	run -0 --separate-stderr transfer "${SMALL[@]}" --json --api null --repetitions 40 --label "$(printf 'x%.0s' {1..120})"
	diff <(echo "$output") "$OUT/journal.jsonl"
	[ "${#lines[@]}" -eq 82 ]
}

@test "MPICH: --json prints the journal, nothing else" {
	need_mpich
	PARIO=$PARIO_MPICH run -0 --separate-stderr transfer "${SMALL[@]}" --json
	diff <(echo "$output") "$OUT/journal.jsonl"
}

@test "--quiet prints nothing" {
	run -0 --separate-stderr transfer "${SMALL[@]}" --quiet --api posix,mpiio
	[ -z "$output" ]
	[ -z "$stderr" ]
	[ -s "$OUT/journal.jsonl" ]
}

@test "--quiet still tells why it cannot run" {
	run -2 --separate-stderr transfer "${SMALL[@]}" --quiet --transfer_size 0
	one_sentence
}

@test "without --output the results go to a new directory that is named at the end" {
	run -0 --separate-stderr pario run transfer --dir "$DATA" "${SMALL[@]}" --operations write
	[[ ${lines[-2]} =~ ^pario-results/[0-9T-]+-transfer-[0-9a-f]+/journal.jsonl$ ]]
	[ -s "${lines[-2]}" ]
	[ "${lines[-1]}" = "${lines[-2]%journal.jsonl}report.html" ]
	[ -s "${lines[-1]}" ]
}

@test "the table names phase, clients, rate with its unit, and the proof" {
	run -0 --separate-stderr transfer "${SMALL[@]}" --operations write
	grep -qE "^ write .*2 clients .*[0-9] MiB/s" <<<"$output"
	[[ $output == *"verified 128 KiB"* ]]
}

@test "a full device as standard output is an error, and the journal is complete" {
	rm -rf "$OUT"
	run -3 --separate-stderr bash -c 'exec timeout -k 5 300 "$@" >/dev/full' - "$PARIO" run transfer \
		--dir "$DATA" --output "$OUT" "${SMALL[@]}"
	one_sentence
	says "standard output"
	says "ENOSPC"
	[ "$(end outcome)" != fail ]
	run -3 --separate-stderr bash -c 'exec timeout -k 5 300 "$@" >/dev/full' - "$PARIO" list
	one_sentence
}

@test "a closed standard output is an error, and the journal is complete" {
	run -3 --separate-stderr bash -c 'exec timeout -k 5 300 "$@" >&-' - "$PARIO" run transfer \
		--dir "$DATA" --output "$OUT" "${SMALL[@]}"
	one_sentence
	says "standard output"
	[ "$(end outcome)" != fail ]
}

@test "with every stream closed the exit code is still right" {
	run -0 bash -c 'exec timeout -k 5 300 "$@" <&- >&- 2>&-' - "$PARIO" run transfer \
		--dir "$DATA" --output "$OUT" "${SMALL[@]}" --quiet
	[ "$(end outcome)" != fail ]
	rm -rf "$OUT"
	run -3 bash -c 'exec timeout -k 5 300 "$@" <&- >&- 2>&-' - "$PARIO" run transfer \
		--dir "$DATA" --output "$OUT" "${SMALL[@]}" --api null --fail_at 1
	[ "$(end exit_code)" = 3 ]
}

@test "a reader that goes away neither stops the run nor makes noise" {
	local program

	for program in "$PARIO" ${PARIO_MPICH:+"$PARIO_MPICH"}; do
		rm -rf "$OUT"
		timeout -k 5 "$LIMIT_S" "$program" run transfer --dir "$DATA" --output "$OUT" "${SMALL[@]}" --json --api null \
			--repetitions 10 2>said | head -n 1 >line
		[ "${PIPESTATUS[0]}" -ne 124 ]
		grep -q '^{"kind":"begin"' line
		cat said
		[ ! -s said ]
		[ "$(end results)" = 20 ]
	done
}

@test "in a pipe there are no escapes" {
	run -0 transfer "${SMALL[@]}" --api null --delay 1000 --repetitions 2
	no_escapes "$output"
}

@test "--color always colours, and NO_COLOR and never do not" {
	run -3 transfer "${SMALL[@]}" --api null --fail_at 1 --color always
	run no_escapes "$output"
	[ "$status" -ne 0 ]
	run -3 transfer "${SMALL[@]}" --api null --fail_at 1 --color never
	no_escapes "$output"
	NO_COLOR=1 run -3 transfer "${SMALL[@]}" --api null --fail_at 1
	no_escapes "$output"
}

@test "on a terminal there is colour, unless NO_COLOR is set" {
	command -v script >/dev/null || skip "script is not installed"
	local args="--dir '$DATA' --transfer_size 16k --block_size 64k --repetitions 1 --np 1 --api null --fail_at 1"

	TERM=xterm script -qec "'$PARIO' run transfer $args --output '$OUT.1'" /dev/null >seen </dev/null || true
	grep -q fail seen
	grep -q $'\x1b\\[' seen
	NO_COLOR=1 TERM=xterm script -qec "'$PARIO' run transfer $args --output '$OUT.2'" /dev/null >seen </dev/null || true
	grep -q fail seen
	run -1 grep -q $'\x1b\\[[0-9;]*m' seen
}

@test "numbers have a decimal point in every locale" {
	local name=C.UTF-8 given

	for given in de_DE.utf8 fr_FR.utf8; do
		if locale -a | grep -qx $given; then name=$given; fi
	done
	LC_ALL=$name run -0 --separate-stderr transfer "${SMALL[@]}" --json --time_limit 1.5 --operations write
	[ "$(json_lines <<<"$output")" = "begin result end" ]
	LC_ALL=$name run -0 --separate-stderr transfer --show_config --time_limit 1.5
	grep -q '^time_limit = 1.5 ' <<<"$output"
}

@test "escapes in names are shown cleaned" {
	local odd=$'d\x1b[31mred\x07'

	mkdir "$odd"
	run -0 pario run transfer --dir "$odd" --output "$OUT" "${SMALL[@]}" --label "$odd" --operations write --keep_files
	no_escapes "$output"
	[[ $output == *red* ]]
	run -3 pario run transfer --dir "$odd.not_there" "${SMALL[@]}"
	no_escapes "$output"
	run -2 pario run transfer --dir "$DATA" "--$odd" 3
	no_escapes "$output"
	run -2 pario run "$odd"
	no_escapes "$output"
	run -2 pario "$odd"
	no_escapes "$output"
	run -2 pario help "$odd"
	no_escapes "$output"
	run -0 pario clean "$odd"
	no_escapes "$output"
	run -0 pario run transfer --dir "$odd" "${SMALL[@]}" --dry_run
	no_escapes "$output"
	run -0 pario run transfer --dir "$odd" "${SMALL[@]}" --label "$odd" --show_config
	no_escapes "$output"
	run -0 pario run transfer --dir "$DATA" "${SMALL[@]}" --output "$odd/out" --operations write
	no_escapes "$output"
}
