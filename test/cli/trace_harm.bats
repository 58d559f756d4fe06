#!/usr/bin/env bats
# pario trace: what a traced program does, returns and prints is what it does, returns and prints without the tracer.
# shellcheck disable=SC2154 # stderr is set by bats

load lib

build() # NAME
{
	gcc -w -O1 -o "$1" "$PARIO_SOURCE/test/trace/$1.c" -lpthread
}

# count OPERATION: calls of that name in x.trace
count()
{
	rm -f calls.csv
	pario profile x.trace --csv calls.csv >profile.txt
	awk -F, -v op="$1" '$8 == op { n++ } END { print n + 0 }' calls.csv
}

# ---- children of threaded programs ----

@test "children of a program whose threads name files, load libraries and allocate do not hang" {
	build forks
	for how in stat dlopen malloc; do
		run -0 --separate-stderr pario trace -o x.trace -- ./forks $how 160 2
		[ "$output" = "done 160" ]
		only_the_trace
	done
	# all but the children of vfork, which do nothing, have opened a file or are another program
	[ "$(count exit)" -ge 140 ]
}

@test "call sites of children and of libraries loaded later have a name" {
	cat >later.c <<-END
		#include <fcntl.h>
		int later(const char *path) { return open(path, O_RDONLY); }
	END
	cat >main.c <<-END
		#include <dlfcn.h>
		#include <fcntl.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(void)
		{
			void *handle = dlopen("./later.so", RTLD_NOW);
			int (*later)(const char *) = (int (*)(const char *))dlsym(handle, "later");
			later("/dev/null");
			if (fork() == 0) {
				later("/dev/zero");
				_exit(0);
			}
			return wait(0) < 0;
		}
	END
	gcc -w -shared -fPIC -o later.so later.c
	gcc -w -o main main.c
	run -0 pario trace -o x.trace -- ./main
	pario profile x.trace | grep -A 100 'call sites' >sites
	cat sites
	grep -Eq '^ +(posix +)?open +2 .* later\+0x[0-9a-f]+ \(later.so\)' sites
}

# ---- allocators ----

@test "an allocator of the program's own that makes calls while it begins is not called again meanwhile" {
	cat >early.c <<-END
		#include <stdlib.h>
		/* before the tracer's own beginning */
		__attribute__((constructor)) static void early(void) { free(malloc(1)); }
	END
	cat >main.c <<-END
		#include <fcntl.h>
		#include <string.h>
		#include <unistd.h>
		static char memory[1 << 24];
		static size_t used;
		static int locked, calls;
		void *malloc(size_t n)
		{
			void *p = memory + used;

			if (locked) {
				write(2, "called again\\n", 13);
				_exit(9);
			}
			locked = 1;
			if (calls++ == 0)
				close(open("/dev/null", O_RDONLY));
			used += (n + 15) / 16 * 16;
			locked = 0;
			return p;
		}
		void free(void *p) { (void)p; }
		void *calloc(size_t n, size_t m) { return malloc(n * m); }
		void *realloc(void *p, size_t n) { return p ? memcpy(malloc(n), p, n) : malloc(n); }
		int main(void) { return write(1, "ended\\n", 6) != 6; }
	END
	gcc -w -shared -fPIC -o libearly.so early.c
	gcc -w -o main main.c -rdynamic -L. -Wl,--no-as-needed -learly -Wl,-rpath,"$PWD"
	[ "$(./main)" = ended ]
	run -0 --separate-stderr pario trace -o x.trace -- ./main
	[ "$output" = ended ]
	only_the_trace
	[ "$(count open)" -ge 1 ]
}

# ---- stacks ----

@test "threads and handlers with small stacks keep them: calls take little, starting programs a bit more" {
	build narrow
	ln -s narrow.data narrow.link
	./narrow >plain.txt
	run -0 --separate-stderr pario trace -o x.trace -- ./narrow
	only_the_trace
	[ "$(count pwrite)" = 10000 ]
	echo "$output" >traced.txt
	paste -d ' ' plain.txt traced.txt | tee both.txt
	[ "$(awk '$1 == $3 { print $1 }' both.txt | wc -l)" = 7 ]
	[ -z "$(awk '$4 > $2 + ($1 ~ /spawns|vforks/ ? 5120 : 2048)' both.txt)" ]
}

# ---- signals ----

