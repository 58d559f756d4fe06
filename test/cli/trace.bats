#!/usr/bin/env bats
# pario trace: programs behave as before, every call is recorded, whatever ends them.
# shellcheck disable=SC2016,SC2034 # what shells in quotes expand is theirs; lib.bash reads MOUNTED

load lib

build() # NAME FLAGS...
{
	local name=$1
	shift
	gcc -w "$@" -o "$name" "$PARIO_SOURCE/test/trace/$name.c" -lpthread
}

# counts TRACE: "operation count" of all calls in it, sorted.
counts()
{
	rm -f calls.csv
	pario profile "$1" --csv calls.csv >profile.txt
	awk -F, 'NR > 1 { print $8 }' calls.csv | sort | uniq -c | awk '{ print $2, $1 }' | sort
}

count() { counts "$1" | awk -v op="$2" '$1 == op { print $2 }'; }

# same COMMAND...: output, errors and exit code do not change under the tracer.
same()
{
	local plain=0 traced=0

	"$@" >plain.out 2>plain.err </dev/null || plain=$?
	pario trace -o same.trace -- "$@" >traced.out 2>traced.err </dev/null || traced=$?
	cmp plain.out traced.out
	[[ $(tail -n 1 traced.err) == "pario: same.trace ("*"next: pario profile same.trace" ]]
	diff plain.err <(sed '$d' traced.err)
	[ $plain -eq $traced ]
	pario profile same.trace | grep '^calls '
}

probed() # FLAGS...
{
	build probe "$@"
	mkdir work
	pario trace -o probe.trace -- ./probe work expected
	sort expected >wanted
	counts probe.trace >got
	diff wanted got
}

@test "every call of the probe is recorded, built with -O0" { probed -O0; }
@test "every call of the probe is recorded, built with -O2" { probed -O2; }
@test "every call of the probe is recorded, fortified" { probed -O2 -D_FORTIFY_SOURCE=3; }
@test "every call of the probe is recorded, with 64-bit offsets" { probed -O2 -D_FILE_OFFSET_BITS=64; }
@test "every call of the probe is recorded, fortified with 64-bit offsets at -O3" {
	probed -O3 -D_FORTIFY_SOURCE=2 -D_FILE_OFFSET_BITS=64
}

@test "the counts are those of strace" {
	command -v strace >/dev/null || skip "strace is not installed"
	build probe -O2
	mkdir work again
	strace -f -c -U name,calls -o strace.txt ./probe work expected syscalls || skip "strace cannot trace here"
	pario trace -o probe.trace -- ./probe again expected syscalls
	counts probe.trace >got
	# operation and system call, where the library makes none of its own
	while read -r op call; do
		[ "$(awk -v op="$op" '$1 == op { print $2 }' got)" = "$(awk -v c="$call" '$1 == c { print $2 }' strace.txt)" ] ||
			{ echo "$op differs"; cat got strace.txt; return 1; }
	done <<-END
		pwrite pwrite64
		pwritev pwritev
		preadv preadv
		pwritev2 pwritev2
		preadv2 preadv2
		writev writev
		readv readv
		lseek lseek
		sendfile sendfile
		copy_file_range copy_file_range
		fsync fsync
		fdatasync fdatasync
		sync_file_range sync_file_range
		ftruncate ftruncate
		truncate truncate
		posix_fadvise fadvise64
		readahead readahead
		msync msync
		mincore mincore
		mkdirat mkdirat
		unlinkat unlinkat
		linkat linkat
		symlinkat symlinkat
		setxattr setxattr
		getxattr getxattr
		listxattr listxattr
		removexattr removexattr
	END
}

@test "the exit code is the program's" {
	run -7 pario trace -o x.trace -- bash -c 'exit 7'
	run -0 pario trace -o x.trace -- true
	run -137 pario trace -o x.trace -- bash -c 'kill -9 $$'
}

@test "a program that does not exist gives 127 and a sentence" {
	run -127 --separate-stderr pario trace -o x.trace -- ./nobody
	one_sentence
	[ ! -e x.trace ]
}

