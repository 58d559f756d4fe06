#!/usr/bin/env bats
# pario trace: programs that become another user or leave the tracer behind are traced all the same, or named.
# shellcheck disable=SC2154 # stderr is set by bats
# shellcheck disable=SC2034,SC2016 # lib.bash reads MOUNTED; what shells in quotes expand is theirs

load lib

need_root()
{
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user"
	command -v "$1" >/dev/null || skip "there is no $1"
}

# The bytes that were read from FILE by processes that ran PROGRAM.
read_by()
{
	rm -f calls.csv
	pario profile x.trace --csv calls.csv >profile.txt
	awk -F, -v file="$1" '$8 == "read" && $9 ~ file { n += $12 } END { print n + 0 }' calls.csv
}

# What a traced program prints first: the place for other users' segments. Other traces may run beside us.
SAY_PLACE='cut -d: -f3 <<<"$PARIO_TRACE"'

as_another() # COMMAND...
{
	local data=/tmp/pario-test-$$

	head -c 1000 /dev/zero >$data && chmod 644 $data
	run -0 --separate-stderr pario trace -o x.trace -- "$@" bash -c "$SAY_PLACE; cat \$0 | tr -d '\\0'" $data
	rm $data
	only_the_trace
	[ "$(read_by "pario-test-$$")" = 1000 ]
	! grep -q 'NOT TRACED' profile.txt || false
	[[ $output == /tmp/pario-others-* ]]
	[ ! -e "$(dirname "$output")" ]
}

@test "a program under another user is traced: setpriv" {
	need_root setpriv
	as_another setpriv --reuid=65534 --regid=65534 --clear-groups
}

@test "a program under another user is traced: runuser" {
	need_root runuser
	as_another runuser -u nobody --
}

@test "a program under another user is traced, though its user cannot read the library where it is" {
	need_root setpriv
	mkdir -m 700 private
	cp "$(dirname "$PARIO")"/libpario-trace*.so "$PARIO" private
	PARIO=$PWD/private/pario as_another setpriv --reuid=65534 --regid=65534 --clear-groups
}

@test "a static program under another user is traced" {
	need_root setpriv
	gcc -w -O1 -static -o /tmp/"pario-victim-$$" "$PARIO_SOURCE/test/trace/victim.c" -lpthread
	run --separate-stderr pario trace -o x.trace -- setpriv --reuid=65534 --regid=65534 --clear-groups \
		bash -c "mkdir -p /tmp/pario-victim-$$.d && cd /tmp/pario-victim-$$.d && /tmp/pario-victim-$$ 20"
	rm -rf /tmp/"pario-victim-$$" /tmp/"pario-victim-$$.d"
	says "traced by ptrace"
	pario profile x.trace --csv calls.csv >profile.txt
	[ "$(grep -c ',pwrite,' calls.csv)" = 20 ]
}

jail()
{
	need_root chroot
	mkdir -p jail
	for file in /bin/cat $(ldd /bin/cat | grep -o '/[^ ]*'); do
		mkdir -p "jail$(dirname "$file")"
		cp "$file" "jail$file"
	done
	head -c 1000 /dev/zero >jail/data
}

@test "a program below another root is traced from outside, and its errors are its own" {
	jail
	run -0 --separate-stderr pario trace -o x.trace -- chroot jail /bin/cat /data
	[[ $stderr != *ld.so* ]]
	if [[ $stderr == *"NOT TRACED"* ]]; then skip "ptrace is not allowed here"; fi
	says "traced by ptrace"
	[ "$(read_by /data)" = 1000 ]
}

# Leaves by a system call of its own, which nobody sees coming.
@test "a program that left nothing is named, in the trace too" {
	jail
	cat >leaves.c <<-END
		#include <unistd.h>
		#include <sys/syscall.h>
		int main(void)
		{
			char *argv[] = { "cat", "/data", 0 }, *env[] = { "A=b", 0 };
			if (fork() == 0)
				_exit(0);
			if (syscall(SYS_chroot, "jail") != 0 || chdir("/") != 0)
				return 1;
			execve("/bin/cat", argv, env);
			return 1;
		}
	END
	gcc -w -o leaves leaves.c
	run -0 --separate-stderr pario trace -o x.trace -- ./leaves
	# the child may end before its first record is there, and is then named as well; or begin its segment when all is over
	[[ $stderr == *"NOT TRACED: "*"/bin/cat (1 run, left no record"* ]]
	run ! grep -v -e "NOT TRACED: " -e "; next: pario profile x.trace" -e "1 segment could not be read" <<<"$stderr"
	run -0 pario profile x.trace
	[[ $output == *"NOT TRACED: "*"/bin/cat (1 run, left no record"* ]]
}

