#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031 # HABIT is set within one test
# What stands out in a profile: planted programs show that every rule speaks, real ones that it is silent.
#
# A finding needs a share of the time that was spent. So that it does not depend on a device that others keep busy, the files
# lie in memory where there is room, and what a busy machine can hide is tried again.

load lib

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	DATA=$BATS_TEST_TMPDIR/data OUT=$BATS_TEST_TMPDIR/out
	mkdir "$DATA"
	HABIT=$BATS_TEST_TMPDIR/habit
	if [ -w /dev/shm ] && [ "$(df --output=avail -B1M /dev/shm | tail -n 1)" -gt 900 ]; then
		HABIT=$(mktemp -d /dev/shm/pario-habit.XXXXXX)
	fi
}

teardown() { rm -rf "$HABIT"; }

# stands_out: what stands out in x.trace, also where I/O takes little of the run
stands_out() { pario profile x.trace --rows 30 --verbose | sed -n '/^What stands out/,/^$/p'; }

# practise PROGRAM... HABIT: traces it in a directory of its own
practise()
{
	rm -rf "$HABIT"
	mkdir "$HABIT"
	timeout "$LIMIT_S" "$PARIO" trace -o x.trace -- "$@" "$HABIT"
}

# finds TITLE: at the place in the source that is planted, with a remedy
finds()
{
	stands_out >found
	grep -A 4 -E "^  [0-9]+\. $1" found >one || { echo "not found: $1"; cat found; return 1; }
	grep -qE '^     at .*habits\.c:[0-9]+$|^     at [a-z_]+\+0x' one && grep -qE '^ +Try: ' found
}

# shows TITLE PROGRAM... HABIT: one of a few traces has the finding.
shows()
{
	local title=$1

	shift
	for _ in 1 2 3 4 5; do
		practise "$@"
		! finds "$title" || return 0
	done
	return 1
}

# says_nothing PROGRAM...: one of a few traces has no finding at all.
says_nothing()
{
	for _ in 1 2 3 4 5; do
		rm -rf "$HABIT"
		mkdir "$HABIT"
		timeout "$LIMIT_S" "$PARIO" trace -o x.trace -- "$@"
		stands_out >found
		[ -s found ] || return 0
		cat found
	done
	return 1
}

@test "every habit of a program is found, with where it comes from and what would help" {
	gcc -w -g -O0 -o habits "$PARIO_SOURCE/test/trace/habits.c"
	while read -r habit title; do
		shows "$title" ./habits "$habit"
	done <<-END
		small_requests Small requests: .* at stake, [0-9]+ % of the time on storage
		sync_each Synced after every write
		write_through Every write goes through to the device
		misaligned Misaligned writes
		overlapping Overlapping writes
		interleaved One shared file, in small interleaved pieces
		rewritten The same bytes written again
		random_order Random where sequential would do
		read_again The same bytes read again
		opened_again A file opened again and again
		path_search Names looked for in many places
		failed_calls Calls that fail
		many_stats The same file asked about again and again
		lock_waits Waiting for locks
		read_backward Read backward, without read-ahead
		wrong_advice Read in another order than announced
	END
}

# never_finds TITLE PROGRAM... HABIT: no trace has it. Others may stand out.
never_finds()
{
	local title=$1

	shift
	practise "$@"
	stands_out >found
	run ! grep -E "^  [0-9]+\. $title" found
}

@test "what looks like a habit and is none is not found" {
	gcc -w -g -O0 -o habits "$PARIO_SOURCE/test/trace/habits.c"
	while read -r habit title; do
		never_finds "$title" ./habits "$habit"
	done <<-END
		end_of_file Read backward
		in_turn Overlapping writes
		around One shared file, in small interleaved pieces
		rewritten_synced The same bytes written again
		read_changing The same bytes read again
		lock_file A file opened again and again
		lock_file Calls that fail
		each_directory Names looked for in many places
		free_locks Waiting for locks
		small_files Small requests
		flush_range Synced
	END
}