@test "a closed directory on PATH says nothing about a program, as in a shell" {
	local as=()

	mkdir -m 000 closed
	if [ "$(id -u)" -eq 0 ]; then
		command -v setpriv >/dev/null || skip "there is no setpriv to become an ordinary user with"
		as=(setpriv --reuid=1 --regid=1 --clear-groups)
	fi
	PATH=$PWD/closed:$PATH run -127 --separate-stderr "${as[@]}" "$PARIO" trace -o x.trace -- nobody-has-this
	one_sentence
}

@test "a program that cannot be executed gives 126 and a sentence" {
	echo text >file
	run -126 --separate-stderr pario trace -o x.trace -- ./file
	one_sentence
	run -126 --separate-stderr pario trace -o x.trace -- "$PWD"
	one_sentence
}

@test "a missing command is a usage error" {
	run -2 --separate-stderr pario trace
	says "which program?"
	run -2 --separate-stderr pario trace --nonsense -- true
	says "unknown option"
	run -2 --separate-stderr pario trace --stack 99 -- true
	says "--stack"
}

@test "bash and its children work as before" { same bash -c 'for i in 1 2 3; do echo $i | cat; done; ls /nowhere; exit 3'; }
@test "python3 works as before" { same /usr/bin/python3 -c 'import os, subprocess; print(subprocess.run(["echo", "a"], capture_output=True).stdout, len(os.listdir("/")))'; }
@test "tar works as before" {
	mkdir tree
	echo a >tree/a
	same tar -C tree -cvf - --mtime=@0 .
}
@test "sqlite3 works as before" {
	command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
	same bash -c 'rm -f db; sqlite3 db "create table t(a); insert into t values (1), (2); select sum(a) from t"'
}
@test "gcc works as before" {
	echo 'int main(void) { return 4; }' >four.c
	same bash -c 'gcc -O1 -o four four.c && ./four'
}
@test "git works as before" {
	command -v git >/dev/null || skip "git is not installed"
	same bash -c 'rm -rf r; git init -q r; cd r; echo a >a; git add a; git -c user.name=n -c user.email=e commit -qm m; git log --format=%s; git status --short'
}

@test "nothing is lost when the program is killed" {
	build victim -O1
	run -137 pario trace -o x.trace -- ./victim 20000 kill
	[ "$(count x.trace pwrite)" = 20000 ]
}

@test "nothing is lost by _exit" {
	build victim -O1
	run -5 pario trace -o x.trace -- ./victim 20000 _exit
	[ "$(count x.trace pwrite)" = 20000 ]
	[ "$(count x.trace exit)" = 1 ]
}

@test "nothing is lost by abort" {
	build victim -O1
	run -134 pario trace -o x.trace -- ./victim 20000 abort
	[ "$(count x.trace pwrite)" = 20000 ]
	[ "$(count x.trace abort)" = 1 ]
}

@test "nothing is lost by exec, and the new program is traced" {
	build victim -O1
	run -0 pario trace -o x.trace -- ./victim 20000 exec
	[ "$(count x.trace pwrite)" = 20000 ]
	[ "$(count x.trace exec)" = 1 ]
	grep -q 'processes 2 ' profile.txt
}

@test "a child of vfork leaves its parent's trace whole" {
	build victim -O1
	run -0 pario trace -o x.trace -- ./victim 5000 vfork
	[ "$(count x.trace pwrite)" = 5000 ]
	grep -q 'processes 3 ' profile.txt
}

@test "a program that closes all descriptors is traced on" {
	build victim -O1
	run -0 pario trace -o x.trace -- ./victim 20000 close
	[ "$(count x.trace pwrite)" = 20000 ]
}

@test "threads are recorded each for itself" {
	build victim -O1
	run -0 pario trace -o x.trace -- ./victim 20000 threads
	[ "$(count x.trace pwrite)" = 80000 ]
	[ "$(awk -F, '$8 == "pwrite" { print $5 }' calls.csv | sort -u | wc -l)" = 4 ]
}

@test "calls of signal handlers are recorded or counted as lost" {
	build victim -O1
	run -0 pario trace -o x.trace -- ./victim 20000 signal
	[ "$(count x.trace pwrite)" -ge 19990 ]
	[ "$(count x.trace pread)" -ge 1 ]
}

@test "another preload stays, and comes first" {
	run -0 env LD_PRELOAD=libm.so.6 "$PARIO" trace -o x.trace -- bash -c 'echo $LD_PRELOAD'
	[[ $output == libm.so.6:*libpario-trace.so* ]]
}

