#!/usr/bin/env bats
# pario trace: programs that preloading does not reach, started by programs that it has reached.
# shellcheck disable=SC2016,SC2034 # what shells in quotes expand is theirs; lib.bash reads MOUNTED

load lib

static() # NAME
{
	gcc -w -O1 -static -o "$1" "$PARIO_SOURCE/test/trace/$1.c" -lpthread
}

# count TRACE OPERATION
count()
{
	rm -f calls.csv
	pario profile "$1" --csv calls.csv >profile.txt
	awk -F, -v op="$2" '$8 == op { n++ } END { print n + 0 }' calls.csv
}

need_ptrace()
{
	static victim
	pario trace --ptrace -o p.trace -- true 2>ptrace.err
	! grep -q "does not allow ptrace" ptrace.err || skip "ptrace is not allowed here"
}

@test "a static child of a shell is traced, which is said" {
	need_ptrace
	run -0 --separate-stderr pario trace -o x.trace -- bash -c './victim 50; ./victim 30'
	says "traced by ptrace"
	says "victim (2 runs, statically linked)"
	[ "$(count x.trace pwrite)" = 80 ]
}

@test "exit codes, signals, names and environment of static children stay as they are" {
	need_ptrace
	cat >show.c <<-END
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			printf("%s %d %s %d\n", argv[0], argc, getenv("WORD"), getppid() == atoi(argv[1]));
			return 0;
		}
	END
	gcc -static -o show show.c
	script='./victim 5 _exit; echo $?; ./victim 5 kill; echo $?; ./victim 5 abort; echo $?
		export WORD=x; ./show $$ b; (exec -a name ./show 1 2); exec ./victim 7 _exit'
	plain=0
	bash -c "$script" >plain.out 2>/dev/null || plain=$?
	traced=0
	pario trace -o x.trace -- bash -c "$script" >traced.out 2>/dev/null || traced=$?
	diff plain.out traced.out
	[ $plain -eq 5 ]
	[ $traced -eq 5 ]
	[ "$(count x.trace pwrite)" = 22 ]
}

@test "static children of posix_spawn, vfork, system and popen are traced" {
	need_ptrace
	cat >starts.c <<-END
		#define _GNU_SOURCE 1
		#include <spawn.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		extern char **environ;
		int main(void)
		{
			char *argv[] = { "victim", "10", NULL }, line[8];
			int status, pid;
			FILE *f;
			if (posix_spawn(&pid, "./victim", NULL, NULL, argv, environ) || waitpid(pid, &status, 0) != pid || status)
				return 1;
			setenv("PATH", "/nowhere:.", 1);
			if (posix_spawnp(&pid, "victim", NULL, NULL, argv, environ) || waitpid(pid, &status, 0) != pid || status)
				return 2;
			pid = vfork();
			if (pid == 0) {
				execvp("victim", argv);
				_exit(1);
			}
			if (waitpid(pid, &status, 0) != pid || status)
				return 3;
			if (system("./victim 20") != 0)
				return 4;
			f = popen("./victim 30; echo ok", "r");
			if (!fgets(line, 8, f) || pclose(f) != 0)
				return 5;
			posix_spawn(&pid, "./missing", NULL, NULL, argv, environ);
			execl("./missing", "missing", NULL);
			printf("%s", line);
			return 0;
		}
	END
	gcc -w -o starts starts.c
	run -0 pario trace -o x.trace -- ./starts
	[ "${lines[0]}" = ok ]
	[ "$(count x.trace pwrite)" = 80 ]
}

@test "what a static child starts is preloaded again when it can be" {
	need_ptrace
	cat >becomes.c <<-END
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			return execvp(argv[1], argv + 1);
		}
	END
	gcc -w -static -o becomes becomes.c
	echo words >file
	run -0 --separate-stderr pario trace -o x.trace -- bash -c './becomes cat file; ./becomes ./becomes cat file'
	[ "$output" = "$(printf 'words\nwords')" ]
	# one record for each: neither lost between the two tracers nor seen by both
	[ "$(count x.trace posix_fadvise)" = 2 ]
	# that cat closes its stream only the library can know
	pids=$(awk -F, '$8 == "posix_fadvise" { print $4 }' calls.csv)
	for pid in $pids; do
		awk -F, -v p="$pid" '$4 == p && $8 == "fclose" { n++ } END { exit n == 0 }' calls.csv
	done
}