@test "ranks that compute are not waited for because of I/O, scratch files need no sync, and barriers give an order" {
	mpicc.openmpi -w -g -O0 -o mpihabits "$PARIO_SOURCE/test/trace/mpihabits.c"
	while read -r habit title; do
		never_finds "$title" mpiexec.openmpi --oversubscribe -n 3 ./mpihabits "$habit" </dev/null
	done <<-END
		compute_waits Waiting for others
		scratch Written and never synced
		ordered Overlapping writes
	END
}

@test "only the calls that overlap are charged" {
	gcc -w -g -O0 -o habits "$PARIO_SOURCE/test/trace/habits.c"
	practise ./habits overlapping_little
	pario profile x.trace --journal "$OUT" --csv calls.csv >/dev/null
	"$PYTHON" - "$OUT/journal.jsonl" calls.csv <<-'END'
		import csv, json, sys
		for line in map(json.loads, open(sys.argv[1])):
		    if "findings" in line.get("sheets", {}):
		        sheet = line["sheets"]["findings"]
		        break
		rows = [dict(zip(sheet["columns"], row)) for row in sheet["rows"]]
		row, = [row for row in rows if row["rule"] == "overlapping"]
		ns = sum(int(c["duration_ns"]) for c in csv.DictReader(open(sys.argv[2]))
		         if c["operation"] == "pwrite" and c["offset"] == "0")
		assert abs(row["seconds"] * 1e9 - ns) < 1000, (row, ns)
	END
}

@test "a profile begins with the share of the run that I/O takes, and says what most of that is" {
	on_device
	shows "Synced every few writes" ./habits sync_often
	run -0 pario profile x.trace
	grep -E '^I/O takes [0-9.]+ % of the run: [0-9.]+ m?s of [0-9.]+ m?s\. Most of the I/O time, [0-9]+ %, is sync: see finding 1\.$' <<<"${lines[0]}"
	# nothing to find about it, and why
	practise ./habits none
	run -0 pario profile x.trace
	[[ $(tr -s ' \n' ' ' <<<"$output") =~ ^"I/O takes "[0-9.]+" % of the run: ".*" of the I/O time, "[0-9]+" %, is "[a-z,\ ]+": ".+"." ]]
}

@test "where I/O takes less than 2 % of the run nothing is worth changing, and findings are folded" {
	once_of 5 # what the machine does beside it is no part of the program
	# shellcheck disable=SC2016 # expanded by the inner shell
	practise bash -c 'dd if=/dev/zero of="$0/out" bs=10 count=4000 status=none; sleep 1'
	run -0 pario profile x.trace
	[[ $(tr -s ' \n' ' ' <<<"$output") = "I/O takes "*" That is below 2 %: nothing here is worth changing. Most of the I/O time, "* ]]
	grep -E -A 1 '^What stands out, in the little that I/O takes' <<<"$output" >found
	grep -E '^  1\. Small requests: .* at stake' found
	[[ $output != *"Try: Collect"* ]]
	stands_out | grep -F 'Try: Collect'
	run -0 pario profile x.trace --html page.html
	grep -F 'nothing here is worth changing' page.html
	grep -F '<details><summary>What stands out' page.html
}

@test "a sentence names what was seen, with counts" {
	gcc -w -g -O0 -o habits "$PARIO_SOURCE/test/trace/habits.c"
	shows "Small requests" ./habits small_requests
	stands_out | tr -s ' \n' ' ' | grep -F "20 000 of 20 000 write calls moved 200000 B in pieces of 10 B on average, one behind the other, on $HABIT/out."
	shows "Names looked for" ./habits path_search
	stands_out | tr -s ' \n' ' ' | grep -F "1000 of 1000 open calls failed with ENOENT: 50 names were looked for in 20 places each."
	shows "Overlapping writes" ./habits overlapping
	stands_out | tr -s ' \n' ' ' | grep -F "2 processes wrote the same 800 KiB of $HABIT/out"
	run -0 stands_out
	[[ $output != *interleaved* ]]
}

