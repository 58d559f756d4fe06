#!/usr/bin/env bats
# Does a replay make the calls of a trace again, in their order, and nowhere but in its workspace?
# shellcheck disable=SC2086,SC2030,SC2031 # a launcher of several words; variables of single tests
load lib

setup_file()
{
	cd "$BATS_FILE_TMPDIR" || return 1
	mkdir tree
	for i in $(seq 12); do head -c $((i * 5000)) /dev/urandom >tree/f$i; done
	"$PARIO" trace --quiet -o tar.trace -- tar cf a.tar tree
	stat -c %s a.tar >size
}

# replayed TRACE ARGUMENTS...: sets status and output; the journal is $OUT/journal.jsonl.
replayed()
{
	local trace=$1

	shift
	rm -rf "$OUT"
	status=0
	output=$(timeout -k 5 "$LIMIT_S" "$PARIO" replay "$trace" "$DATA" --output "$OUT" "$@" 2>&1) || status=$?
	echo "$output"
}

metric()
{
	jq -r "select(.kind == \"result\") | .metrics.$1.value" "$OUT/journal.jsonl"
}

@test "files, sizes and calls are those of the original" {
	replayed "$BATS_FILE_TMPDIR/tar.trace" --keep_files 1
	[ "$status" -eq 0 ]
	[ "$(metric unlike)" -eq 0 ]
	# the answer stands beside the original: in the terminal, in a file and on the page
	[[ $output == *"first call to last"*"By class"*"By call site"*"tar+0x"*"Not made again"*"not storage"* ]]
	# what is not storage is left, and no part of the I/O time
	[ "$(metric left_percent)" = 0.0 ] || [ "$(metric left_percent)" = 0 ]
	run ! grep -F "of the original's I/O time" "$OUT/replay.txt"
	grep -q "^Replay of " "$OUT/replay.txt"
	grep -q "By call site" "$OUT/report.html"
	# both timelines on one axis, and tables with the difference of each line
	grep -q "The original and here" "$OUT/report.html"
	grep -q "Time by class of calls" "$OUT/report.html"
	/usr/bin/python3 - "$OUT/journal.jsonl" <<-'END'
		import json, sys
		result = next(r for r in map(json.loads, open(sys.argv[1])) if r["kind"] == "result")
		sheet = result["sheets"]["timeline"]
		rows = [dict(zip(sheet["columns"], row)) for row in sheet["rows"]]
		for level, total in ("original", "original_io_s"), ("here", "io_s"):
		    busy = sum(r["busy_s"] for r in rows if r["level"] == level and r["what"] in ("read", "write", "other"))
		    assert abs(busy - result["metrics"][total]["value"]) < 1e-6 + 0.2 * busy, (level, busy)
		    assert all(r["row"].startswith(level + ": pid ") for r in rows if r["level"] == level)
		assert len({r["to_s"] - r["from_s"] for r in rows if r["from_s"] == 0}) == 1
		for name in "classes", "sites":
		    for row in (dict(zip(result["sheets"][name]["columns"], r)) for r in result["sheets"][name]["rows"]):
		        assert abs(row["error_percent"] - 100 * (row["seconds"] / row["original_s"] - 1)) < 1e-6
	END
	local copy=("$DATA"/pario-*/replay"$BATS_FILE_TMPDIR")
	[ "$(stat -c %s "${copy[0]}/a.tar")" -eq "$(cat "$BATS_FILE_TMPDIR/size")" ]
	[ "$(stat -c %s "${copy[0]}/tree/f7")" -eq 35000 ]
	# bytes of reads and writes as the profile counts them
	local there
	there=$(jq -s '[.[] | select(.kind == "result") | .sheets.classes.rows[] | select(.[0] == "write") | .[2]] | add' "$OUT/journal.jsonl")
	[ "$there" -eq "$(cat "$BATS_FILE_TMPDIR/size")" ]
	"$PARIO" clean --kept "$DATA"
	[ -z "$(ls "$DATA")" ]
}