@test "a static child that is stopped and goes on is traced on" {
	need_ptrace
	cat >slow.c <<-END
		#include <unistd.h>
		int main(void)
		{
			for (int i = 0; i < 8; i++) {
				while (i == 4 && access("go", F_OK) != 0)
					usleep(10000);
				if (write(1, "x", 1) != 1)
					return 1;
			}
			return 0;
		}
	END
	gcc -static -o slow slow.c
	run -0 --separate-stderr pario trace -o x.trace -- bash -c 'set -m; ./slow >out &
		until [ "$(wc -c <out)" = 4 ]; do sleep 0.05; done
		kill -STOP %1
		until jobs -s >stopped && [ -s stopped ]; do sleep 0.05; done
		wc -l <stopped; : >go; kill -CONT %1; wait %1'
	[ "${lines[0]}" = 1 ]
	[ "$(wc -c <out)" = 8 ]
	[ "$(count x.trace write)" -ge 8 ]
}

@test "a static child that outlives the program is let go, unharmed" {
	need_ptrace
	cat >late.c <<-END
		#include <unistd.h>
		int main(void)
		{
			for (int i = 0; i < 10; i++) {
				usleep(100000);
				if (write(1, "x", 1) != 1)
					return 1;
			}
			return write(1, "!", 1) != 1;
		}
	END
	gcc -static -o late late.c
	run -0 pario trace -o x.trace -- bash -c './late >out & sleep 0.3'
	until_true "$LIMIT_S" grep -q '!' out
	[ "$(cat out)" = 'xxxxxxxxxx!' ]
}

@test "a set-uid child keeps its privileges, and that it was not traced is said" {
	[ "$(id -u)" = 0 ] || skip "only root can make one"
	cp /bin/cat cat
	chown 65534 cat
	chmod 4755 cat
	run -0 --separate-stderr pario trace -o x.trace -- bash -c './cat /proc/self/status | grep ^Uid; ./cat /dev/null'
	[ "$output" = "$(printf 'Uid:\t0\t65534\t65534\t65534')" ]
	says "NOT TRACED: ./cat (2 runs, runs with privileges of its own)."
}

@test "ordinary programs bring no such sentence" {
	run -0 --separate-stderr pario trace -o x.trace -- bash -c 'ls >/dev/null; cat /dev/null; /usr/bin/env true'
	only_the_trace
}

@test "a process whose segment cannot be made is said" {
	[ "$(id -u)" = 0 ] || skip "only root can mount"
	mkdir small
	mount -t tmpfs -o size=120k none small || skip "a file system cannot be mounted here"
	MOUNTED=$PWD/small
	run -4 --separate-stderr pario trace -o small/x.trace -- bash -c 'for i in 1 2 3 4; do /bin/true; done; exit 4'
	says "NOT TRACED"
	says ENOSPC
}

# privileges DIR COMMAND...: as an ordinary user, in a directory where everybody may write.
privileges()
{
	local place=$1 status=0
	shift

	(cd "$place" && setpriv --reuid=65534 --regid=65534 --clear-groups timeout "$LIMIT_S" "$@") >privileges.out 2>privileges.err || status=$?
	cat privileges.out privileges.err
	return $status
}

