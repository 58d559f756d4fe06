#!/usr/bin/env bats
# pario trace: how many system calls it adds. What it knows it does not ask for again; what it asks for once shows as a difference of two
# runs of different length, which leaves out what every process costs.

load lib

# counted WAY COMMAND...: system calls of names.c with 600 rounds less those with 100. Looks at the thread's processor time come with
# time, not with calls: on a busy machine, under strace, there are any number of them.
counted()
{
	local way=$1 n total=()
	shift
	for n in 100 600; do
		rm -rf place
		strace -f -c -U calls,name -o calls "$@" ./names "$PWD/place" $n "$way"
		total+=("$(awk '$2 == "total" { n += $1 } $2 == "clock_gettime" { n -= $1 } END { print n }' calls)")
	done
	echo $((total[1] - total[0]))
}

# once WAY: a tenth more at the most
once()
{
	local plain traced
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o probe true 2>/dev/null || skip "tracing is not allowed here"
	gcc -O1 -o names "$PARIO_SOURCE/test/trace/names.c"
	plain=$(counted "$1")
	traced=$(counted "$1" "$PARIO" trace --quiet -o x.trace --)
	echo "plain $plain traced $traced"
	[ "$plain" -gt 10000 ]
	((10 * traced <= 11 * plain))
	# and it saw them all
	[ "$(pario profile x.trace | awk '$1 == "calls" && $2 ~ /^[0-9]+$/ { print $2 }')" -ge "$plain" ]
	pario profile x.trace --csv x.csv >profile.txt
	awk -F, '{ gsub(/"/, "", $9); print $8, $9 }' x.csv >seen
	[ "$(grep -c "^openat $PWD/place/f77\$" seen)" -eq 2 ]
	[ "$(grep -c "^unlinkat $PWD/place/y599\$" seen)" -eq 1 ]
}

@test "names below a whole path cost no system calls of their own" { once absolute; }
@test "names in the working directory cost no system calls of their own" { once relative; }
@test "names below a descriptor cost no system calls of their own" { once at; }

# firsts WAY COMMAND...: system calls of `opens` with 600 files less those with 100
firsts()
{
	local way=$1 n total=()
	shift
	for n in 100 600; do
		strace -f -c -U calls,name -o calls "$@" ./opens "$PWD/there" $n "$way"
		total+=("$(awk '$2 == "total" { n += $1 } $2 == "clock_gettime" { n -= $1 } END { print n }' calls)")
	done
	echo $((total[1] - total[0]))
}

@test "files that were there before cost no system call to open, and none to read where the program asks what they are" {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o probe true 2>/dev/null || skip "tracing is not allowed here"
	cat >opens.c <<-'END'
		#include <fcntl.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/stat.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			char name[4096];
			struct stat st;
			int failed = 0;
			for (int i = 0; i < atoi(argv[2]); i++) {
				snprintf(name, sizeof(name), "%s/f%d", argv[1], i);
				int fd = open(name, O_RDONLY);
				if (!strcmp(argv[3], "stated"))
					failed |= fstat(fd, &st);
				if (strcmp(argv[3], "opened"))
					failed |= read(fd, name, 10) != 10 || read(fd, name, 10) != 10;
				failed |= close(fd);
			}
			return failed != 0;
		}
	END
	gcc -w -o opens opens.c
	mkdir there
	for ((i = 0; i < 600; i++)); do printf %0100d $i >there/f$i; done
	[ "$(firsts opened)" -eq 1000 ]
	[ "$(firsts opened "$PARIO" trace --quiet --force -o x.trace --)" -le 1100 ]
	[ "$(firsts stated)" -eq 2500 ]
	[ "$(firsts stated "$PARIO" trace --quiet --force -o x.trace --)" -le $((2750 + 500)) ] # one each when packed
	traced=$(firsts read "$PARIO" trace --quiet --force -o x.trace --)
	[ "$traced" -le $((2000 + 200 + 1000)) ]
	pario profile x.trace --csv x.csv --context x.json >profile.txt
	[ "$(grep -c ',read,[^,]*/there/f[0-9]*,0,10,10,' x.csv)" -eq 600 ]
	[ "$(grep -c ',read,[^,]*/there/f[0-9]*,10,10,10,' x.csv)" -eq 600 ]
	"$PYTHON" - <<-END
		import json
		sizes = [f.get("size") for f in json.load(open("x.json"))["files"] if "$PWD/there/f" in f["name"]]
		assert sizes == [100] * 600, sizes
	END
}