@test "nothing outside the workspace is touched, whatever links and names say" {
	local victim=$BATS_TEST_TMPDIR/victim

	mkdir "$victim" "$BATS_TEST_TMPDIR/work"
	cat >"$BATS_TEST_TMPDIR/evil.py" <<-'END'
		import os, sys
		os.symlink(sys.argv[1], "whole")
		os.symlink("../victim", "up")
		os.symlink("../../../../../../../../../../.." + sys.argv[1], "far")
		for name in ("whole/a", "up/b", "far/c", "../victim/d", sys.argv[1] + "/e"):
		    with open(name, "w") as f:
		        f.write("x" * 1000)
		os.rename("../victim/d", "../victim/g")
		os.truncate("up/b", 10)
	END
	(cd "$BATS_TEST_TMPDIR/work" && "$PARIO" trace --quiet -o "$BATS_TEST_TMPDIR/t" -- /usr/bin/python3 "$BATS_TEST_TMPDIR/evil.py" "$victim")
	[ "$(find "$victim" -type f | wc -l)" -eq 5 ]
	rm "$victim"/*
	find "$BATS_TEST_TMPDIR/work" "$victim" | sort >"$BATS_TEST_TMPDIR/before"
	replayed "$BATS_TEST_TMPDIR/t"
	[ "$status" -eq 0 ]
	[ "$(metric calls)" -gt 10 ]
	find "$BATS_TEST_TMPDIR/work" "$victim" | sort >"$BATS_TEST_TMPDIR/after"
	cmp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
	[ -z "$(ls "$DATA")" ]
}

@test "what one process waits for in another is waited for again, and missed when asked not to" {
	once_of 5 # who is late may find what he should have missed
	cat >"$BATS_TEST_TMPDIR/pair.py" <<-'END'
		import os, time
		if os.fork() == 0:
		    time.sleep(0.3)
		    with open("made", "w") as f:
		        f.write("y" * 5000)
		    os.rename("made", "there")
		    os._exit(0)
		while not os.path.exists("there"):
		    time.sleep(0.02)
		assert len(open("there").read()) == 5000
		os.unlink("there")
		os.wait()
	END
	(cd "$BATS_TEST_TMPDIR" && "$PARIO" trace --quiet -o t -- /usr/bin/python3 pair.py)
	replayed "$BATS_TEST_TMPDIR/t" --speed max
	[ "$status" -eq 0 ]
	[ "$(metric orderings)" -gt 0 ]
	[ "$(metric given_up)" -eq 0 ]
	[[ $output != *"there failed here"* ]]
	replayed "$BATS_TEST_TMPDIR/t" --speed max --order 0
	[ "$(metric unlike)" -gt 0 ]
}

# again PROGRAM TRACE PLACE: the trace replayed under the tracer, into $BATS_TEST_TMPDIR/again. Both traces are compared call by
# call, and the second one can be replayed, too.
again()
{
	local second=$BATS_TEST_TMPDIR/again

	rm -rf "$OUT"
	timeout -k 5 "$LIMIT_S" "$1" trace --quiet -o "$second" -- "$1" replay "$2" "$DATA" --output "$OUT" --keep_files 1 >/dev/null
	[ "$(metric unlike)" -eq 0 ]
	"$PYTHON" "$CLI/replay_calls.py" "$1" "$2" "$second" "$3"
}

@test "data, names, threads and a process tree: the same calls again, and a trace of the replay replays" {
	mkdir place
	(cd place && "$PARIO" trace --quiet -o ../t -- /usr/bin/python3 -S -E "$PARIO_SOURCE/test/trace/everything.py")
	run -0 again "$PARIO" "$BATS_TEST_TMPDIR/t" "$BATS_TEST_TMPDIR/place"
	echo "$output"
	[[ $output =~ ^([0-9]+)" calls on "[0-9]+" files" ]]
	[ "${BASH_REMATCH[1]}" -ge 100 ]
	"$PARIO" clean --kept "$DATA"
	replayed "$BATS_TEST_TMPDIR/again" --speed max
	[ "$status" -eq 0 ]
	[ "$(metric unlike)" -eq 0 ]
	[ "$(metric calls)" -gt 200 ]
}

# What a client of MPI forks begins and ends with the page tables of all of MPI's memory.
@test "processes of a trace are forked by one that MPI has no part in" {
	mkdir place
	echo some text >place/from
	(cd place && "$PARIO" trace --quiet -o ../t -- sh -c "for i in 1 2 3 4 5; do head -c 5 from >f\$i; done; (mkdir d; ls d)")
	timeout -k 5 "$LIMIT_S" "$PARIO" trace --quiet -o again -- "$PARIO" replay t "$DATA" --output "$OUT" >/dev/null
	[ "$(metric unlike)" -eq 0 ]
	"$PARIO" profile again --csv calls >/dev/null
	/usr/bin/python3 - calls <<-'END'
		import csv, sys
		calls = list(csv.DictReader(open(sys.argv[1], newline="")))
		of_mpi = {c["pid"] for c in calls if c["operation"].startswith("MPI_Init")}
		forks = [c["pid"] for c in calls if c["operation"] == "fork"]
		assert of_mpi and len(forks) >= 7, (of_mpi, forks)
		assert not of_mpi & set(forks), (of_mpi, forks)
	END
}

# A target ten times as fast, and one ten times as slow: its writes take 200 ms.
@test "what one rank makes for another is waited for on a faster and on a slower target" {
	local injector=$PARIO_BUILD/test/fault/libinject.so

	once_of 5 # without the orderings a rank that is kept waiting finds what is not there in time
	mpicc.openmpi -w -o producer "$PARIO_SOURCE/test/trace/producer.c"
	mkdir place
	(cd place && timeout -k 5 "$LIMIT_S" "$PARIO" trace --quiet -o ../t -- mpiexec.openmpi --oversubscribe -n 2 ../producer)
	replayed "$BATS_TEST_TMPDIR/t" --think 0.1
	[ "$status" -eq 0 ]
	[ "$(metric unlike)" -eq 0 ]
	[ "$(metric given_up)" -eq 0 ]
	[ "$(metric orderings)" -ge 3 ]
	[ -e "$injector" ] || skip "the slower target is made by a library that this build has not"
	export INJECT=delay=write@1+:200ms,path=unfinished INJECT_LOG=$PWD/delayed
	LD_PRELOAD=$injector replayed "$BATS_TEST_TMPDIR/t"
	[ "$(grep -c write "$INJECT_LOG")" -eq 3 ]
	[ "$status" -eq 0 ]
	[ "$(metric unlike)" -eq 0 ]
	[ "$(metric given_up)" -eq 0 ]
	# without the orderings it uses files that are not there yet
	LD_PRELOAD=$injector replayed "$BATS_TEST_TMPDIR/t" --order 0
	[ "$(metric unlike)" -gt 0 ]
	[[ $(said) == *"open of "*"item.0 failed here (No such file or directory)"* ]]
}

# with_mpi PROGRAM COMPILER LAUNCHER: an MPI program traced and replayed by a build for that MPI.
with_mpi()
{
	local copy name

	rm -rf "$BATS_TEST_TMPDIR/mpi"
	mkdir "$BATS_TEST_TMPDIR/mpi"
	"$2" -w -o "$BATS_TEST_TMPDIR/replayed" "$PARIO_SOURCE/test/trace/replayed.c"
	(cd "$BATS_TEST_TMPDIR/mpi" && timeout -k 5 "$LIMIT_S" "$1" trace --quiet -o ../t -- $3 -n 3 "$BATS_TEST_TMPDIR/replayed")
	run -0 again "$1" "$BATS_TEST_TMPDIR/t" "$BATS_TEST_TMPDIR/mpi"
	echo "$output"
	[[ $output == *" calls on "[67]" files, 13 meetings" ]]
	[ "$(jq -r 'select(.kind == "result") | .clients' "$OUT/journal.jsonl")" -eq 3 ]
	[ "$(metric unlike)" -eq 0 ]
	copy=("$DATA"/pario-*/replay"$BATS_TEST_TMPDIR"/mpi)
	for name in shared.dat log.0 log.2; do
		[ "$(stat -c %s "${copy[0]}/$name")" -eq "$(stat -c %s "$BATS_TEST_TMPDIR/mpi/$name")" ]
	done
	[ ! -e "${copy[0]}/own.1" ]
	"$PARIO" clean --kept "$DATA"
	PARIO=$1 replayed "$BATS_TEST_TMPDIR/again" --speed max
	[ "$status" -eq 0 ]
	[ "$(metric unlike)" -eq 0 ]
}