# on_device: where a sync takes time; in memory it takes none, and there is nothing to find
on_device()
{
	rm -rf "$HABIT"
	HABIT=$BATS_TEST_TMPDIR/habit
	[ "$(stat -f -c %T "$BATS_TEST_TMPDIR")" != tmpfs ] || skip "a sync costs nothing here"
	gcc -w -g -O0 -o habits "$PARIO_SOURCE/test/trace/habits.c"
}

@test "syncs that take most of the time are found, also where most writes are not synced" {
	on_device
	shows "Synced every few writes: .* at stake" ./habits sync_often
	stands_out | tr -s ' \n' ' ' | grep -F "fsync was called 400 times between the 4000 writes to $HABIT/out, after 80 KiB on average."
	shows "Synced every few writes: .* at stake" ./habits sync_tiny
	stands_out | grep -E '^  1\. Synced every few writes'
}

@test "direct reads in small pieces are found" {
	gcc -w -g -O0 -o habits "$PARIO_SOURCE/test/trace/habits.c"
	rm -rf "$HABIT"
	HABIT=$BATS_TEST_TMPDIR/habit # on a device
	mkdir "$HABIT"
	run ./habits read_direct "$HABIT"
	[ "$status" -ne 77 ] || skip "the file system here has no O_DIRECT"
	shows "Direct reads in small pieces, without read-ahead" ./habits read_direct
}

@test "habits of ranks are found" {
	mpicc.openmpi -w -g -O0 -o mpihabits "$PARIO_SOURCE/test/trace/mpihabits.c"
	while read -r habit title; do
		shows "$title" mpiexec.openmpi --oversubscribe -n 3 ./mpihabits "$habit" </dev/null
	done <<-END
		independent Independent MPI-IO on a shared file
		one_rank One rank does all the I/O
		imbalance Uneven shares
		barrier_waits Waiting for others' I/O
		many_files Many small files, one writer each
		never_synced Written and never synced
	END
}

@test "there is nothing to say about a well-written program, with one process and with several" {
	gcc -w -g -O0 -o habits "$PARIO_SOURCE/test/trace/habits.c"
	mpicc.openmpi -w -g -O0 -o mpihabits "$PARIO_SOURCE/test/trace/mpihabits.c"
	says_nothing ./habits none "$HABIT"
	says_nothing mpiexec.openmpi --oversubscribe -n 3 ./mpihabits none "$HABIT"
}

@test "there is nothing to say about tar, git and sqlite3" {
	mkdir files
	for i in $(seq 200); do seq "$i" $((i * 20)) >files/"$i"; done
	# shellcheck disable=SC2016 # expanded by the inner shell
	says_nothing bash -c 'tar cf "$0/x.tar" files && mkdir "$0/out" && tar xf "$0/x.tar" -C "$0/out"' "$HABIT"
	if command -v git; then
		# shellcheck disable=SC2016 # expanded by the inner shell
		HOME=$PWD says_nothing bash -c 'cd files && export GIT_WORK_TREE=. GIT_DIR="$0/git" && git init -q && git add . && git -c user.name=a -c user.email=b commit -qm x && git status && git gc -q && git log --stat' "$HABIT" >/dev/null
	fi
	if command -v sqlite3; then
		{
			echo 'create table t(a integer primary key, b text); begin;'
			for i in $(seq 5000); do echo "insert into t values($i, hex(randomblob(50)));"; done
			echo 'commit; create index i on t(b); select count(*), sum(length(b)) from t;'
		} >script
		# shellcheck disable=SC2016 # expanded by the inner shell
		says_nothing bash -c 'sqlite3 "$0/x.db" <script' "$HABIT"
	fi
}

