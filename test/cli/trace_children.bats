#!/usr/bin/env bats
# pario trace: whose call is it, and of which file? Children that share their parent's memory, descriptors that change hands.
# shellcheck disable=SC2034 # lib.bash reads MOUNTED

load lib

# calls TRACE: every call as "pid operation file size".
calls()
{
	rm -f calls.csv
	pario profile "$1" --csv calls.csv >profile.txt
	awk -F, 'NR > 1 { gsub(/"/, "", $9); n = split($9, part, "/"); print $4, $8, part[n], $11 }' calls.csv
}

# bytes OPERATION FILE: asked for, of all those calls
bytes() { awk -v op="$1" -v file="$2" '$2 == op && $3 == file { n += $4 } END { print n + 0 }' got; }

@test "what a child of vfork does to its descriptors is the child's, not its parent's" {
	cat >vforker.c <<-END
		#include <fcntl.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(void)
		{
			int out = creat("out", 0600), other = creat("other", 0600), status;
			char bytes[6000] = "";
			for (int i = 0; i < 3; i++) {
				volatile pid_t child = vfork();
				if (child == 0) {
					write(out, bytes, 7);
					dup2(other, out);
					close(other);
					write(out, bytes, 5);
					if (i == 1)
						execl("/no/such/program", "x", NULL);
					if (i < 2)
						execl("/bin/echo", "echo", "-n", NULL);
					_exit(3);
				}
				write(out, bytes, 6000);
				write(other, bytes, 10);
				printf("%d\n", child);
				waitpid(child, &status, 0);
				fflush(stdout);
				if (WEXITSTATUS(status) != (i < 2 ? 0 : 3))
					return 1;
			}
			return 0;
		}
	END
	gcc -w -O1 -o vforker vforker.c
	pario trace -o x.trace -- ./vforker >children
	calls x.trace >got
	cat got
	[ "$(bytes write out)" = 18021 ]
	[ "$(bytes write other)" = 45 ]
	[ "$(wc -l <children)" = 3 ]
	while read -r child; do
		awk -v c="$child" '$1 == c && $2 == "write" && $3 == "out" && $4 == 7' got | grep -q .
		awk -v c="$child" '$1 == c && $2 == "dup2" && $3 == "other"' got | grep -q .
		awk -v c="$child" '$1 == c && $2 == "close" && $3 == "other"' got | grep -q .
		awk -v c="$child" '$1 == c && $2 == "write" && $3 == "other" && $4 == 5' got | grep -q .
		! awk -v c="$child" '$1 == c && $4 == 6000' got | grep -q . || false
	done <children
	# the parent has a record of each, with the child's number, and goes on under its own
	awk -F, '$8 == "fork" { print $12 }' calls.csv | diff children -
	[ "$(awk '$4 == 6000 { print $1 }' got | sort -u | wc -l)" = 1 ]
	[ "$(awk '$2 == "exec"' got | wc -l)" = 3 ]
	pario profile x.trace | grep '^coverage .* 0.0 % of written bytes unexplained'
}

@test "Python's subprocess with a file as its output: the parent's bytes stay on the parent's files" {
	cat >sub.py <<-END
		import os, subprocess
		with open("other", "wb", 0) as f:
		    for _ in range(4):
		        subprocess.run(["/bin/echo", "x"], stdout=f, check=True)
		        os.write(1, b"a" * 1500)
	END
	pario trace -o x.trace -- "$PYTHON" sub.py >out
	calls x.trace >got
	[ "$(bytes write out)" = 6000 ]
	[ "$(bytes write other)" = 0 ]
}

@test "offsets after a child of vfork has moved the place it shares" {
	cat >moved.c <<-END
		#include <fcntl.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(void)
		{
			int fd = creat("file", 0600);
			write(fd, "abc", 3);
			if (vfork() == 0) {
				dup2(fd, 1);
				execl("/bin/echo", "echo", "-n", "12345", NULL);
				_exit(1);
			}
			wait(0);
			return write(fd, "defg", 4) != 4;
		}
	END
	gcc -w -o moved moved.c
	pario trace -o x.trace -- ./moved
	pario profile x.trace --csv calls.csv >profile.txt
	[ "$(awk -F, '$8 == "write" && $11 == 4 { print $10 }' calls.csv)" = 8 ]
}

@test "a descriptor that io_uring closes and opens again is the new file" {
	gcc -w -o ringfiles "$PARIO_SOURCE/test/trace/ringfiles.c" -luring 2>/dev/null || skip "liburing is not installed"
	run pario trace -o x.trace -- ./ringfiles
	[ "$status" -ne 77 ] || skip "the kernel has no io_uring for us"
	[ "$status" -eq 0 ]
	calls x.trace >got
	cat got
	[ "$(bytes write first)" = 100 ]
	[ "$(bytes write second)" = 400 ]
	grep -q ' uring_close first ' got
	grep -q ' uring_open second 0$' got
	# files that the ring knows by numbers of its own
	[ "$(bytes uring_write third)" = 30 ]
	[ "$(bytes uring_write fourth)" = 40 ]
}