@test "ranks, views, communicators and messages, with MPI-IO calls as MPI-IO calls" {
	with_mpi "$PARIO" mpicc.openmpi "mpiexec.openmpi --oversubscribe"
}

@test "the same with MPICH" {
	need_mpich
	with_mpi "$PARIO_MPICH" mpicc.mpich mpiexec.mpich
}

# forged ARGUMENTS... FROM: a trace that no program left, in $BATS_TEST_TMPDIR/forged
forged()
{
	local forge=$PARIO_BUILD/test/trace/forge

	[ -x "$forge" ] || skip "forge is not built"
	"$forge" "$@" "$BATS_TEST_TMPDIR/forged"
}

# refused ARGUMENTS...: replaying ends with one sentence and nothing was made
refused()
{
	replayed "$@"
	[ "$status" -eq 2 ] || [ "$status" -eq 3 ]
	[ "$(grep -c "^pario: " <<<"$output")" -eq 1 ]
	[ -z "$(ls "$DATA")" ]
}

@test "a trace that lacks calls or ranks, of version 1, or that does not fit gets a sentence" {
	refused "$PARIO_SOURCE/test/trace/version1.trace"
	[[ $output == *"version 1"*descriptors* ]]
	"$PARIO" trace --quiet -o big -- truncate -s 9T sparse
	refused big
	[[ $output == *"this plan needs 9.0 TiB in "*" are free."* ]]
	forged ranks 5 "$BATS_FILE_TMPDIR/tar.trace"
	refused forged
	[[ $output == *"1 of 5 ranks"* ]]
	forged ranks 70000 "$BATS_FILE_TMPDIR/tar.trace"
	refused forged
	[[ $output == *"70000 ranks"*65536* ]]
	forged threads 65536 "$BATS_FILE_TMPDIR/tar.trace"
	refused forged
	[[ $output == *"65537 threads"*65536* ]]
	forged drop 7 "$BATS_FILE_TMPDIR/tar.trace"
	echo foreign >"$DATA/foreign"
	replayed forged --speed max
	[ "$status" -eq 0 ]
	[[ $output == *suspect*[0-9]" were not recorded"* ]]
	[ "$(cat "$DATA/foreign")" = foreign ] # what lies there already stays
	[ "$(ls "$DATA")" = foreign ]
}