@test "what a static program starts with other privileges keeps them when a shell started it" {
	need_ptrace
	[ "$(id -u)" = 0 ] || skip "only root can make one"
	command -v setpriv >/dev/null || skip "there is no setpriv to become an ordinary user with"
	printf '#include <unistd.h>\nint main(int c, char **v) { return execvp(v[1], v + 1); }\n' >becomes.c
	place=$(mktemp -d /tmp/pario-reach.XXXXXX)
	chmod 777 "$place"
	gcc -w -static -o "$place/becomes" becomes.c
	cp /bin/cat "$place/cat"
	chmod 4755 "$place/cat"
	plain=$(privileges "$place" ./cat /proc/self/status | awk '/^Uid/ { print $3 }') || true
	list=0
	privileges "$place" "$PARIO" list || list=$?
	kept=$(privileges "$place" "$PARIO" trace -o x.trace -- bash -c './becomes ./cat /proc/self/status') || true
	lost=$(privileges "$place" "$PARIO" trace -o x.trace -- ./becomes ./cat /proc/self/status) || true
	rm -rf "$place"
	[ "$list" = 0 ] || skip "an ordinary user cannot run pario here"
	[ "$plain" = 0 ] || skip "set-uid means nothing here"
	[[ $kept == *$'\nUid:\t65534\t0\t0\t0\n'* ]]
	[[ $kept == *"NOT TRACED: ./cat (1 run"* ]]
	# under the filter of a static first program it has none, and that is said
	[[ $lost == *"RAN WITHOUT ITS PRIVILEGES"* ]]
}

@test "SIGTERM reaches a program under ptrace" {
	need_ptrace
	printf '#include <unistd.h>\nint main(void) { return write(1, "x", 1) != 1 || sleep(100); }\n' >sleeps.c
	gcc -static -o sleeps sleeps.c
	"$PARIO" trace -o x.trace -- ./sleeps >out 2>said &
	traced=$!
	until_true "$LIMIT_S" test -s out
	kill $traced
	status=0
	wait $traced || status=$?
	[ $status = 143 ]
	[ -s x.trace ]
}

@test "a program of another C library is traced, and starts without the tracer's library" {
	need_ptrace
	# the same loader under a name that glibc's does not have
	cp "$(readelf -l /bin/true | sed -n 's/.*interpreter: \(.*\)\]/\1/p')" ld-other.so.1
	printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { return puts(getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "none") < 0; }\n' >shows.c
	gcc -o shows shows.c "-Wl,--dynamic-linker=$PWD/ld-other.so.1"
	run -0 --separate-stderr pario trace -o x.trace -- bash -c './shows; LD_PRELOAD=libm.so.6:$LD_PRELOAD ./shows'
	[ "$output" = "$(printf 'none\nlibm.so.6')" ]
	says "shows (2 runs, made for another C library)"
	[ "$(awk -F, 'NR > 1 && $8 == "write" { n++ } END { print n + 0 }' <(pario profile x.trace --csv c.csv >/dev/null; cat c.csv))" -ge 2 ]
}

@test "a thread that becomes a static program, and static programs whose threads do, are traced" {
	need_ptrace
	cat >threads.c <<-END
		#include <pthread.h>
		#include <unistd.h>
		static char **args;
		static void *becomes(void *a) { usleep(20000); execv(args[0], args); return a; }
		static void *goes_on(void *a) { for (;;) { usleep(1000); access("/", 0); } return a; }
		int main(int argc, char **argv)
		{
			pthread_t t[3];
			args = argv + 1;
			pthread_create(&t[0], 0, goes_on, 0);
			pthread_create(&t[1], 0, goes_on, 0);
			pthread_create(&t[2], 0, becomes, 0);
			pthread_join(t[2], 0);
			return 1;
		}
	END
	gcc -w -o dynamic threads.c -lpthread
	gcc -w -static -o fixed threads.c -lpthread
	run -5 pario trace -o x.trace -- ./dynamic ./victim 10 _exit
	[ "$(count x.trace pwrite)" = 10 ]
	run -5 pario trace -o x.trace -- ./fixed ./victim 10 _exit
	[ "$(count x.trace pwrite)" = 10 ]
	run -5 pario trace -o x.trace -- bash -c './fixed ./victim 10 _exit'
	[ "$(count x.trace pwrite)" = 10 ]
}