@test "forked processes that ended within fork are counted; failed execs and finished children are not" {
	cat >silent.c <<-END
		#include <pthread.h>
		#include <signal.h>
		#include <sys/syscall.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static volatile int stay = 1;
		static void spin(void)
		{
			while (stay)
				;
		}
		int main(void)
		{
			pthread_atfork(NULL, NULL, spin);
			for (int i = 0; i < 2; i++) {
				kill(fork(), SIGKILL);
				wait(0);
			}
			stay = 0;
			if (fork() == 0)
				_exit(0);
			if (fork() == 0) {
				execl("/no/such", "x", NULL);
				_exit(0);
			}
			if (vfork() == 0) {
				execl("/no/such", "x", NULL);
				_exit(0);
			}
			while (wait(0) > 0)
				;
			return 0;
		}
	END
	gcc -w -o silent silent.c -lpthread
	run -0 --separate-stderr pario trace -o x.trace -- ./silent
	says "NOT TRACED:"
	says "silent (2 processes, forked, and no call was seen)."
	run -0 --separate-stderr pario trace -o y.trace -- bash -c 'true; /bin/true; (exit 3); ls >/dev/null | cat; exit 0'
	only_the_trace
}

@test "a spawned program that left nothing is named once" {
	cat >spawns.c <<-END
		#include <spawn.h>
		#include <sys/wait.h>
		int main(void)
		{
			char *argv[] = { "quiet", 0 }, *env[] = { 0 };
			pid_t pid;
			if (posix_spawn(&pid, "./quiet", 0, 0, argv, env) != 0)
				return 1;
			return waitpid(pid, 0, 0) != pid;
		}
	END
	# ends before anything that is preloaded can begin
	cat >quiet.c <<-END
		int main(void) { return 0; }
		static void at_once(void) { __asm__ volatile("syscall" : : "a"(231), "D"(0)); }
		__attribute__((section(".preinit_array"), used)) static void (*first)(void) = at_once;
	END
	[ "$(uname -m)" = x86_64 ] || skip "the program knows the instruction of x86-64 only"
	gcc -w -o spawns spawns.c
	gcc -w -o quiet quiet.c
	run -0 --separate-stderr pario trace -o x.trace -- ./spawns
	[ "$(grep -c . <<<"$stderr")" = 2 ] # and the last line
	says "NOT TRACED:"
	says "quiet (1 run, left no record: it ended at once, or the tracer was not loaded)."
}

@test "what another user plants among the segments does no harm, and he has nobody else held" {
	need_root setpriv
	sleep 1000 &
	bystander=$!
	cat >plant.py <<-END
		import os, struct, sys
		place = os.environ["PARIO_TRACE"].split(":")[2]
		print(place)
		os.mkfifo(place + "/1.1")
		os.symlink("/etc/passwd", place + "/2.2")
		with open(place + "/3.3", "wb") as f:
		    f.write(os.urandom(300000))
		os.mkdir(place + "/4.4")
		try:
		    os.listdir(place)
		    sys.exit("it can be listed")
		except PermissionError:
		    pass
		ask = os.open(place + "/ask", os.O_WRONLY | os.O_NONBLOCK)
		os.write(ask, struct.pack("IIii496s", 1, 1, int(sys.argv[1]), 0, b"evil"))
		with open("/proc/%s/status" % sys.argv[1]) as f:
		    print([line for line in f if line.startswith("TracerPid")][0])
	END
	chmod 711 .
	chmod 644 plant.py
	cp plant.py /tmp/"pario-plant-$$.py"
	run -0 --separate-stderr pario trace -o x.trace -- setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$PYTHON" /tmp/"pario-plant-$$.py" $bystander
	rm /tmp/"pario-plant-$$.py"
	grep -q '^TracerPid:[[:space:]]*0$' /proc/$bystander/status
	kill $bystander
	says "4 segments could not be read"
	says "holds what is not ours and stays"
	[[ $stderr != *evil* ]]
	[ -s /etc/passwd ]
	place=${lines[0]}
	[ "$(find "$place" -mindepth 1 | wc -l)" = 1 ]
	rm -r "$(dirname "$place")"
	pario profile x.trace >profile.txt
}

# Between the making of its place and its lock, every other one takes it for left behind.
@test "a place that was just made is not lost to another trace that begins" {
	local injector=$PARIO_BUILD/test/fault/libinject.so

	need_root setpriv
	[ -e "$injector" ] || skip "the injector is not built"
	INJECT=delay=flock@1:1s,delay=flock@2:1s,delay=flock@3:1s,path=pario-others- INJECT_LOG=$PWD/delayed LD_PRELOAD=$injector \
		"$PARIO" trace -o x.trace -- bash -c "$SAY_PLACE" >place 2>said &
	until_true "$LIMIT_S" test -s delayed
	while kill -0 $! 2>/dev/null; do pario trace --quiet -o y.trace -- true; done
	wait $!
	cat place said
	[[ $(cat place) == /tmp/pario-others-* ]]
	[ "$(wc -l <said)" -eq 1 ]
}

@test "the place that a killed pario left in /tmp goes with the next one" {
	need_root setpriv
	mkfifo go
	"$PARIO" trace -o x.trace -- bash -c "$SAY_PLACE >place; : <go" 2>said &
	killed=$!
	until_true "$LIMIT_S" test -s place
	[ -d "$(cat place)" ]
	kill -9 $killed
	wait $killed || true
	run -0 --separate-stderr pario trace -o y.trace -- true
	only_the_trace
	[ ! -e "$(dirname "$(cat place)")" ]
	: >go
}