@test "what goes through a pipe by stdio comes out of it, and is waited for" {
	cat >talk.c <<-'END'
		#include <stdio.h>
		#include <fcntl.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(void)
		{
			int there[2], back[2], fd;
			char line[100];

			if (pipe(there) || pipe(back))
				return 1;
			if (fork() == 0) {
				dup2(there[0], 0);
				dup2(back[1], 1);
				close(there[1]);
				close(back[0]);
				puts("a question");
				fflush(stdout);
				if (!fgets(line, sizeof(line), stdin))
					return 2;
				fputs("the end", stdout);
				return 0;
			}
			close(there[0]);
			close(back[1]);
			if (read(back[0], line, sizeof(line)) != 11 || write(there[1], "answer\n", 7) != 7 || read(back[0], line, 7) != 7)
				return 3;
			fd = open("talk.data", O_CREAT | O_WRONLY, 0600);
			return wait(NULL) < 0 || write(fd, line, 7) != 7;
		}
	END
	gcc -w -o talk talk.c
	run -0 --separate-stderr pario trace --quiet -o talk.trace -- ./talk
	run -0 --separate-stderr pario replay talk.trace "$DATA" --output "$OUT" -i 1
	[ "$(field metrics.unlike.value)" = 0 ]
}

@test "a pthread_t that a later thread has again means the thread of that time" {
	cat >"$BATS_TEST_TMPDIR/again.c" <<-'END'
		#include <fcntl.h>
		#include <pthread.h>
		#include <stdio.h>
		#include <string.h>
		#include <unistd.h>

		static void *reads(void *name)
		{
			char byte;
			int fd = open(name, O_RDONLY);

			if (read(fd, &byte, 1) != 1)
				_exit(1);
			close(fd);
			return NULL;
		}

		int main(void)
		{
			pthread_t first = 0, thread;
			char name[8] = "a";

			for (; name[0] < 'f'; name[0]++) {
				int fd = open(name, O_CREAT | O_WRONLY, 0600);

				if (write(fd, name, 1) != 1)
					return 1;
				close(fd);
				pthread_create(&thread, NULL, reads, name);
				pthread_join(thread, NULL);
				if (first && thread != first)
					return 77;
				first = thread;
			}
			return 0;
		}
	END
	gcc -pthread -o "$BATS_TEST_TMPDIR/again" "$BATS_TEST_TMPDIR/again.c"
	cd "$DATA" || return
	run -0 pario trace --quiet -o "$BATS_TEST_TMPDIR/again.trace" -- "$BATS_TEST_TMPDIR/again"
	replayed "$BATS_TEST_TMPDIR/again.trace" --speed max
	[ "$status" -eq 0 ]
	[ "$(metric given_up)" = 0 ]
}

