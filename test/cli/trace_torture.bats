#!/usr/bin/env bats
# pario trace: every wrapped call of MPI, with arguments that mean nothing, answers as it does untraced.

load lib

TRACE=$PARIO_SOURCE/test/trace

# run_of DIRECTORY COMMAND...: what it said per rank is in DIRECTORY; how it ended too.
run_of()
{
	local into=$1 status=0
	shift
	rm -rf said
	mkdir said
	timeout -k 5 "$LIMIT_S" "$@" </dev/null >"$into.log" 2>&1 || status=$?
	mv said "$into"
	rm -f "$into/tortured"*
	# after MPI_Abort the launcher says now the code, now the signal by which it ended the others
	[[ ${*: -1} != abort || $status = 0 ]] || status=aborted
	echo $status >"$into/status"
}

# as_untraced PARIO LAUNCHER... -- PROGRAM...: the same with and without.
as_untraced()
{
	local trace=$1 launch=()
	shift
	while [ "$1" != -- ]; do
		launch+=("$1")
		shift
	done
	rm -rf plain traced x.trace
	run_of plain "${launch[@]}" -n 3 "${@:2}"
	run_of traced "$trace" trace -o x.trace -- "${launch[@]}" -n 3 "${@:2}"
	tail -n 3 plain/said.0 plain.log
	[ "$(cat plain/said.* | wc -l)" -gt 50 ]
	diff -r plain traced
}

# witnessed FLAVOUR PARIO LAUNCHER...: what the tracer itself asked MPI meanwhile, all of it without an error
witnessed()
{
	awk '$2 ~ /^PMPI_/ { print $2 }' "$PARIO_SOURCE/test/gates/questions" | sort -u >questions
	{ printf '#define QUESTIONS(Q)'; sed 's/.*/ Q(&)/' questions | tr -d '\n'; } >questions.h
	gcc -w -shared -fPIC -I. -o libwitness.so "$TRACE/witness.c"
	"mpicc.$1" -w -o witnessed "$TRACE"/torture/*.c -L. -Wl,--no-as-needed -lwitness -Wl,-rpath,"$PWD"
	rm -rf said
	mkdir said
	WITNESS=$PWD/asked timeout -k 5 "$LIMIT_S" "$2" trace --quiet -o x.trace -- "${@:3}" -n 3 ./witnessed said >witnessed.log 2>&1
	cat asked.* | sort | uniq -c | tee answers.txt
	[ "$(awk '{ n += $1 } END { print n }' answers.txt)" -gt 1000 ]
	[ -z "$(awk '$3 != 0' answers.txt)" ]
}

# tortures FLAVOUR PARIO LAUNCHER...: as a program and as a library that is loaded in different ways
tortures()
{
	local sources=("$TRACE"/torture/*.c) mode

	"mpicc.$1" -w -o tortured "${sources[@]}"
	as_untraced "${@:2}" -- ./tortured said
	cat plain/said.* >calls.txt
	grep -q 'MPI_Finalize(): class 0' calls.txt
	witnessed "$@"
	as_untraced "${@:2}" -- ./tortured said abort
	cat plain/said.* >>calls.txt
	"mpicc.$1" -w -shared -fPIC -DLIBRARY -o libtortured.so "${sources[@]}"
	gcc -o loads "$TRACE/loads.c"
	for mode in local global deep; do
		as_untraced "${@:2}" -- ./loads ./libtortured.so $mode said
		grep -q 'MPI_Finalize(): class 0' plain/said.0
		if [ $mode != deep ]; then
			# the wrappers were in the way
			"$2" profile x.trace --csv calls.csv >profile.txt
			[ "$(grep -c ',MPI_Sendrecv,' calls.csv)" -gt 10 ]
			rm calls.csv
		fi
	done
}

# all_tortured FLAVOUR: there is no wrapper that the torture leaves alone
all_tortured()
{
	nm -D --defined-only "$(dirname "$2")/libpario-trace-$1.so" | awk '$2 == "T" && $3 ~ /^MPI_/ { print $3 }' | sort >wrapped
	[ "$(wc -l <wrapped)" -gt 100 ]
	# MPI_Init begins the program, MPI_Init_thread the library
	{ sed -n 's/^\(MPI_[A-Za-z_]*\)(.*/\1/p' calls.txt; grep -ho 'MPI_Init[a-z_]*' "$TRACE"/torture/torture.c; } | sort -u >tortured.txt
	run -0 comm -23 wrapped tortured.txt
	echo "not tortured: $output"
	[ -z "$output" ]
	# nothing of MPI is referred to but by its name: a library that comes late would not be there
	run ! grep -E '(ompi|MPI|mpich)' <(nm -D --undefined-only "$(dirname "$2")/libpario-trace-$1.so")
}

