#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# A file through the loopback interface: real commands and servers, the evidence, and what goes wrong with them.

load lib
load ops

TINY=(--fraction 0.000001 --repetitions 1) # 1 MiB
FILE_BYTES=1048576

teardown()
{
	[ -z "${LISTENER:-}" ] || kill "$LISTENER" || true
	[ -z "${OTHERS:-}" ] || rm -rf "$OTHERS"
	chmod -R u+w "$BATS_TEST_TMPDIR"
}

# need PROGRAM...: here, or where daemons lie.
need()
{
	local program

	for program; do
		PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

need_ftp() { need vsftpd ftp; }
need_scp() { need sshd scp ssh-keygen; }

# no_server: none of the servers that the run started stays; one that has answered ends a moment after its client.
no_server()
{
	until_true 60 servers_gone
}

servers_gone()
{
	local pid

	for pid in $(pgrep -x 'vsftpd|sshd' || true); do
		! tr '\0' ' ' <"/proc/$pid/cmdline" | grep -qF "$BATS_TEST_TMPDIR" || return 1
	done
}

# path_with PROGRAM...: fills bin/ with these, and with what pario needs to start its clients.
path_with()
{
	local program

	command -v mpiexec.openmpi >/dev/null || skip "mpiexec.openmpi is not on PATH"
	mkdir bin
	printf '#!/bin/sh\nexit 1\n' >bin/ssh # Open MPI looks for it even on one node
	chmod +x bin/ssh
	for program in mpiexec mpiexec.openmpi mpirun orted prted prterun sh env hostname "$@"; do
		program=$(PATH=$PATH:/usr/sbin:/sbin command -v "$program") || continue
		ln -s "$(readlink -f "$program")" "bin/$(basename "$program")"
	done
}

# with_bin ARGUMENTS...: a run that finds nothing but the programs in bin/.
# shellcheck disable=SC2120 # run passes them
with_bin()
{
	rm -rf "$OUT"
	timeout -k 5 "$LIMIT_S" env PATH="$PWD/bin" mpiexec.openmpi -n 1 "$PARIO" run nht1_network --dir "$DATA" --output "$OUT" \
		--quiet "${TINY[@]}" "$@"
}

# false_ftp WHAT: test/cli/file_transfer.py stands for the ftp command and does this.
false_ftp()
{
	need_ftp
	path_with vsftpd
	printf '#!/bin/sh\nexec %s %s "$@"\n' "$(command -v "$PYTHON")" "$CLI/file_transfer.py" >bin/ftp
	chmod +x bin/ftp
	export TRANSFER=$1 TRANSFER_IDS=$BATS_TEST_TMPDIR/ids
}

# proved: time, rate, sizes and evidence of every result fit together.
proved()
{
	[ "$(results '.metrics | (.R_THROUGHPUT.value * .T_TRANSFER.value / .S_FILE.value - 1 | fabs) < 1e-9 and
		.T_DURABLE.value >= .T_TRANSFER.value and .loopback_bytes.value >= .S_FILE.value and
		.verified_bytes.value == .S_FILE.value' | sort -u)" = true ]
	[ "$(results '.sheets.evidence.rows | map({(.[0]): .[1]}) | add | .source == .destination and
		(.source | test("^[0-9]+ bytes, XXH3 [0-9a-f]{16}$")) and (.log | test("127\\.0\\.0\\.1")) and
		(.server | test("on 127\\.0\\.0\\.1 port [0-9]+, as user"))' | sort -u)" = true ]
}

@test "by ftp, put and get" {
	need_ftp
	done_well nht1_network "${TINY[@]}" --direction put,get
	[ "$(results '[.clients, .bytes, .ops]' | paste -sd' ')" = "[1,$FILE_BYTES,1] [1,$FILE_BYTES,1]" ]
	proved
	[ "$(grep -cE '^  (T_TRANSFER|R_THROUGHPUT|server:|log:|source:|destination:) ' "$OUT/nht1_network.txt")" -eq 12 ]
	[ "$(results '.sheets.evidence.rows[] | select(.[0] == "log") | .[1] | capture("OK (?<w>[A-Z]+)LOAD").w' |
		paste -sd,)" = UP,DOWN ]
	no_server
}

@test "by scp, put and get" {
	need_scp
	there=$([ ! -e /run/sshd ] || echo there)
	done_well nht1_network "${TINY[@]}" --method scp --direction put,get
	proved
	[ "$(results '.reason | test("the file went by scp, and NHT-1 asks for ftp or rcp")' | sort -u)" = true ]
	grep -q "^    transfer path  no   by scp" "$OUT/nht1_network.txt"
	no_server
	[ "$([ ! -e /run/sshd ] || echo there)" = "$there" ] # made and removed where it was not there
}

@test "the source is cold, and what is smaller than NHT-1 asks for is flagged" {
	need_ftp
	case $(stat -f -c %T "$DATA") in tmpfs | ramfs) skip "the directory of the tests lies in memory" ;; esac
	done_well nht1_network "${TINY[@]}"
	[ "$(results '.cache | [.wanted, .pages_total, .pages_resident]')" = '["cold",256,0]' ]
	[ "$(results .outcome)" = suspect ]
	results .reason | grep -q 'not conforming to NHT-1: 1 MiB were moved'
}

@test "as an ordinary user" {
	local method

	need_ftp
	need_scp
	[ "$(id -u)" -eq 0 ] || skip "needs root to become somebody else"
	command -v setpriv >/dev/null || skip "setpriv is not installed"
	OTHERS=$(mktemp -d /tmp/pario-test.XXXXXX)
	chmod 777 "$OTHERS"
	cp "$PARIO" "$OTHERS/pario" # the build may lie where others cannot go
	cd "$OTHERS"
	DATA=$OTHERS/data OUT=$OTHERS/out
	mkdir -m 777 "$DATA"
	for method in ftp scp; do
		rm -rf "$OUT"
		timeout -k 5 "$LIMIT_S" setpriv --reuid 1 --regid 1 --clear-groups env HOME=/ TMPDIR="$OTHERS" "$OTHERS/pario" run \
			nht1_network --dir "$DATA" --output "$OUT" --quiet "${TINY[@]}" --method $method
		proved
		[ -z "$(ls -A "$DATA")" ]
	done
}

@test "a program that is not installed is skipped with the package's name" {
	need_ftp
	need_scp
	path_with vsftpd
	run -0 with_bin
	[ "$(results '[.outcome, .reason]')" = \
		'["skip","the command ftp|tnftp|inetutils-ftp is not installed (package tnftp)"]' ]
	rm -r bin
	path_with ftp
	run -0 with_bin
	[ "$(results .reason)" = "the command vsftpd is not installed (package vsftpd)" ]
	rm -r bin
	path_with scp ssh-keygen
	run -0 with_bin --method scp
	[ "$(results .reason)" = "the command sshd is not installed (package openssh-server)" ]
	[ -z "$(ls -A "$DATA")" ]
	sound
}

@test "a port that is taken gets a sentence" {
	need_ftp
	"$PYTHON" -c 'import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
open("port.new", "w").write(str(s.getsockname()[1])); import os; os.rename("port.new", "port"); time.sleep(900)' 3>&- &
	LISTENER=$!
	until_true "$LIMIT_S" test -e port
	run -3 operate nht1_network "${TINY[@]}" --port "$(cat port)"
	results .reason | grep -q "port $(cat port) of 127.0.0.1 is taken by another program. Use another --port"
	[ -z "$(ls -A "$DATA")" ]
	no_server
}

@test "a port that is asked for is used" {
	need_ftp
	once_of 5 # others take ports, too
	port=$("$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	done_well nht1_network "${TINY[@]}" --port "$port"
	results '.sheets.evidence.rows[0][1]' | grep -q "port $port,"
}

@test "a server that is killed in the middle of the transfer gets a sentence" {
	false_ftp kill
	run -3 with_bin
	sound
	results .reason | grep -q 'vsftpd ended with signal 9 (Killed) before the transfer was complete'
	[ -z "$(ls -A "$DATA")" ]
	no_server
}

@test "a transfer that ends half way is no success, whatever the command's status" {
	false_ftp half
	run -3 with_bin
	results .reason | grep -q "the transfer ended with 524288 of $FILE_BYTES bytes at the destination"
	no_server
}

@test "a byte that changes on the way is found by the XXH3 of the files" {
	false_ftp flip
	run -4 with_bin
	results .reason | grep -qE 'wrong data in .*/destination: its XXH3 is [0-9a-f]{16} and should be [0-9a-f]{16}'
}

@test "data that do not go through the loopback interface are found" {
	false_ftp copy
	TINY[1]=0.001 # other programs' bytes on lo must not be as many
	run -4 with_bin
	results .reason | grep -qE 'loopback interface carried [0-9]+ bytes .* went another way'
}

@test "a command that refuses its words is quoted" {
	need_ftp
	path_with vsftpd
	printf '#!/bin/sh\necho "a planted complaint" >&2\nexit 3\n' >bin/ftp
	chmod +x bin/ftp
	run -3 with_bin
	results .reason | grep -q 'the command ftp ended with status 3: a planted complaint'
}

# stopped SIGNAL: the client process gets it while the false ftp waits; sets status.
stopped()
{
	false_ftp wait
	# shellcheck disable=SC2119 # no arguments
	with_bin 3>&- &
	PID=$!
	until_true "$LIMIT_S" test -e ids
	read -r transfer listener rank <ids
	kill "-$1" "$rank"
	status=0
	wait "$PID" || status=$?
	until_true "$LIMIT_S" test ! -e "/proc/$transfer"
	until_true "$LIMIT_S" test ! -e "/proc/$listener"
	no_server
}

@test "interrupted, it ends command and server and leaves nothing" {
	stopped TERM
	[ "$status" -eq 130 ]
	[ -z "$(ls -A "$DATA")" ]
}

@test "killed, command and server end with it, and clean removes the rest" {
	stopped KILL
	[ "$status" -ne 0 ]
	[ -n "$(ls -A "$DATA")" ]
	run -0 pario clean "$DATA"
	[ -z "$(ls -A "$DATA")" ]
}

@test "more clients add the memory of their nodes; on one node it is the same file" {
	local one

	need_ftp
	done_well nht1_network --fraction 0.0002 --repetitions 1 --np 1
	one=$(results '[.metrics.S_FILE.value, .metrics.S_MEM.value, .metrics.nodes.value]')
	done_well nht1_network --fraction 0.0002 --repetitions 1 --np 3 --clients 2,3
	[ "$(results '[.metrics.S_FILE.value, .metrics.nodes.value, .metrics.nodes_left_out.value]' | sort -u)" = "$(jq -c '[.[0], 1, 0]' <<<"$one")" ]
	# a node's memory is shared out in whole bytes
	[ "$(results ".metrics.S_MEM.value - $(jq '.[1]' <<<"$one") | fabs < 3" | sort -u)" = true ]
	[ "$(results '.ops' | sort -u)" = 1 ]
	no_server
}

@test "unknown methods and ports out of range get a sentence" {
	local arguments

	for arguments in "--method rcp" "--port 65536" "--fraction 0"; do
		# shellcheck disable=SC2086 # two words
		run -2 --separate-stderr operate nht1_network "${TINY[@]}" $arguments
		one_sentence
		untouched
	done
}

@test "a directory whose name would change a server's configuration is refused" {
	need_ftp
	DATA="$DATA/a\"b"
	mkdir "$DATA"
	run -2 operate nht1_network "${TINY[@]}"
	results .reason | grep -q 'name of the directory'
	DATA="$BATS_TEST_TMPDIR/data/with blanks and \$(touch broken)"
	mkdir "$DATA"
	done_well nht1_network "${TINY[@]}"
	[ ! -e broken ]
}

@test "the same with MPICH" {
	need_mpich
	need_ftp
	PROGRAM=$PARIO_MPICH done_well nht1_network "${TINY[@]}"
	proved
}