@test "questions about locks, and locks of open files, stay what they were" {
	cat >locks.py <<-'END'
		import fcntl, os, struct
		OFD_SETLK = 37
		def ask(fd, command, kind, whence, start, length):
		    return fcntl.fcntl(fd, command, struct.pack("hhqqi4x", kind, whence, start, length, 0))
		w = os.open("locked", os.O_CREAT | os.O_WRONLY)
		os.write(w, b"x" * 100)
		r = os.open("locked", os.O_RDONLY)
		ask(r, fcntl.F_GETLK, fcntl.F_WRLCK, 0, 0, 10)   # a lock for writing could not be had by this descriptor
		os.lockf(w, os.F_LOCK, 10)                       # nor one for reading by this one
		os.lockf(w, os.F_ULOCK, 10)
		ask(w, fcntl.F_SETLK, fcntl.F_WRLCK, 1, -100, 10) # from where the descriptor is, to where it began
		ask(w, fcntl.F_SETLK, fcntl.F_UNLCK, 0, 0, 0)
		other = os.open("locked", os.O_WRONLY)
		ask(w, OFD_SETLK, fcntl.F_WRLCK, 0, 0, 10)
		try: # the same process, and another open file
		    ask(other, OFD_SETLK, fcntl.F_WRLCK, 0, 0, 10)
		    raise SystemExit("got it twice")
		except BlockingIOError:
		    pass
	END
	"$PARIO" trace --quiet -o t -- /usr/bin/python3 -S -E locks.py
	replayed t --speed max
	[ "$status" -eq 0 ]
	[ "$(metric unlike)" -eq 0 ]
}

# Every component that the kernel looks up takes its time, so a name is as long here as the program said it.
@test "names are looked up from the directory that the program looked them up from" {
	mkdir -p place/down/open
	cat >names.py <<-'END'
		import os
		os.mkdir("first")
		os.chdir("down")
		os.mkdir("relative")
		os.mkdir(os.getcwd() + "/whole")
		os.mkdir("at", dir_fd=os.open("open", os.O_RDONLY | os.O_DIRECTORY))
		os.rename("relative", "../renamed")
	END
	(cd place && "$PARIO" trace --quiet -o ../t -- /usr/bin/python3 -S -E ../names.py)
	timeout -k 5 "$LIMIT_S" "$PARIO" trace --quiet -o again -- "$PARIO" replay t "$DATA" --output "$OUT" --keep_files 1 >/dev/null
	[ "$(metric unlike)" -eq 0 ]
	"$PARIO" profile again --csv calls >/dev/null
	/usr/bin/python3 - calls <<-'END'
		import csv, os, sys
		made = {os.path.basename(c["file"]): c["fd"] for c in csv.DictReader(open(sys.argv[1], newline="")) if c["operation"] == "mkdirat"}
		assert made["first"] == made["relative"], made # the descriptor that stands for the working directory
		assert len({made[name] for name in ("relative", "whole", "at")}) == 3, made
	END
	local copy=("$DATA"/pario-*/replay"$PWD"/place)
	[ "$(cd "${copy[0]}" && echo * down/* down/open/*)" = "down first renamed down/open down/whole down/open/at" ]
	"$PARIO" clean --kept "$DATA"
}

@test "what openat2 and shared memory are told is in the trace" {
	cat >how.py <<-'END'
		import ctypes, os, struct, _posixshmem
		libc = ctypes.CDLL(None, use_errno=True)
		OPENAT2, AT_FDCWD = 437, -100
		f = libc.syscall(OPENAT2, AT_FDCWD, b"how", struct.pack("QQQ", os.O_WRONLY | os.O_CREAT, 0o640, 0), 24)
		if f >= 0: # an old kernel does not know it
		    os.write(f, b"x" * 100)
		    os.ftruncate(f, 50)
		for _ in range(2):
		    f = _posixshmem.shm_open("/pario-test-%d" % os.getpid(), os.O_CREAT | os.O_EXCL | os.O_RDWR, mode=0o600)
		    _posixshmem.shm_unlink("/pario-test-%d" % os.getpid())
		    os.close(f)
	END
	"$PARIO" trace --quiet -o t -- /usr/bin/python3 -S -E how.py
	replayed t --speed max
	[ "$status" -eq 0 ]
	[ "$(metric unlike)" -eq 0 ]
}