@test "Open MPI answers every tortured call as it does untraced" {
	command -v mpicc.openmpi || skip "there is no Open MPI"
	tortures openmpi "$PARIO" mpirun.openmpi --oversubscribe
	all_tortured openmpi "$PARIO"
}

@test "MPICH answers every tortured call as it does untraced" {
	need_mpich
	tortures mpich "$PARIO_MPICH" mpiexec.mpich
	all_tortured mpich "$PARIO_MPICH"
}

# fortran FLAVOUR PARIO LAUNCHER BINDING
fortran()
{
	command -v "mpif90.$1" >/dev/null || skip "there is no Fortran of this MPI"
	"mpif90.$1" -w -fallow-argument-mismatch -cpp "-D$4" -o ftorture "$TRACE/ftorture.f90" >build.log 2>&1 || {
		grep -qiE "can.t open|cannot open" build.log && skip "this MPI has no such binding for this compiler"
		cat build.log
		return 1
	}
	timeout "$LIMIT_S" "$3" -n 2 ./ftorture
	mkdir plain traced
	mv fsaid.* plain
	timeout "$LIMIT_S" "$2" trace -o x.trace -- "$3" -n 2 ./ftorture
	mv fsaid.* traced
	[ "$(wc -l <plain/fsaid.0)" = 30 ]
	diff -r plain traced
}

@test "Fortran's mpif.h answers as untraced under Open MPI" { fortran openmpi "$PARIO" mpirun.openmpi MPIFH; }
@test "Fortran's module mpi answers as untraced under Open MPI" { fortran openmpi "$PARIO" mpirun.openmpi MPIMOD; }
@test "Fortran's module mpi_f08 answers as untraced under Open MPI" { fortran openmpi "$PARIO" mpirun.openmpi MPIF08; }
@test "Fortran's mpif.h answers as untraced under MPICH" { need_mpich; fortran mpich "$PARIO_MPICH" mpiexec.mpich MPIFH; }
@test "Fortran's module mpi answers as untraced under MPICH" { need_mpich; fortran mpich "$PARIO_MPICH" mpiexec.mpich MPIMOD; }
@test "Fortran's module mpi_f08 answers as untraced under MPICH" { need_mpich; fortran mpich "$PARIO_MPICH" mpiexec.mpich MPIF08; }

@test "without MPI_COMM_WORLD, in a session, nothing is asked about it" {
	need_mpich
	cat >session.c <<-'END'
		#include <mpi.h>
		#include <stdio.h>
		int main(void)
		{
			MPI_Session s;
			MPI_Group group;
			MPI_Comm comm, other;
			int rank;

			if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s) != MPI_SUCCESS)
				return 77;
			MPI_Group_from_session_pset(s, "mpi://WORLD", &group);
			MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
			MPI_Comm_rank(comm, &rank);
			MPI_Barrier(comm);
			MPI_Comm_dup(comm, &other);
			MPI_Barrier(other);
			MPI_Comm_free(&other);
			MPI_Comm_free(&comm);
			MPI_Group_free(&group);
			MPI_Session_finalize(&s);
			printf("%d ended\n", rank);
			return 0;
		}
	END
	mpicc.mpich -w -o session session.c || skip "this MPICH has no sessions"
	timeout "$LIMIT_S" mpiexec.mpich -n 2 ./session | sort >plain.txt
	timeout "$LIMIT_S" "$PARIO_MPICH" trace -o x.trace -- mpiexec.mpich -n 2 ./session | sort >traced.txt
	[ "$(wc -l <plain.txt)" = 2 ]
	diff plain.txt traced.txt
}