@test "a program with an empty environment is still traced" {
	run -0 pario trace -o x.trace -- env -i /bin/cat /etc/passwd
	[ "$(count x.trace exec)" = 1 ]
	grep -q /etc/passwd calls.csv
}

@test "where no trace can be written the program still runs" {
	run -3 --separate-stderr pario trace -o nowhere/x.trace -- bash -c 'echo fine; exit 3'
	[ "$output" = fine ]
	says "NOTHING WILL BE TRACED"
}

@test "a full disk drops calls, counts them, and says so" {
	[ "$(id -u)" = 0 ] || skip "only root can mount"
	mkdir small
	mount -t tmpfs -o size=2m none small || skip "a file system cannot be mounted here"
	MOUNTED=$PWD/small
	build victim -O1
	run -0 --separate-stderr pario trace -o small/x.trace -- ./victim 200000
	says "CALLS WERE LOST"
	says ENOSPC
	[ "$(stat -c %s victim.data)" = 200000 ]
	run -0 pario profile small/x.trace
	[[ $output == *"CALLS WERE LOST"* ]]
}

@test "a file that is no trace is not overwritten" {
	echo precious >x.trace
	run -2 --separate-stderr pario trace -o x.trace -- true
	one_sentence
	[ "$(cat x.trace)" = precious ]
}

@test "segments are gone afterwards" {
	run -0 pario trace -o x.trace -- true
	[ "$(ls)" = "$(printf '%s\n' data x.trace)" ]
}

@test "the ranks of an MPI job write one trace" {
	run -0 timeout "$LIMIT_S" mpiexec.openmpi --oversubscribe -n 2 "$PARIO" trace -o x.trace -- cat /etc/passwd
	pario profile x.trace --csv calls.csv >profile.txt
	[ "$(awk -F, 'NR > 1 { print $3 }' calls.csv | sort -u | tr '\n' ' ')" = "0 1 " ]
}

# speaks_for_all PARIO LAUNCHER...: one line for three ranks, the last of which ends long after the others; with all their calls.
speaks_for_all()
{
	rm -f all.trace
	run -0 --separate-stderr timeout "$LIMIT_S" "${@:2}" -n 3 "$1" trace -o all.trace -- sh -c 'cat /etc/passwd
		[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 2 ] || sleep 2' # one more process
	echo "$stderr"
	calls=$("$1" profile all.trace | awk '$1 == "calls" && $2 ~ /^[0-9]+$/ { print $2 }')
	[ "$(grep -c '^pario: ' <<<"$stderr")" = 1 ]
	[[ $stderr == *"pario: all.trace ("*", $calls calls of 7 processes); next: pario profile all.trace"* ]]
}

@test "where each rank has a launcher, one line counts them all" {
	speaks_for_all "$PARIO" mpiexec.openmpi --oversubscribe
	[ ! -x "$PARIO_MPICH" ] || speaks_for_all "$PARIO_MPICH" mpiexec.mpich
}

# mpi_counted PROGRAM TRACE: both ranks made the calls of MPI that the probe says it made, some with calls below them.
mpi_counted()
{
	rm -f calls.csv
	"$1" profile "$2" --csv calls.csv >profile.txt
	sort expected >wanted
	for rank in 0 1; do
		awk -F, -v r=$rank '$3 == r && $7 == 0 && $8 ~ /^MPI/ { print $8 }' calls.csv | sort | uniq -c |
			awk '{ print $2, $1 }' | sort >got
		diff wanted got
	done
	awk -F, '$7 > 0 && $9 ~ /mpi.data/ && $6 == "posix" { n++ } END { exit n == 0 }' calls.csv
}

# mpi_probed COMPILER LAUNCHER PROGRAM: every call of MPI-IO, with the calls below it nested, traced within and without.
mpi_probed()
{
	"$1" -w -o mpiprobe "$PARIO_SOURCE/test/trace/mpiprobe.c"
	mkdir work
	timeout "$LIMIT_S" "$2" -n 2 "$3" trace -o x.trace -- ./mpiprobe work expected
	mpi_counted "$3" x.trace
	rm -rf work
	mkdir work
	timeout "$LIMIT_S" "$3" trace -o y.trace -- "$2" -n 2 ./mpiprobe work expected
	mpi_counted "$3" y.trace
}

