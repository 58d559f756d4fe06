#!/usr/bin/env bats
# pario trace: asynchronous requests are one record each, from submission to completion, with the completion's result.

load lib

# later HOW: the requests of test/trace/later.c that were recorded: operation, offset, size, result, errno.
later()
{
	gcc -w -O1 -o later "$PARIO_SOURCE/test/trace/later.c" -laio -luring 2>/dev/null || skip "libaio or liburing is not installed"
	run pario trace -o x.trace -- ./later "$1"
	[ "$status" -ne 77 ] || skip "the kernel does not give us this"
	[ "$status" -eq 0 ]
	pario profile x.trace --csv calls.csv --perfetto calls.json >profile.txt
	awk -F, '$8 ~ /^(aio|uring)_(read|write)$/ || $8 ~ /^io_p(read|write)$/ { print $8, $10, $11, $12, $13 }' calls.csv | sort >got
	cat got profile.txt
	# a completed request took some time
	awk -F, '$8 ~ /^(aio|uring)_(read|write)$/ && $2 == 0 { exit 1 }' calls.csv
}

# four READ WRITE: all requests, whole, short, failed and written.
four()
{
	grep -q '^beside .* of 4 asynchronous requests$' profile.txt
	grep -q '^bytes  *1596 B read, 500 B written' profile.txt
	"$PYTHON" -c 'import json
t = json.load(open("calls.json"))["traceEvents"]
begun, ended = ([e["id"] for e in t if e["ph"] == ph] for ph in "be")
assert len(begun) == 4 and sorted(begun) == sorted(ended)'
	printf '%s\n' "$1 0 1000 -1 EBADF" "$1 0 1000 1000 " "$1 3500 1000 596 " "$2 100 500 500 " | sort | diff - got
}

inline() # HOW [FLAG]
{
	[ "$(uname -m)" = x86_64 ] || skip "the program knows the instruction of x86-64 only"
	gcc -w -O1 ${2:+"$2"} -o inline "$PARIO_SOURCE/test/trace/inline.c"
	run --separate-stderr pario trace -o x.trace -- ./inline "$1"
	[ "$status" -ne 77 ] || skip "the kernel has no io_uring for us"
	[ "$status" -eq 0 ]
	pario profile x.trace --csv calls.csv >profile.txt
	seen=$(grep -c ',uring_write,.*inline.data.*,10,10,' calls.csv || true)
}

@test "POSIX aio: bytes and errors are those of the completion" { later aio; four aio_read aio_write; }
@test "io_uring: bytes and errors are those of the completion" { later uring; four uring_read uring_write; }
@test "io_uring with a polling thread is seen" { later sqpoll; four uring_read uring_write; }
@test "a ring without liburing is seen" { later raw; four uring_read uring_write; }
@test "a ring with a polling thread and without liburing is seen" { later rawpoll; four uring_read uring_write; }

@test "libaio: bytes are those of the completion" {
	later libaio
	printf '%s\n' "io_pread 0 1000 1000 " "io_pread 3500 1000 596 " "io_pwrite 100 500 500 " | diff - got
}

@test "a program that ends with requests in flight leaves them in the trace" {
	later flight
	[ "$(cat got)" = "aio_read 0 321 0 " ]
}

# mpi_later COMPILER LAUNCHER PROGRAM BYTES: those of reads near the end of 4096
mpi_later()
{
	"$1" -w -o mpilater "$PARIO_SOURCE/test/trace/mpilater.c"
	mkdir work
	timeout "$LIMIT_S" "$2" -n 2 "$3" trace -o x.trace -- ./mpilater work "$4"
	"$3" profile x.trace --csv calls.csv >profile.txt
	for rank in 0 1; do
		awk -F, -v r=$rank '$3 == r && $7 == 0 && $8 ~ /^MPI_File_(i?read|i?write)/ && $8 !~ /_end$/ {
			print $8, $10, $11, $12 }' calls.csv | sort >got
		sort >wanted <<-END
			MPI_File_iread_at 0 1000 1000
			MPI_File_iread_at 3500 $4 $(($4 < 596 ? $4 : 596))
			MPI_File_iread_at 3600 $4 $(($4 < 496 ? $4 : 496))
			MPI_File_iread_at 3700 $4 $(($4 < 396 ? $4 : 396))
			MPI_File_iread_at 3800 $4 $(($4 < 296 ? $4 : 296))
			MPI_File_iwrite_at 0 1000 1000
			MPI_File_iwrite_at 1000 500 500
			MPI_File_read_at 4000 1000 96
			MPI_File_read_at_all_begin 3900 $4 $(($4 < 196 ? $4 : 196))
		END
		diff wanted got
	done
}

@test "Open MPI: transfers that end later have the bytes of their status" {
	export OMPI_MCA_rmaps_base_oversubscribe=1
	mpi_later mpicc.openmpi mpiexec.openmpi "$PARIO" 100
}

@test "MPICH: transfers that end later have the bytes of their status" {
	need_mpich
	mpi_later mpicc.mpich mpiexec.mpich "$PARIO_MPICH" 1000
}

@test "a ring that is entered without the C library is seen where the program waits" {
	inline poll
	only_the_trace
	[ "$seen" = 100 ]
	grep -q '^bytes .* 1000 B written' profile.txt
	# a ring is no file that was mapped
	! grep -qE '^mapped .* in [1-9][0-9]* mapping' profile.txt || false
}

@test "the same with a fortified poll" {
	inline poll -D_FORTIFY_SOURCE=2
	[ "$seen" = 100 ]
}

@test "requests of a ring that nobody could look at are counted, with the reason" {
	inline quiet
	[ "$seen" = 8 ]
	says "NOT SEEN: 92 requests of io_uring"
	grep -q '^NOT SEEN: 92 requests of io_uring.* system calls of its own' profile.txt
	! grep -q 'LOST' profile.txt || false
}

@test "a child that waits does not count what its parent's ring does" {
	inline fork
	[ "$seen" = 8 ]
	says "NOT SEEN: 92 requests of io_uring"
}

@test "by ptrace requests are not seen, which is said with their number" {
	pario trace --ptrace -o p.trace -- true 2>ptrace.err
	! grep -q "does not allow ptrace" ptrace.err || skip "ptrace is not allowed here"
	inline quiet -static
	says "NOT SEEN: 100 asynchronous requests"
	grep -q '^NOT SEEN: 100 asynchronous requests' profile.txt
}
