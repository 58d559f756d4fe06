#!/usr/bin/env bats
# shellcheck disable=SC2154 # variables that bats sets
# Is a run on two nodes one run: right counts, data of the other node, one workspace, and an end when a node goes wrong?
# The nodes are namespaces of this machine (docs/cluster.md); `make cluster-check` tries much more.

load ../fault/lib

NODES=$PARIO_SOURCE/test/cluster/cluster

setup_file()
{
	local why status=0

	export CLUSTER=check-$$-$RANDOM
	why=$("$NODES" up 2 "with=$$" "share=$BATS_FILE_TMPDIR" 2>&1 3>&-) || status=$?
	[ $status -ne 77 ] || export NO_NODES=${why#cluster: }
	[ $status -eq 0 ] || [ $status -eq 77 ] || { echo "$why"; return 1; }
}

teardown_file()
{
	[ -n "${NO_NODES:-}" ] || "$NODES" down
}

setup()
{
	[ -z "${NO_NODES:-}" ] || skip "$NO_NODES"
	DATA=$BATS_FILE_TMPDIR/data.$BATS_TEST_NUMBER OUT=$BATS_FILE_TMPDIR/out.$BATS_TEST_NUMBER
	rm -rf "$DATA" "$OUT"
	mkdir "$DATA"
}

teardown()
{
	[ -n "${NO_NODES:-}" ] || "$NODES" end
}

# any_on_nodes LIBRARY HOSTS TEST ARGUMENTS...: pario under the launcher of this MPI, bounded; MPICH may hang after the
# journal's end
any_on_nodes()
{
	local library=$1 hosts=$2 program=$PARIO

	shift 2
	[ "$library" = openmpi ] || program=$PARIO_MPICH
	status=0
	timeout -k 5 "$LIMIT_S" "$NODES" mpi "$library" "$hosts" "$program" run "$@" --dir "$DATA" --output "$OUT" \
		>"$BATS_TEST_TMPDIR/text" 2>&1 3>&- || status=$?
	output=$(cat "$BATS_TEST_TMPDIR/text")
	echo "$output"
	echo "status $status"
}

on_nodes()
{
	any_on_nodes "$1" "$2" transfer --transfer_size 64k --block_size 256k "${@:3}"
}

nothing_runs()
{
	[ -z "$("$NODES" ps)" ]
}

@test "three clients on two nodes: counts, clocks two hours apart, pages counted on both, one workspace that goes" {
	on_nodes openmpi n1:2,n2:1 --repetitions 1 --clients 1,3
	[ "$status" -eq 0 ]
	journal_is_sound
	[ "$(journal 'first | .machine.mpi | "\(.clients) \(.nodes) \(.clients_per_node_max)"')" = "3 2 2" ]
	[ "$(phase read clients)" -eq 3 ]
	# 768 KiB are 192 pages, and each node has looked for all of them.
	[ "$(phase read cache.pages_total)" -eq 384 ]
	[ "$(phase read 'metrics.clock_skew_s.value | round')" -eq 7200 ]
	workspace_is_gone
	until_true "$LIMIT_S" nothing_runs
}

@test "the same with MPICH, judged by the journal" {
	[ -x "$PARIO_MPICH" ] || skip "there is no build for MPICH"
	command -v mpiexec.mpich >/dev/null || skip "mpich is not installed"
	once_of 3
	# an MPI_Finalize that hangs is left after the deadline
	on_nodes mpich n1:1,n2:1 --repetitions 1 --deadline "$(by_try 8 40 90)"
	journal_is_sound
	[ "$(journal 'last | .exit_code')" -eq 0 ]
	[ "$(journal 'first | .machine.mpi | "\(.clients) \(.nodes)"')" = "2 2" ]
	workspace_is_gone
}

@test "a directory that only one node has is refused with the name of the other" {
	"$NODES" run n1 mkdir -p /tmp/own
	DATA=/tmp/own on_nodes openmpi n1:1,n2:1 --repetitions 1
	[ "$status" -ne 0 ]
	[[ $output == *" on n2"* ]]
	until_true "$LIMIT_S" nothing_runs
}

@test "a client that is killed on the other node ends the run, and nothing runs on any node" {
	# shellcheck disable=SC2016 # expanded on the node
	(
		until_true "$LIMIT_S" grep -q '"kind":"result"' "$OUT/journal.jsonl" &&
			"$NODES" run n2 sh -c 'kill -KILL $(pgrep -x pario)'
	) </dev/null >/dev/null 2>&1 3>&- &
	on_nodes openmpi n1:1,n2:1 --repetitions 100000 --deadline 90
	wait $! || true
	[ "$status" -ne 0 ] && [ "$status" -ne 124 ]
	[ "$(grep -c '"kind":"begin"' "$OUT/journal.jsonl")" -eq 1 ]
	until_true "$LIMIT_S" nothing_runs
}

# On a file system of several servers: a directory that is made again under its name stays unknown on the other node, and a
# read is of what the servers hand out, as their own count of bytes says.
@test "two nodes of MooseFS: client counts of metadata, and reads that come from the servers" {
	local files=$PARIO_SOURCE/test/cluster/moosefs volume=/var/lib/pario-cluster/$CLUSTER/volume counts=() before tool words

	for tool in mfsmaster mfschunkserver mfsmount; do
		PATH=$PATH:/usr/sbin command -v $tool >/dev/null || skip "$tool is not installed"
	done
	[ -c /dev/fuse ] || skip "there is no FUSE here"
	timeout "$LIMIT_S" "$files" "$CLUSTER" start 3>&-
	timeout "$LIMIT_S" "$files" "$CLUSTER" mount 3>&-
	"$NODES" run n1 mkdir "$volume/data"
	DATA=$volume/data any_on_nodes openmpi n1:1,n2:1 metadata --items 5 --clients 1,2 --repetitions 2
	[ "$status" -eq 0 ]
	journal_is_sound
	# What the servers read for the same run without its read phase is what they received and gave to the sample that is compared.
	for words in "write" "write,read" "write,read --cache warm --read_shift 0"; do
		rm -rf "$OUT"
		before=$("$files" "$CLUSTER" missed)
		# shellcheck disable=SC2086 # several words
		DATA=$volume/data on_nodes openmpi n1:1,n2:1 --layout per_client --block_size 4m --verify 0 --repetitions 1 \
			--operations $words
		[ "$status" -eq 0 ]
		counts+=($(($("$files" "$CLUSTER" missed) - before)))
		echo "$words: the servers read ${counts[-1]} bytes"
		[[ $words != *read ]] || [[ $(phase read cache.not_excluded) == *"the memory of the servers"* ]]
	done
	[ $((counts[1] - counts[0])) -ge 8388608 ]
	[ $((counts[2] - counts[0])) -lt 8388608 ]
	[ -z "$("$NODES" run n2 ls -A "$volume/data")" ]
	"$files" "$CLUSTER" stop
	until_true "$LIMIT_S" nothing_runs
}

# What a node knows about a name that is gone must not meet another of that name, at any client count or repetition. The
# manifest of a run names what was made in it, each thing once.
@test "no name is used twice on several nodes, in any test" {
	local words

	while read -ra words; do
		rm -rf "$DATA" "$OUT"
		mkdir "$DATA"
		any_on_nodes openmpi n1:1,n2:1 "${words[@]}" --clients 1,2 --repetitions 2 --keep_files 1
		[ "$status" -eq 0 ]
		[ "$(sed '1d;/^\./d' "$DATA"/pario-*/manifest | sort -u | wc -l)" -ge 4 ] ||
			{ echo "${words[0]}:" && cat "$DATA"/pario-*/manifest && false; }
	done <<-END
		metadata --items 2
		metadata --steady 1 --items 4 --data_sets 2
		smallfiles --files 2 --file_size 4k
		find --files 4 --directories 2
		overlap --routine pread --buffer_sizes 4k --study_time 0.2
		interactive --files 4 --rounds 1 --phases ls_lR
		nht1_peak --fraction 0.0001
		transfer --block_size 64k --transfer_size 64k
		noncontig --fsize 64k
		tile --sz_tile_x 16 --sz_tile_y 16
	END
}