@test "a file that is read through a link has its own name, also where the name was that of another before" {
	mkdir d
	for name in a b gone moved; do echo $name-and-more >d/$name; done
	ln -s b d/link
	ln -s b d/lead
	mkfifo d/fifo
	cat >links.c <<-'END'
		#include <err.h>
		#include <fcntl.h>
		#include <stdio.h>
		#include <sys/stat.h>
		#include <sys/wait.h>
		#include <unistd.h>
		#define MUST(call) do { if (!(call)) err(1, #call); } while (0)
		static char b[4];
		static void one(const char *name)
		{
			int fd = open(name, O_RDONLY);
			MUST(fd >= 0 && read(fd, b, 1) == 1 && read(fd, b, 1) == 1 && close(fd) == 0);
		}
		int main(void)
		{
			struct stat st;
			int fd, copy;
			one("d/a");
			one("d/link");                            /* d/b */
			one("d/link");                            /* d/b */
			fd = open("d/link", O_RDONLY);            /* d/b */
			MUST(lseek(fd, 3, SEEK_SET) == 3 && read(fd, b, 1) == 1 && close(fd) == 0);
			one("d/gone");
			MUST(unlink("d/gone") == 0 && symlink("b", "d/gone") == 0);
			one("d/gone");                            /* d/b */
			one("d/moved");
			MUST(rename("d/lead", "d/moved") == 0);
			one("d/moved");                           /* d/b */
			MUST((fd = open("d/fifo", O_RDONLY | O_NONBLOCK)) >= 0 && read(fd, b, 1) == 0 && close(fd) == 0);
			MUST((fd = open("d/a", O_RDONLY)) >= 0);
			if (fork() == 0) {
				MUST(read(fd, b, 1) == 1);
				_exit(0);
			}
			MUST(wait(NULL) > 0 && read(fd, b, 2) == 2); /* shared: from 1 on */
			MUST((copy = dup(fd)) >= 0 && read(copy, b, 1) == 1);
			return 0;
		}
	END
	gcc -o links links.c
	pario trace --quiet -o x.trace -- ./links
	pario profile x.trace --csv x.csv >profile.txt
	here=$PWD
	awk -F, '$8 == "read" { gsub(/"/, "", $9); print $9, $10 }' x.csv | sed "s,^$here/,,; s, *$,," >got
	diff - got <<-END
		d/a 0
		d/a 1
		d/b 0
		d/b 1
		d/b 0
		d/b 1
		d/b 3
		d/gone 0
		d/gone 1
		d/b 0
		d/b 1
		d/moved 0
		d/moved 1
		d/b 0
		d/b 1
		d/fifo
		d/a 1
		d/a 3
		d/a 0
	END
	[ "$(grep -c ",unlink,.*/d/gone" x.csv)" -eq 1 ]
	[ "$(grep -c ",rename,.*/d/lead" x.csv)" -eq 1 ]
}