@test "no record is lost to signal handlers, and none that was interrupted" {
	build handlers
	run -0 --separate-stderr pario trace -o x.trace -- ./handlers 60000
	only_the_trace
	read -r writes handled <<<"$output"
	[ "$(count pwrite)" = "$writes" ]
	[ "$(count access)" = "$handled" ]
	# what handlers jump out of is not finished, and said to be so; nothing else is missing
	run -0 --separate-stderr pario trace -o x.trace -- ./handlers 60000 jumps
	[[ $stderr != *LOST* ]]
	read -r writes handled <<<"$output"
	unfinished=$(sed -nE 's/^pario: ([0-9]+) calls? w[a-z]+ not finished: .*/\1/p' <<<"$stderr")
	[ "$(count access)" -ge $((handled - ${unfinished:-0})) ]
	[ "$(count pwrite)" -ge $((writes - handled / 100 - 1)) ]
}

@test "calls that were jumped out of or cancelled are counted, and no others" {
	build left
	for how in jump return cancel; do
		run -0 --separate-stderr pario trace -o x.trace -- ./left $how 4
		said=$(sed -nE 's/^pario: ([0-9]+) calls? w[a-z]+ not finished: .*/\1/p' <<<"$stderr")
		[ "${said:-0}" = "$output" ]
	done
}

