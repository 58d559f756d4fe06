#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # bats sets stderr; what stands in single quotes is for shells, make and the loader
# pario trace: MPI, HDF5 and PnetCDF are seen whoever starts the program: a script, a shell, make, env, a driver.

load lib

# Says with which of the tracer's libraries it was started: "MARK name name". saying NAME MARK FLAGS...
saying()
{
	cat >saying.c <<-END
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		int main(void)
		{
			char *preload = getenv("LD_PRELOAD");

			fputs(MARK, stdout);
			for (char *at = preload ? strtok(preload, ": ") : NULL; at; at = strtok(NULL, ": "))
				printf(" %s", strrchr(at, '/') ? strrchr(at, '/') + 1 : at);
			puts("");
			return 0;
		}
	END
	gcc -DMARK="\"$2\"" -Wl,--no-as-needed -o "$1" saying.c "${@:3}"
}

OWN=libpario-trace.so SHIM=libpario-trace-openmpi.so

# meet COMPILER: a program that meets three times and writes once through MPI-IO
meet()
{
	cat >meet.c <<-END
		#include <mpi.h>
		int main(int argc, char **argv)
		{
			MPI_File file;
			int rank;

			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			for (int i = 0; i < 3; i++)
				MPI_Barrier(MPI_COMM_WORLD);
			MPI_File_open(MPI_COMM_WORLD, "met.data", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
			MPI_File_write_at(file, 8 * rank, "eight by", 8, MPI_BYTE, MPI_STATUS_IGNORE);
			MPI_File_close(&file);
			MPI_Finalize();
			return 0;
		}
	END
	"$1" -o meet meet.c
}

# has_met PROGRAM TRACE RUNS: both ranks of each run met three times and wrote once.
has_met()
{
	"$1" profile "$2" --csv calls.csv >profile.txt
	awk -F, '$7 == 0 && ($8 == "MPI_Barrier" || $8 == "MPI_File_write_at") { print $3, $8 }' calls.csv | sort | uniq -c |
		awk '{ print $1, $2, $3 }' >got
	cat got
	diff got - <<-END
		$((3 * $3)) 0 MPI_Barrier
		$3 0 MPI_File_write_at
		$((3 * $3)) 1 MPI_Barrier
		$3 1 MPI_File_write_at
	END
}

# chains COMPILER LAUNCHER PROGRAM: the launcher behind a script, a shell, make, an empty environment.
chains()
{
	local launch="$2 -n 2"

	meet "$1"
	printf '#!/bin/sh\ncat /dev/null\n%s ./meet\n' "$launch" >job.sh
	chmod +x job.sh
	timeout -k 5 "$LIMIT_S" "$3" trace --quiet -o script.trace -- ./job.sh
	has_met "$3" script.trace 1
	timeout -k 5 "$LIMIT_S" "$3" trace --quiet -o shell.trace -- sh -c "$launch ./meet"
	has_met "$3" shell.trace 1
	timeout -k 5 "$LIMIT_S" "$3" trace --quiet -o env.trace -- sh -c 'env -i PATH="$PATH" HOME="$HOME" TMPDIR="${TMPDIR:-/tmp}" \
		OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 sh -c "'"$launch"' ./meet"'
	has_met "$3" env.trace 1
	timeout -k 5 "$LIMIT_S" "$3" trace --quiet -o three.trace -- sh -c "$launch ./meet; cat job.sh >/dev/null; $launch ./meet"
	has_met "$3" three.trace 2
	command -v make >/dev/null || return 0
	printf 'all: second\nfirst:\n\t%s ./meet\nsecond: first\n\t$(MAKE) -f Jobs third\nthird:\n\tsh ./job.sh\n' "$launch" >Jobs
	timeout -k 5 "$LIMIT_S" "$3" trace --quiet -o make.trace -- make -f Jobs
	has_met "$3" make.trace 2
}

@test "Open MPI is seen behind scripts, shells, make and empty environments" {
	command -v mpicc.openmpi || skip "there is no Open MPI"
	chains mpicc.openmpi "mpiexec.openmpi --oversubscribe" "$PARIO"
}

@test "MPICH is seen behind scripts, shells, make and empty environments" {
	need_mpich
	chains mpicc.mpich mpiexec.mpich "$PARIO_MPICH"
}

@test "a replay of a script's trace meets as often as the program did" {
	command -v mpicc.openmpi || skip "there is no Open MPI"
	meet mpicc.openmpi
	mkdir place
	(cd place && pario trace --quiet -o ../direct.trace -- mpiexec.openmpi --oversubscribe -n 2 ../meet)
	rm -r place/*
	(cd place && pario trace --quiet -o ../script.trace -- sh -c "mpiexec.openmpi --oversubscribe -n 2 ../meet")
	for way in direct script; do
		pario trace --quiet -o again.trace -- "$PARIO" replay $way.trace "$DATA" --output "$OUT.$way" --keep_files 1 >/dev/null
		run -0 "$PYTHON" "$CLI/replay_calls.py" "$PARIO" $way.trace again.trace "$PWD/place"
		echo "$output"
		[[ $output =~ ([0-9]+)" meetings" ]]
		echo "${BASH_REMATCH[1]}" >$way.meetings
		rm again.trace
		"$PARIO" clean --kept "$DATA"
	done
	[ "$(<direct.meetings)" = 6 ]
	cmp direct.meetings script.meetings
}

@test "each program gets the shims that it needs, and one that needs none gets none" {
	[ -e "$(dirname "$PARIO")/$SHIM" ] || skip "this pario has no shim for Open MPI"
	saying plain plain
	saying with with -l:libmpi.so.40
	run -0 --separate-stderr pario trace -o x.trace -- sh -c './plain; ./with; ./plain; env -i ./with; env -i ./plain'
	diff <(echo "$output") - <<-END
		plain $OWN
		with $OWN $SHIM
		plain $OWN
		with $OWN $SHIM
		plain $OWN
	END
	# what others preload stays where it is
	run -0 --separate-stderr pario trace -o x.trace -- \
		sh -c 'LD_PRELOAD=libm.so.6:$LD_PRELOAD:libdl.so.2 ./with; LD_PRELOAD="libm.so.6 libdl.so.2" ./with; LD_PRELOAD= ./plain'
	diff <(echo "$output") - <<-END
		with libm.so.6 $OWN $SHIM libdl.so.2
		with libm.so.6 libdl.so.2 $OWN $SHIM
		plain $OWN
	END
	# a rank's script may load MPI later
	run -0 --separate-stderr pario trace -o x.trace -- sh -c 'OMPI_COMM_WORLD_RANK=0 ./plain; ./plain'
	diff <(echo "$output") - <<-END
		plain $OWN $SHIM
		plain $OWN
	END
}

@test "libraries are found at an exec as the loader finds them" {
	[ -e "$(dirname "$PARIO")/$SHIM" ] || skip "this pario has no shim for Open MPI"
	mkdir deep
	echo 'int MPI_Initialized(int *); int mid(void) { int is; return MPI_Initialized(&is); }' >mid.c
	gcc -shared -fPIC -o deep/libmid.so mid.c -l:libmpi.so.40
	saying origin origin -Ldeep -lmid '-Wl,-rpath,$ORIGIN/deep' -Wl,-rpath-link,/usr/lib
	saying variable variable -Ldeep -lmid -Wl,-rpath-link,/usr/lib
	run -0 --separate-stderr pario trace -o x.trace -- sh -c './origin; LD_LIBRARY_PATH=$PWD/deep ./variable'
	diff <(echo "$output") - <<-END
		origin $OWN $SHIM
		variable $OWN $SHIM
	END
}

@test "every way to start a program gives it its shims" {
	[ -e "$(dirname "$PARIO")/$SHIM" ] || skip "this pario has no shim for Open MPI"
	saying with with -l:libmpi.so.40
	cat >ways.c <<-END
		#include <fcntl.h>
		#include <spawn.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/syscall.h>
		#include <sys/wait.h>
		#include <unistd.h>
		extern char **environ;
		int main(void)
		{
			char *argv[] = { "with", NULL }, *none[] = { NULL };
			int fd = open("with", O_RDONLY | O_CLOEXEC);
			pid_t pid;

			for (int way = 0; way < 10; way++) {
				if (way < 2) {
					if (way ? posix_spawnp(&pid, "with", NULL, NULL, argv, none) :
						  posix_spawn(&pid, "./with", NULL, NULL, argv, environ))
						return 1;
				} else {
					pid = way == 9 ? vfork() : fork();
				}
				if (pid == 0) {
					switch (way) {
					case 2: execv("./with", argv); break;
					case 3: execve("./with", argv, none); break;
					case 4: execvp("with", argv); break;
					case 5: execl("./with", "with", (char *)NULL); break;
					case 6: execle("./with", "with", (char *)NULL, none); break;
					case 7: fexecve(fd, argv, none); break;
					case 8: syscall(SYS_execve, "./with", argv, environ); break;
					default: execlp("with", "with", (char *)NULL);
					}
					_exit(1);
				}
				waitpid(pid, NULL, 0);
			}
			return system("exec ./with");
		}
	END
	gcc -w -D_GNU_SOURCE -o ways ways.c
	PATH=$PWD:$PATH run -0 --separate-stderr pario trace -o x.trace -- ./ways
	[ "$(sort -u <<<"$output")" = "with $OWN $SHIM" ]
	[ "$(wc -l <<<"$output")" = 11 ]
}

@test "threads with small stacks, and with huge environments, start programs" {
	[ -e "$(dirname "$PARIO")/$SHIM" ] || skip "this pario has no shim for Open MPI"
	saying with with -l:libmpi.so.40
	cat >small.c <<-END
		#include <pthread.h>
		#include <spawn.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/wait.h>
		#include <unistd.h>
		extern char **environ;
		static void *run(void *how)
		{
			char *argv[] = { "with", NULL };
			pid_t pid = -1;

			if (strcmp(how, "spawn") == 0)
				posix_spawn(&pid, "./with", NULL, NULL, argv, environ);
			else if ((pid = strcmp(how, "vfork") == 0 ? vfork() : fork()) == 0) {
				execve("./nowhere", argv, environ);
				execve("./with", argv, environ);
				_exit(1);
			}
			waitpid(pid, NULL, 0);
			return NULL;
		}
		/* SETTINGS BYTES-OF-EACH KIB-OF-STACK HOW [empty] */
		int main(int argc, char **argv)
		{
			static char name[32], value[100000];
			pthread_attr_t small;
			pthread_t thread;

			memset(value, 'x', atoi(argv[2]));
			for (int i = 0; i < atoi(argv[1]); i++) {
				snprintf(name, sizeof(name), "HUGE_%d", i);
				setenv(name, value, 1);
			}
			if (argc > 5)
				setenv("LD_PRELOAD", "", 1); /* has to be put back */
			pthread_attr_init(&small);
			pthread_attr_setstacksize(&small, atoi(argv[3]) * 1024);
			if (pthread_create(&thread, &small, run, argv[4]))
				return 1;
			pthread_join(thread, NULL);
			return 0;
		}
	END
	gcc -w -o small small.c -pthread
	for how in spawn vfork fork; do
		# few and many words of it
		for many in "10 4000 16" "400 4000 16" "16 100000 16" "16000 90 16"; do
			for empty in "" empty; do
				# shellcheck disable=SC2086 # words
				run -0 --separate-stderr pario trace -o x.trace -- ./small $many $how $empty
				[ "$output" = "with $OWN $SHIM" ]
			done
		done
	done
}

@test "a library whose shim is missing is said, once" {
	[ -e "$(dirname "$PARIO")/$SHIM" ] || skip "this pario has no shim for Open MPI"
	[ ! -e "$(dirname "$PARIO")/libpario-trace-mpich.so" ] || skip "this pario has both"
	saying plain plain
	gcc -shared -fPIC -o libmpich.so.99 -Wl,-soname,libmpich.so.99 -x c - <<<'int nothing;'
	saying with with -L. -l:libmpich.so.99
	run -0 --separate-stderr pario trace -o x.trace -- sh -c './plain; LD_LIBRARY_PATH=. ./with; LD_LIBRARY_PATH=. ./with'
	diff <(echo "$output") - <<-END
		plain $OWN
		with $OWN
		with $OWN
	END
	says "no shim for a library"
	says "./with (2 runs, uses mpich)"
	[[ $stderr != *"NOT TRACED"* ]]
}

@test "a pario that only root can read takes its shims to where others read them" {
	[ "$(id -u)" -eq 0 ] || skip "only root's pario gives others a place"
	[ -e "$(dirname "$PARIO")/$SHIM" ] || skip "this pario has no shim for Open MPI"
	mkdir -m 700 closed
	cp "$PARIO" "$(dirname "$PARIO")"/libpario-trace*.so closed
	meet mpicc.openmpi
	timeout -k 5 "$LIMIT_S" closed/pario trace --quiet -o x.trace -- sh -c "mpiexec.openmpi --oversubscribe -n 2 ./meet"
	has_met "$PARIO" x.trace 1
}

@test "HDF5 is seen in a program that a script starts" {
	has_backend "$PARIO" hdf5 || skip "built without hdf5"
	printf '#!/bin/sh\n"$@"\n' >job.sh
	chmod +x job.sh
	pario trace --quiet -o x.trace -- ./job.sh "$PARIO" run transfer --api hdf5 --dir "$DATA" --output "$OUT" \
		--transfer_size 16k --block_size 64k --repetitions 1 --np 2 --quiet
	pario profile x.trace --csv calls.csv >profile.txt
	[ "$(awk -F, '$8 == "H5Dwrite" { n++ } END { print n + 0 }' calls.csv)" = 8 ]
	awk -F, '$6 == "mpi-io" && $7 == 1 { n++ } END { exit n == 0 }' calls.csv
}