@test "every call of MPI-IO is recorded with Open MPI, and what it causes below it" {
	export OMPI_MCA_rmaps_base_oversubscribe=1
	mpi_probed mpicc.openmpi mpiexec.openmpi "$PARIO"
}

@test "every call of MPI-IO is recorded with MPICH, and what it causes below it" {
	need_mpich
	mpi_probed mpicc.mpich mpiexec.mpich "$PARIO_MPICH"
}

@test "a running program is shown live, and by top" {
	build victim -O1
	"$PARIO" trace --live -o x.trace -- bash -c 'for i in $(seq 600); do [ ! -e seen ] || break; ./victim 3000; sleep 0.1; done; exit 4' 2>live &
	until_true "$LIMIT_S" grep -q 'victim\.data' live
	: >seen
	code=0
	wait $! || code=$?
	[ $code -eq 4 ]
	grep -q calls/s live
	grep -q pwrite live
	rm seen
	"$PARIO" trace -o y.trace -- bash -c 'for i in $(seq 600); do [ ! -e enough ] || break; ./victim 3000; : >there; sleep 0.1; done' &
	until_true "$LIMIT_S" test -e there
	run -0 pario top pario-trace-* --rounds 2
	: >enough
	wait
	[[ $output == *pwrite*victim.data* ]]
	run -3 --separate-stderr pario top nowhere
	one_sentence
}

@test "top finds the trace that runs; several are listed" {
	build victim -O1
	mkfifo go
	"$PARIO" trace -o x.trace -- bash -c './victim 100; : >there; read <go' &
	until_true "$LIMIT_S" test -e there
	run pario top --rounds 1 # others may trace on this machine, too
	echo >go
	wait
	[[ ( $status == 0 && $output == *calls/s* ) || ( $status == 2 && $output == *"$PWD/pario-trace-"*"(bash, process "* ) ]]
	run -0 unshare -rpf --mount-proc "$PARIO" trace -o x.trace -- bash -c 'sleep 0.2; "$0" top --rounds 1' "$PARIO" || skip "no namespaces here"
	[[ $output == *calls/s* ]]
	run -2 --separate-stderr unshare -rpf --mount-proc "$PARIO" top
	one_sentence
	says "no trace of yours runs"
	mkdir pario-trace-build # a compiler's, say
	: >pario-trace-build/core.o
	run -2 --separate-stderr unshare -rpf --mount-proc bash -c 'exec 3<pario-trace-build/core.o; "$0" top --rounds 1; exit $?' "$PARIO"
	says "no trace of yours runs"
}

@test "trace ends with one line: the trace, its size and the next command" {
	run -0 --separate-stderr pario trace -o x.trace -- true
	only_the_trace
	size="$(stat -c %s x.trace) B"
	[[ $stderr == "pario: x.trace (${size/#1024 B/1 KiB}, "*"next: pario profile x.trace" ]]
	run -0 --separate-stderr pario trace --quiet -o x.trace -- true
	[ -z "$stderr" ]
	command -v mpiexec.openmpi || skip "there is no Open MPI"
	run -0 --separate-stderr mpiexec.openmpi --oversubscribe -n 2 "$PARIO" trace -o y.trace -- true
	[ "$(grep -c next: <<<"$stderr")" = 1 ]
}

# ---- programs that preloading does not reach ----

@test "a static program is traced by ptrace, which is announced, with the counts of strace" {
	command -v strace >/dev/null || skip "strace is not installed"
	build probe -O2 -static
	mkdir work again
	strace -f -c -U name,calls -o strace.txt ./probe work expected syscalls || skip "strace cannot trace here"
	run -0 --separate-stderr pario trace -o x.trace -- ./probe again expected syscalls
	says "statically linked"
	counts x.trace >got
	while read -r op call; do
		[ "$(awk -v op="$op" '$1 == op { print $2 }' got)" = "$(awk -v c="$call" '$1 == c { print $2 }' strace.txt)" ] ||
			{ echo "$op differs"; cat got strace.txt; return 1; }
	done < <(printf '%s %s\n' read read write write pread pread64 pwrite pwrite64 pwritev pwritev preadv preadv \
		readv readv writev writev lseek lseek openat openat close close fsync fsync fdatasync fdatasync \
		ftruncate ftruncate fallocate fallocate posix_fadvise fadvise64 msync msync mkdir mkdir rmdir rmdir \
		mkdirat mkdirat unlink unlink unlinkat unlinkat link link linkat linkat rename rename symlink symlink \
		symlinkat symlinkat readlinkat readlinkat chmod chmod utimensat utimensat setxattr setxattr \
		getxattr getxattr listxattr listxattr removexattr removexattr sendfile sendfile mincore mincore)
}

