#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# The BT solver at numbers of ranks that divide nothing, and at more than its grid can feed. The program is that of
# test/mpi, which compares with the reference norms; Open MPI only, since MPICH's ranks spin while they wait.

load lib

# solve RANKS CLASS
solve()
{
	OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 timeout -k 5 "$LIMIT_S" \
		mpiexec.openmpi -n "$1" "$PARIO_BUILD/test/mpi/test_bt" "$2"
}

@test "five ranks solve class S" { solve 5 S; }

@test "seven ranks solve class S" { solve 7 S; }

@test "seven ranks solve class W" { solve 7 W; }

@test "as many ranks as planes solve class S" { solve 10 S; }

@test "more ranks than planes solve class S" { solve 11 S; }

@test "more ranks than eighths of its lines are refused" { solve 13 S; }