@test "where the storage was measured, a finding says what a change would gain" {
	gcc -w -g -O0 -o habits "$PARIO_SOURCE/test/trace/habits.c"
	transfer --transfer_size 1m --block_size 16m --repetitions 1 --np 1 --operations write
	# as measured on a quiet machine: much faster than small pieces
	"$PYTHON" - "$OUT" <<-'END'
		import json, os, sys
		sys.path.insert(0, os.environ["PARIO_SOURCE"] + "/test/browser")
		import journals
		lines = [json.loads(line) for line in open(sys.argv[1] + "/journal.jsonl")]
		for line in lines:
		    line.pop("sum")
		    if line["kind"] == "result":
		        line.update(outcome="pass", reason="", rate_mib_s=2000.0)
		journals.write(sys.argv[1], lines)
	END
	shows "Small requests" ./habits small_requests
	run -0 pario profile x.trace --storage "$OUT"
	tr -s ' \n' ' ' <<<"$output" | grep -E "Measured on this storage: writes of 1 MiB by 1 client at [0-9 .]+ [GM]iB/s\. These 200000 B would take [0-9.]+ [mun]s that way, not [0-9.]+ m?s\."
	run -0 pario profile x.trace
	[[ $output != *"Measured on"* ]]
	run -3 --separate-stderr pario profile x.trace --storage nowhere
	# a survey predicts the way, where it was measured or not, and says how slow it may be
	pario survey "$DATA" --api posix --np 1 --focus write,aligned,shared,segmented --smallest 64k --largest 1m --minutes 0.05 --output surveyed
	"$PYTHON" - surveyed <<-'END'
		import json, os, sys
		sys.path.insert(0, os.environ["PARIO_SOURCE"] + "/test/browser")
		import journals
		lines = [json.loads(line) for line in open(sys.argv[1] + "/journal.jsonl")]
		for line in lines:
		    line.pop("sum")
		    for law in line.get("survey", {}).get("law", []):
		        law["call_s"] /= 1000
		        law["byte_s"] /= 1000
		    for row in line.get("survey", {}).get("points", {}).get("rows", []):
		        row[2] /= 1000
		journals.write(sys.argv[1], lines)
	END
	run -0 pario profile x.trace --storage surveyed
	tr -s ' \n' ' ' <<<"$output" | grep -E "By the survey of this storage: writes of [0-9]+ [KM]iB by 1 client at (no less than )?[0-9 .]+ [GMT]iB/s\. These 200000 B would take [0-9.]+ [mun]s that way, not [0-9.]+ m?s\."
}

@test "calls of Python programs come from lines of Python, and imports are the runtime's" {
	"$PYTHON" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || skip "only CPython 3.11 is known"
	cat >script.py <<-END
		import json, os, multiprocessing, threading
		def small(fd):
		    for i in range(2000):
		        os.write(fd, b"0123456789")
		def main():
		    fd = os.open("habit/out", os.O_WRONLY | os.O_CREAT)
		    small(fd)
		    for i in range(3):
		        os.path.exists("habit/nothing")
		    t = threading.Thread(target=small, args=(fd,))
		    t.start()
		    t.join()
		    with open("habit/text", "w") as f:
		        json.dump(list(range(10000)), f)
		if __name__ == "__main__":
		    main()
		    p = multiprocessing.get_context("fork").Process(target=small, args=(os.open("habit/child", os.O_WRONLY | os.O_CREAT),))
		    p.start()
		    p.join()
	END
	mkdir habit
	pario trace -o x.trace -- "$PYTHON" script.py
	run -0 pario profile x.trace --rows 100 --verbose
	grep -E "write +6000 .* small $PWD/script.py:4\$" <<<"$output"
	grep -E "stat +3 .* main $PWD/script.py:9\$" <<<"$output"
	grep -E "at small $PWD/script.py:4\$" <<<"$output"
	grep -E "write +[0-9]+ .* main $PWD/script.py:1[34]\$" <<<"$output"
	grep -E 'calls for the runtime' <<<"$output"
	sed -n '/^files$/,/^$/p' <<<"$output" >files
	run ! grep -F .pyc files
	[ "$(stat -c %s habit/text)" -gt 10000 ] && [ "$(stat -c %s habit/child)" = 20000 ]
}