@test "what may be executed may be so again" {
	mkdir place
	cp /bin/true place/opened
	cp /bin/true place/named
	echo text >place/text
	(cd place && "$PARIO" trace --quiet -o ../t -- /usr/bin/python3 -S -E -c 'import os
os.close(os.open("opened", os.O_RDONLY))
assert [os.access(name, os.X_OK) for name in ("opened", "named", "text")] == [True, True, False]')
	replayed t --speed max
	[ "$status" -eq 0 ]
	[ "$(metric unlike)" -eq 0 ]
}

# The state of a file that a trace holds is that of its first opening; other calls may have named it before.
@test "what was missed, replaced, linked or in a directory of another name is prepared as it was found" {
	mkdir place place/plain place/real
	echo inner >place/real/inner
	echo old >place/replaced
	ln -s real place/directory
	ln -s replaced place/link
	ln -s nowhere place/dangling
	cat >found.py <<-'END'
		import os
		def fails(call, *arguments):
		    try:
		        call(*arguments)
		    except OSError:
		        return
		    raise SystemExit("it should have failed")
		def write(name):
		    f = os.open(name, os.O_CREAT | os.O_WRONLY)
		    os.write(f, b"x" * 3000)
		    os.close(f)
		def read(name):
		    f = os.open(name, os.O_RDONLY)
		    os.read(f, 5000)
		    os.close(f)
		fails(os.stat, "missed")           # not there, then renamed to, and opened only then
		write("draft")
		os.rename("draft", "missed")
		read("missed")
		os.unlink("replaced")              # there, and new when it is first opened
		write("replaced")
		os.mkdir("d")                      # files that came with their directory
		write("d/file")
		os.rename("d", "e")
		read("e/file")
		os.lstat("plain")                  # a directory that only later calls show to be one
		os.listdir("plain")
		for name in "link", "directory":
		    os.lstat(name)
		    os.readlink(name)
		    os.stat(name)
		read("link")
		read("directory/inner")
		os.readlink("dangling")
		fails(os.stat, "dangling")
		os.stat("../place/spelt")          # named in another way than it is opened
		f = os.open("spelt", os.O_RDONLY)
		os.lseek(f, -4000, os.SEEK_END)
	END
	head -c 5000 /dev/zero >place/spelt
	(cd place && "$PARIO" trace --quiet -o ../t -- /usr/bin/python3 -S -E ../found.py)
	replayed t --speed max
	[ "$status" -eq 0 ]
	[ "$(metric unlike)" -eq 0 ]
}

@test "asynchronous requests are made, counted, and said to be made one by one" {
	cat >requests.c <<-'END'
		#include <aio.h>
		#include <fcntl.h>
		#include <unistd.h>
		int main(void)
		{
			static struct aiocb list[4];
			static char bytes[4096];
			const struct aiocb *one;
			int fd = open("requests", O_CREAT | O_RDWR, 0600);

			for (int i = 0; i < 4; i++) {
				list[i].aio_fildes = fd;
				list[i].aio_buf = bytes;
				list[i].aio_nbytes = sizeof(bytes);
				list[i].aio_offset = 4096L * i;
				if (aio_write(&list[i]))
					return 1;
			}
			for (int i = 0; i < 4; i++) {
				one = &list[i];
				while (aio_suspend(&one, 1, NULL))
					;
				if (aio_return(&list[i]) != sizeof(bytes))
					return 1;
			}
			return close(fd);
		}
	END
	cc -w -o requests requests.c
	mkdir place
	(cd place && "$PARIO" trace --quiet -o ../t -- ../requests)
	replayed t --keep_files 1
	[ "$status" -eq 0 ]
	[ "$(metric serial)" -eq 4 ]
	[[ $output == *"4 asynchronous requests"* ]]
	local copy=("$DATA"/pario-*/replay"$PWD"/place/requests)
	[ "$(stat -c %s "${copy[0]}")" -eq 16384 ]
	"$PARIO" clean --kept "$DATA"
}

@test "shared file pointers where MPI-IO has none are left out and counted" {
	local injector=$PARIO_BUILD/test/fault/libinject.so

	[ -e "$injector" ] || skip "the injector is not built"
	cat >pointer.c <<-'END'
		#include <mpi.h>
		int main(int argc, char **argv)
		{
			static char bytes[100];
			MPI_File f;

			MPI_Init(&argc, &argv);
			MPI_File_open(MPI_COMM_WORLD, "by_pointer", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
			MPI_File_write_shared(f, bytes, 100, MPI_BYTE, MPI_STATUS_IGNORE);
			MPI_File_write_ordered(f, bytes, 100, MPI_BYTE, MPI_STATUS_IGNORE);
			MPI_File_close(&f);
			return MPI_Finalize();
		}
	END
	mpicc.openmpi -w -o pointer pointer.c
	export OMPI_MCA_io=romio321
	timeout -k 5 "$LIMIT_S" "$PARIO" trace --quiet -o t -- mpiexec.openmpi --oversubscribe -n 2 ./pointer
	INJECT=fail=open@1+:EACCES,path=.shfp LD_PRELOAD=$injector replayed t
	[ "$status" -eq 0 ]
	[ "$(metric unlike)" -eq 0 ]
	[[ $output == *"Not made again"*"not possible by MPI-IO here "*" 4 "* ]]
	replayed t
	[[ $output != *"not possible by MPI-IO here"* ]]
}

# What an attacker may write into a trace: names that lead out, with a zero byte, or too long; links over links.
@test "forged names and flipped records reach nothing outside the workspace" {
	local name long seed

	mkdir place outside
	echo mine >outside/kept
	(cd place && echo a >from && "$PARIO" trace --quiet -o ../t -- sh -c 'cp from victim; ln -s victim l; ln -f victim h; mv -f h l; mv victim w; rm l')
	find outside place | sort >before
	long=$(printf 'x%.0s' {1..300})
	for name in "/l/../../../../../../../../../../../../..$PWD/outside/kept" '/./../victim\0/../../x' "/$long"; do
		forged name "$PWD/place/victim" "$PWD/place$name" t
		replayed forged --speed max
		[ "$status" -eq 0 ]
		find outside place | sort | cmp - before
		[ "$(cat outside/kept)" = mine ]
		[ -z "$(ls "$DATA")" ]
	done
	for seed in 1 2 3; do
		forged flip $seed t
		replayed forged --speed max
		[ "$status" -le 4 ]
		find outside place | sort | cmp - before
		[ "$(cat outside/kept)" = mine ]
		[ -z "$(ls "$DATA")" ]
	done
}

@test "bad input gets a sentence" {
	echo no trace >"$BATS_TEST_TMPDIR/no"
	replayed "$BATS_TEST_TMPDIR/no"
	[ "$status" -eq 2 ] || [ "$status" -eq 3 ]
	[[ $output == "pario: "*"$BATS_TEST_TMPDIR/no"* ]]
	replayed "$BATS_FILE_TMPDIR/tar.trace" --np 2
	[ "$status" -eq 2 ]
	[[ $output == *"the trace is of 1 rank"*"use --np 1"* ]]
	run "$PARIO" replay
	[ "$status" -eq 2 ]
	[[ $output == *"which trace?"* ]]
	replayed "$BATS_FILE_TMPDIR/tar.trace" --dry_run
	[ "$status" -eq 0 ]
}

@test "damaged traces end in a sentence or a result, and stay in the workspace" {
	local i

	for i in 1 2 3; do
		/usr/bin/python3 - "$BATS_FILE_TMPDIR/tar.trace" "$BATS_TEST_TMPDIR/bad" $i <<-'END'
			import random, sys
			data = bytearray(open(sys.argv[1], "rb").read())
			random.seed(int(sys.argv[3]))
			for _ in range(3):
			    data[random.randrange(64, len(data))] ^= 1 << random.randrange(8)
			open(sys.argv[2], "wb").write(data)
		END
		replayed "$BATS_TEST_TMPDIR/bad" --speed max
		[ "$status" -le 4 ]
		[ -z "$(ls "$DATA")" ]
	done
}