# each_once CALLS HOW STATUS: is every call that returned in the trace, each once, and no other that had not begun?
each_once()
{
	rm -f ledger
	run "-$3" --separate-stderr pario trace --force -o x.trace -- ./jumps ledger "$1" "$2"
	says "next: pario profile"
	[[ $stderr != *LOST* ]]
	pario profile x.trace --csv x.csv >profile.txt
	"$PYTHON" - <<-END
		import collections, csv, sys
		ledger = open("ledger", "rb").read()
		seen = collections.Counter()
		nameless = 0
		for r in csv.DictReader(open("x.csv")):
		    nameless += r["operation"] in ("access", "open", "pread", "pwrite") and not r["file"]
		    if r["operation"] in ("pread", "pwrite"):
		        seen[int(r["offset"])] += 1
		    elif r["operation"] == "access":
		        seen[int(r["file"].rsplit("/", 1)[1].split("-")[0])] += 1
		wrong = [n for n in range(len(ledger)) if not (ledger[n] == 2) <= seen[n] <= (ledger[n] > 0)]
		print(ledger.count(2), "returned,", len(wrong), "wrong:", wrong[:5], nameless, "without a name")
		sys.exit(bool(wrong or nameless or ledger.count(2) < $1 // 2))
	END
}

@test "what has returned is in the trace once, though handlers jump, threads are cancelled and the process is killed" {
	build jumps
	each_once 5000 JJ 0
	each_once 60000 jj 0
	each_once 60000 jcv 0
	each_once 60000 jcvk 137
}

@test "a limit on the size of files is the program's own: SIGXFSZ and EFBIG come when they would" {
	build limits
	for limit in 1 8 200 unlimited; do
		rm -f limits.data
		(ulimit -f $limit && ./limits 8000) >plain.txt || [ $? -eq 3 ]
		rm -f limits.data
		run -3 --separate-stderr pario trace -o x.trace -- bash -c "ulimit -f $limit; exec ./limits 8000"
		[ "$output" = "$(cat plain.txt)" ]
		[ $limit = 1 ] || only_the_trace
		[ $limit = 1 ] || [ "$(count pwrite)" -ge 8000 ]
	done
	# too little for one page: that is said
	run -3 --separate-stderr pario trace -o x.trace -- bash -c "ulimit -f 1; exec ./limits 10"
	says "could not be made: EFBIG"
	run -153 --separate-stderr pario trace -o x.trace -- bash -c "ulimit -f 8; exec ./limits 10 signal"
}

# ---- addresses ----

@test "addresses that the kernel refuses give EFAULT with the tracer as well" {
	build faults
	./faults >plain.txt
	[ "$(grep -c ' 14$' plain.txt)" -gt 500 ]
	run -0 --separate-stderr pario trace -o x.trace -- ./faults
	diff plain.txt - <<<"$output"
	only_the_trace
}

# ---- the way to the segment ----

@test "after chroot, setuid and without descriptors every call is recorded" {
	build leaves
	for how in chroot setuid emfile; do
		run --separate-stderr pario trace -o x.trace -- ./leaves $how 8000
		[ "$status" -ne 77 ] || continue
		[ "$status" -eq 0 ]
		[[ $stderr != *LOST* ]]
		[ "$(count pwrite)" = 16001 ]
	done
	run -0 --separate-stderr pario trace -o x.trace -- ./leaves child 2000
	only_the_trace
	[ "$(count pwrite)" = 2000 ]
}

# ---- what programs give up, and what they are given ----

@test "a program that gives up system calls lives, and what could not be recorded is counted" {
	build confined
	for how in strict seccomp filter filter2 tsc mild; do
		run ./confined $how 10
		[ "$status" -ne 77 ] || continue
		run -7 --separate-stderr pario trace -o x.trace -- ./confined $how 1000
		[ ${#output} -eq 1000 ]
		only_the_trace
		[ "$(count write)" = 1000 ]
		run -7 --separate-stderr pario trace -o x.trace -- ./confined $how 6000
		[ ${#output} -eq 6000 ]
		case $how in
		mild | tsc) [ "$(count write)" = 6000 ] ;;
		*) says "could not be recorded (EPERM)" ;;
		esac
	done
}

@test "a program that forbids any one of the system calls that the tracer makes lives" {
	build confined
	run ./confined 1000000 10
	[ "$status" -ne 77 ] || skip "filters are not allowed here"
	{
		echo '#include <sys/syscall.h>'
		grep -rhoE '\bSYS_[a-z0-9_]+' "$PARIO_SOURCE/src/tracer/preload" | sort -u | sed 's/SYS_\(.*\)/call \1 SYS_\1/'
	} | gcc -E -P - | awk '$1 == "call" && $3 > 0' >calls
	[ "$(wc -l <calls)" -gt 30 ]
	while read -r _ name number; do
		run ./confined "$number" 6000
		[ "$status" -eq 7 ] || continue # it cannot do without
		plain=$output
		run -7 --separate-stderr pario trace -o x.trace -- ./confined "$number" 6000
		echo "$name: ${stderr}"
		[ "$output" = "$plain" ]
		[[ $stderr == *"could not be recorded (EPERM)"* ]] || [ "$(count write)" = 6000 ]
	done <calls
}

@test "signals and limits mean to a program what they mean without the tracer" {
	while read -r command; do
		plain=0 traced=0
		bash -c "$command" >plain.out 2>plain.err </dev/null || plain=$?
		pario trace -o x.trace -- bash -c "$command" >traced.out 2>traced.err </dev/null || traced=$?
		sed -i '/^pario: /d' traced.err # what it says about the trace
		# pids differ, also in the number of their digits
		sed -i 's/ *[0-9][0-9]* \(Segmentation\|Terminated\|Killed\|Aborted\|Broken\|File size\)/\1/' plain.err traced.err
		echo "$command: $plain $traced"
		cmp plain.out traced.out
		diff plain.err traced.err
		[ $plain -eq $traced ]
	done <<-'END'
		yes | head -n 3; echo "${PIPESTATUS[@]}"
		trap '' PIPE; rm -f gone; (until [ -e gone ]; do sleep 0.05; done; echo late) | { exec <&-; : >gone; }; echo "${PIPESTATUS[@]}"
		trap 'echo term' TERM; kill -TERM $$; echo on
		kill -TERM $$
		bash -c 'kill -SEGV $$'; echo $?
		bash -c 'kill -ABRT $$'; echo $?
		ulimit -n 6; cat /dev/null; echo $?
		ulimit -n 3; cat /dev/null 2>/dev/null; echo $?
		ulimit -f 0; echo x >file; echo $?
		ulimit -f 4; head -c 100000 /dev/zero >file; echo $?; wc -c <file
		ulimit -v 150000; cat /dev/null; echo $?
		ulimit -s 256; ls / >/dev/null; echo $?
		ulimit -t 10; cat /dev/null; echo $?
		exec 3<&- 1>&-; cat /dev/null
		cat /nowhere; cat <&-
		timeout 0.1 sleep 100; echo $?
	END
}

@test "the segments of short processes are a page each" {
	mkdir segments
	PARIO_TRACE=ns:0::$PWD/segments LD_PRELOAD=$(dirname "$PARIO")/libpario-trace.so \
		bash -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done'
	find segments -type f -printf '%k\n' | sort -n >kilobytes
	cat kilobytes
	[ "$(sed -n 15p kilobytes)" -le 4 ] # ten of true, ten of the shell's children, and the shell
	[ "$(tail -n 1 kilobytes)" -le 64 ]
}