@test "files made in a directory of the program's own are not asked about, however that was spelled" {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o probe true 2>/dev/null || skip "tracing is not allowed here"
	cat >makes.c <<-'END'
		#include <fcntl.h>
		#include <stdio.h>
		#include <sys/stat.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			char name[4096];
			int failed = mkdir(argv[1], 0700);
			for (int i = 0; i < 600; i++) {
				snprintf(name, sizeof(name), "%s/f%d", argv[1], i);
				failed |= close(open(name, O_CREAT | O_RDWR, 0600));
			}
			return failed != 0;
		}
	END
	gcc -w -o makes makes.c
	for place in "$PWD/one" "$PWD/two/" three ./four/; do
		strace -f -c -U calls,name -o calls "$PARIO" trace --quiet --force -o x.trace -- ./makes "$place"
		awk '$2 ~ /stat|readlink/ { n += $1 } END { print n }' calls
		[ "$(awk '$2 ~ /stat|readlink/ { n += $1 } END { print n + 0 }' calls)" -lt 300 ]
	done
}

@test "a name that becomes another file, a link or another directory is looked up again" {
	cat >change.c <<-'END'
		#include <err.h>
		#include <fcntl.h>
		#include <stdio.h>
		#include <sys/stat.h>
		#include <unistd.h>
		#define MUST(call) do { if (!(call)) err(1, #call); } while (0)
		static void one(const char *name, int flags)
		{
			int fd = open(name, flags, 0600);
			MUST(fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0);
		}
		int main(void)
		{
			MUST(mkdir("d", 0700) == 0 && mkdir("e", 0700) == 0 && mkdir("e/s", 0700) == 0);
			one("d/a", O_CREAT | O_RDWR);
			one("d/b", O_CREAT | O_RDWR);
			one("d/a", O_RDWR);
			MUST(unlink("d/a") == 0 && symlink("b", "d/a") == 0);
			one("d/a", O_RDWR);                       /* d/b */
			one("d/a", O_RDWR | O_CREAT);             /* d/b */
			one("e/s/f", O_CREAT | O_RDWR);
			MUST(rename("e", "g") == 0 && symlink("g", "e") == 0);
			one("e/s/f", O_RDWR);                     /* g/s/f */
			MUST(chdir("g") == 0);
			one("s/f", O_RDWR);                       /* g/s/f */
			MUST(chdir("..") == 0 && rename("g", "h") == 0 && chdir("h/s") == 0);
			one("f", O_RDWR);                         /* h/s/f */
			one("../s/./f", O_RDWR);                  /* h/s/f */
			return 0;
		}
	END
	gcc -o change change.c
	pario trace --quiet -o x.trace -- ./change
	pario profile x.trace --csv x.csv >profile.txt
	here=$PWD
	awk -F, '$8 == "write" { gsub(/"/, "", $9); print $9 }' x.csv | sed "s,^$here/,," >got
	diff - got <<-END
		d/a
		d/b
		d/a
		d/b
		d/b
		e/s/f
		g/s/f
		g/s/f
		h/s/f
		h/s/f
	END
}

@test "what a file was before is what it was, whoever asked" {
	mkdir old
	printf '%0300d' 1 >old/there
	ln -s there old/link
	cat >before.c <<-'END'
		#include <fcntl.h>
		#include <sys/stat.h>
		#include <unistd.h>
		int main(void)
		{
			struct stat st;
			int a = (lstat("old/there", &st), open("old/there", O_RDWR | O_TRUNC));
			int b = open("old/new", O_RDWR | O_CREAT, 0600);
			int c = (mkdir("made", 0700), open("made/new", O_RDWR | O_CREAT, 0600));
			int d = open("old/link", O_RDWR);
			return a < 0 || b < 0 || c < 0 || d < 0;
		}
	END
	gcc -o before before.c
	pario trace --quiet -o x.trace -- ./before
	pario profile x.trace --context x.json >/dev/null
	"$PYTHON" - <<-END
		import json
		files = {f["name"]: f for f in json.load(open("x.json"))["files"] if "$PWD" in f["name"]}
		print(json.dumps(files, indent=1))
		at = lambda name: files["$PWD/" + name]
		assert at("old/there")["size"] == 300 and at("old/there")["existed"], at("old/there")
		assert not at("old/new")["existed"] and not at("made/new")["existed"]
		assert "$PWD/old/link" not in files
	END
}