@test "threads, forks and ends of static programs are traced" {
	build victim -O1 -static
	run -0 pario trace -o x.trace -- ./victim 500 threads
	[ "$(count x.trace pwrite)" = 2000 ]
	run -0 pario trace -o x.trace -- ./victim 500 vfork
	[ "$(count x.trace pwrite)" = 500 ]
	grep -q 'processes 3 ' profile.txt # its child is one before and one after exec
	run -137 pario trace -o x.trace -- ./victim 500 kill
	[ "$(count x.trace pwrite)" = 500 ]
	run -134 pario trace -o x.trace -- ./victim 500 abort
	[ "$(count x.trace pwrite)" = 500 ]
	run -5 pario trace -o x.trace -- ./victim 500 _exit
	[ "$(count x.trace exit)" = 1 ]
}

@test "call sites of static programs have a name" {
	pario list | grep -E 'libdw +[0-9]' || skip "built without libdw"
	build victim -O0 -g -static
	pario trace -o x.trace -- ./victim 10
	pario profile x.trace | grep -E 'pwrite .* work .*victim.c:'
}

@test "ptrace can be asked for" {
	run -0 pario trace --ptrace -o x.trace -- bash -c 'echo a | cat'
	[ "$(count x.trace exec)" -ge 1 ]
}

# library_calls API LAYER: pario itself moves 4 blocks per client through the library, twice for reads.
library_calls()
{
	has_backend "$PARIO" "$1" || skip "built without $1"
	pario trace -o x.trace -- "$PARIO" run transfer --api "$1" --dir "$DATA" --output "$OUT" \
		--transfer_size 16k --block_size 64k --repetitions 1 --np 2 --quiet
	pario profile x.trace --csv calls.csv >profile.txt
	awk -F, -v l="$2" '$6 == l && $7 == 0 { print $3, $8 }' calls.csv | sort | uniq -c | awk '{ print $1, $2, $3 }' >got
	awk -F, '$6 == "mpi-io" && $7 == 1 { n++ } END { exit n == 0 }' calls.csv
}

@test "calls of HDF5 are recorded, with MPI-IO below them" {
	library_calls hdf5 hdf5
	grep -qx '4 0 H5Dwrite' got
	grep -qx '4 1 H5Dwrite' got
	grep -qx '8 1 H5Dread' got
	[ "$(awk -F, '$8 == "H5Dwrite" { s += $11 } END { print s }' calls.csv)" = 131072 ]
}

@test "calls of PnetCDF are recorded, with MPI-IO below them" {
	library_calls pnetcdf pnetcdf
	grep -qx '4 0 ncmpi_put' got
	grep -qx '8 1 ncmpi_get' got
}

@test "top begins with what happens now, not with what happened before" {
	cat >early.c <<-END
		#include <fcntl.h>
		#include <unistd.h>
		int main(void)
		{
			int fd = open("early", O_CREAT | O_RDWR, 0600), go;
			for (int i = 0; i < 500; i++)
				write(fd, "x", 1);
			creat("written", 0600);
			go = open("go", O_RDONLY);
			return go < 0;
		}
	END
	gcc -w -o early early.c
	mkfifo go
	pario trace -o x.trace -- ./early &
	until_true "$LIMIT_S" test -e written
	run -0 pario top pario-trace-* --rounds 1
	: >go
	wait
	[[ $output != *write* ]]
}

@test "a switch of trace takes the 0 or 1 that its help shows; other words are the program" {
	pario trace --ptrace 0 --live 0 -o x.trace -- true
	pario trace --ptrace 0 -o y.trace bash -c 'exit 0'
	run -0 pario trace -o z.trace --stack 2 --live true
	run -127 pario trace -o z.trace --ptrace 2
}
