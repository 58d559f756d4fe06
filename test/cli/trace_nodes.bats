#!/usr/bin/env bats
# pario trace: the ranks of a job on several nodes are one trace. Nodes are host names of their own on one machine, reached
# through a stand-in for ssh, which passes nothing of the environment on. What a node does not see is mounted over there.
# shellcheck disable=SC2030,SC2031,SC2154 # bats sets status and stderr

load lib

# nodes [LINE]: a stand-in for ssh that runs the line, then the command, on a node of its own.
nodes()
{
	unshare -u -m true || skip "namespaces are not allowed here"
	cat >agent <<-END
		#!/bin/bash
		while [ "\${1#-}" != "\$1" ]; do shift; done
		export NODE=\$1
		shift
		exec env -i PATH="\$PATH" HOME="\$HOME" NODE="\$NODE" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
			unshare -u -m bash -c "hostname \$NODE; ${1:-:}; \$*"
	END
	chmod +x agent
	mkdir shared
	OPENMPI=(mpiexec.openmpi --mca plm_rsh_agent "$PWD/agent" --mca plm_rsh_no_tree_spawn 1 --oversubscribe --bind-to none
		--host "$(hostname):1,n2:1,n3:1")
	MPICH=(mpiexec.mpich -launcher ssh -launcher-exec "$PWD/agent" -hosts "n1:1,n2:2" -n 3)
}

# write_ranks PROGRAM TRACE: the ranks whose write is in the trace.
write_ranks()
{
	rm -f calls.csv
	"$1" profile "$2" --csv calls.csv >profile.txt
	awk -F, '$8 == "write" && $9 ~ /rank[.][0-9]+"?$/ { print $3 }' calls.csv | sort | tr '\n' ' '
}

whole() # PROGRAM TRACE
{
	[ "$(write_ranks "$1" "$2")" = "0 1 2 " ]
	run ! grep -E 'RANKS|DAMAGED|no end' profile.txt
}

# everywhere COMPILER PROGRAM LAUNCHER...: one trace, whether pario starts the launcher or the launcher starts pario.
everywhere()
{
	local compiler=$1 program=$2

	shift 2
	"$compiler" -w -o ranks "$PARIO_SOURCE/test/trace/ranks.c"
	run -0 timeout "$LIMIT_S" "$@" "$program" trace -o shared/x.trace -- ./ranks "$DATA"
	whole "$program" shared/x.trace
	run -0 timeout "$LIMIT_S" "$program" trace -o shared/y.trace -- "$@" ./ranks "$DATA"
	[[ $output != *RANKS* ]]
	whole "$program" shared/y.trace
	[ "$(echo shared/*)" = "shared/x.trace shared/y.trace" ]
}

@test "ranks on several nodes are one trace with Open MPI" {
	nodes
	everywhere mpicc.openmpi "$PARIO" "${OPENMPI[@]}"
	# a user's own variables go on being passed
	export OWN=own=1
	run -0 timeout "$LIMIT_S" "$PARIO" trace -o z.trace -- "${OPENMPI[@]}" -x OWN printenv OWN
	[ "$(grep -c own=1 <<<"$output")" -eq 3 ]
}

@test "ranks on several nodes are one trace with MPICH" {
	need_mpich
	nodes
	everywhere mpicc.mpich "$PARIO_MPICH" "${MPICH[@]}"
}

@test "an older trace is replaced, not continued, by a job on several nodes" {
	nodes
	mpicc.openmpi -w -o ranks "$PARIO_SOURCE/test/trace/ranks.c"
	for _ in 1 2; do
		run -0 timeout "$LIMIT_S" "${OPENMPI[@]}" "$PARIO" trace -o shared/x.trace -- ./ranks "$DATA"
	done
	whole "$PARIO" shared/x.trace
}

@test "where nodes share no directory, each has a trace of its own, and they are joined" {
	nodes "mkdir -p $PWD/\$NODE; mount --bind $PWD/\$NODE $PWD/shared"
	mpicc.openmpi -w -o ranks "$PARIO_SOURCE/test/trace/ranks.c"
	run -0 timeout "$LIMIT_S" "${OPENMPI[@]}" "$PARIO" trace -o shared/x.trace -- ./ranks "$DATA"
	[[ $output == *"HOLDS 1 OF 3 RANKS; not yet there: 1-2."* ]]
	[ "$(write_ranks "$PARIO" shared/x.trace)" = "0 " ]
	grep -q "^THE TRACE HOLDS 1 OF 3 RANKS; missing: 1-2" profile.txt
	run -0 pario trace --join all.trace shared/x.trace n2/x.trace n3/x.trace
	whole "$PARIO" all.trace
	# nothing of the parts was changed, and plain concatenation is a trace as well
	cat shared/x.trace n2/x.trace n3/x.trace >cat.trace
	whole "$PARIO" cat.trace
	run -2 pario trace --join again.trace shared/x.trace n2/x.trace shared/x.trace
	[ ! -e again.trace ]
}

@test "segments of nodes that do not see the trace's directory are kept there, named and joined" {
	local away

	nodes "mkdir -p $PWD/\$NODE; mount --bind $PWD/\$NODE $PWD/shared"
	mpicc.openmpi -w -o ranks "$PARIO_SOURCE/test/trace/ranks.c"
	run -0 timeout "$LIMIT_S" "$PARIO" trace -o shared/x.trace -- "${OPENMPI[@]}" ./ranks "$DATA"
	[[ $output == *"HOLDS 1 OF 3 RANKS; missing: 1-2."* ]]
	away=$(grep -o '/tmp/pario-trace-[A-Za-z0-9]*' <<<"$output")
	[ "$(stat -c %a "$away")" = 700 ]
	mv "$away" away
	run -0 pario trace --join all.trace shared/x.trace away
	whole "$PARIO" all.trace
}

# killed COMPILER PROGRAM LAUNCHER...: the launcher returns as soon as it has killed the ranks; their trace is written then.
killed()
{
	local compiler=$1 program=$2

	shift 2
	"$compiler" -w -o ranks "$PARIO_SOURCE/test/trace/ranks.c"
	run timeout "$LIMIT_S" "$@" -n 3 "$program" trace -o x.trace -- ./ranks "$DATA" leave
	[ "$status" -ne 0 ] && [ "$status" -ne 124 ]
	until_true 60 all_written "$program" 2>/dev/null
}

all_written() # PROGRAM
{
	[ -z "$(find . -maxdepth 1 -name 'pario-trace-*')" ] && [ "$(write_ranks "$1" x.trace)" = "0 1 2 " ]
}

@test "the trace of a job that its launcher kills has all ranks" {
	killed mpicc.openmpi "$PARIO" mpiexec.openmpi --oversubscribe
	need_mpich
	killed mpicc.mpich "$PARIO_MPICH" mpiexec.mpich
}

@test "traces of different jobs are not joined" {
	for i in 1 2; do
		run -0 timeout "$LIMIT_S" mpiexec.openmpi -n 1 "$PARIO" trace -o $i.trace -- true
	done
	run -2 --separate-stderr pario trace --join x.trace 1.trace 2.trace
	[[ $stderr == *"different jobs"* ]]
	[ ! -e x.trace ]
}
