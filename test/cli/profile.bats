#!/usr/bin/env bats
# pario profile: what it shows, what it exports, and what it makes of damaged files.

load lib

trace() # a trace of a known program
{
	gcc -w -g -O0 -o victim "$PARIO_SOURCE/test/trace/victim.c" -lpthread
	pario trace -o x.trace -- ./victim 50000
}

calls() { awk '$1 == "calls" && $2 ~ /^[0-9]+$/ { print $2 }' <<<"$output"; }

@test "classes, files, sites, processes, timeline, distances and longest calls are shown" {
	trace
	run -0 pario profile x.trace
	for part in "call classes" files "call sites" processes timeline "seek distances" "longest calls"; do
		grep -q "^$part" <<<"$output"
	done
	[ "$(calls)" -ge 50001 ]
	grep -qE 'posix +pwrite +<= 256 B +sequential +buffered +50000 ' <<<"$output"
	grep -qE '^  none +49999$' <<<"$output"
	grep -q "$PWD/victim.data" <<<"$output"
}

@test "a call site has function, file and line" {
	pario list | grep -E 'libdw +[0-9]' || skip "built without libdw"
	trace
	line=$(grep -n 'pwrite(fd' "$PARIO_SOURCE/test/trace/victim.c" | cut -d: -f1)
	pario profile x.trace | grep -E "pwrite .* work .*victim.c:$line\$"
}

@test "a program that has moved is found by its build-id" {
	pario list | grep -E 'libdw +[0-9]' || skip "built without libdw"
	trace
	mkdir moved
	mv victim moved/
	run -0 pario profile x.trace
	grep -E 'pwrite .*  victim\+0x' <<<"$output"
	pario profile x.trace --symbols moved | grep -E 'pwrite .* work .*victim.c:'
}

@test "lines of a program that was built anew are not shown" {
	pario list | grep -E 'libdw +[0-9]' || skip "built without libdw"
	trace
	gcc -w -g -O1 -DOTHER -o victim "$PARIO_SOURCE/test/trace/victim.c" -lpthread
	pario profile x.trace | grep -E 'pwrite .*  victim\+0x'
}

@test "without debug information there is function and offset" {
	pario list | grep -E 'libdw +[0-9]' || skip "built without libdw"
	gcc -w -O0 -o victim "$PARIO_SOURCE/test/trace/victim.c" -lpthread
	pario trace -o x.trace -- ./victim 10
	pario profile x.trace | grep -E 'pwrite .* work\+0x[0-9a-f]+ \(victim\)'
}

@test "programs that share a process id stand beside each other, not over each other" {
	pario trace -o x.trace -- bash -c 'cat /etc/hostname >/dev/null; exec env true'
	run -0 pario profile x.trace --journal out --perfetto out.json
	"$PYTHON" - <<-END
		import collections, json
		lines = [json.loads(l) for l in open("out/journal.jsonl")]
		sheets = next(l["sheets"] for l in lines if l.get("test") == "trace" and "sheets" in l)
		t = sheets["timeline"]
		row, what, start = (t["columns"].index(c) for c in ("row", "what", "from_s"))
		cells = collections.Counter((r[row], r[what], r[start]) for r in t["rows"] if r[0] == "program")
		assert max(cells.values()) == 1, cells
		p = sheets["processes"]
		programs = {r[p["columns"].index("program")] for r in p["rows"]}
		assert {"bash", "cat", "env", "true"} <= programs, programs
		names = [e["args"]["name"] for e in json.load(open("out.json"))["traceEvents"] if e["name"] == "process_name"]
		assert sum("bash -c" in n and ", then env true, then true on " in n for n in names) == 1, names
	END
}

@test "the journal is valid" {
	trace
	run -0 pario profile x.trace --journal out
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" out/journal.jsonl
	grep -c '"kind":"result"' out/journal.jsonl
}

@test "the JSON for Perfetto can be read" {
	trace
	run -0 pario profile x.trace --perfetto out.json
	"$PYTHON" -c 'import json; t = json.load(open("out.json"))["traceEvents"]; assert sum(e["name"] == "pwrite" for e in t) == 50000'
}

@test "names in the CSV are no formulas" {
	pario trace -o x.trace -- cat =1+1 || true
	run -0 pario profile x.trace --csv out.csv
	run ! grep -E ',"?=' out.csv
}

@test "storage first, pipes apart, failures by error and path" {
	echo some >some
	run -0 pario trace -o x.trace -- sh -c 'cat some no-such-file 2>/dev/null | (sleep 0.2; cat >copy)'
	run -0 pario profile x.trace --html out.html
	run -0 pario profile x.trace --journal out
	grep -qE '^bytes .* on storage' <<<"$output"
	grep -qE 'calls for pipes' <<<"$output"
	grep -qE "ENOENT .*posix +open +$PWD/no-such-file" <<<"$output"
	sed -n '/^files$/,/^$/p' <<<"$output" | grep -q "$PWD/some"
	sed -n '/^files$/,/^$/p' <<<"$output" | { run ! grep 'pipe:'; }
	sed -n '/^files, not storage$/,/^$/p' <<<"$output" | grep -q 'pipe:'
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" out/journal.jsonl
	grep -q '"failures":' out/journal.jsonl
	grep -q 'Which calls failed' out.html
}

@test "a range of time leaves out the calls before and after, in exports too" {
	run -0 pario trace -o x.trace -- sh -c 'cat /etc/passwd >a; sleep 0.1; cat /etc/group >b'
	pario profile x.trace --csv all.csv >/dev/null
	# the microsecond in which the second file was opened
	from=$(awk -F, '$8 == "open" && $9 == "/etc/group" { print int($1 / 1000) }' all.csv)
	run -0 pario profile x.trace --from "$(awk "BEGIN { printf \"%.6f\", $from / 1e6 }")" --csv out.csv --perfetto out.json.gz
	grep -q '^range ' <<<"$output"
	grep -q ',/etc/group,' out.csv
	run ! grep ',/etc/passwd,' out.csv
	"$PYTHON" -c 'import gzip, json, sys; t = json.load(gzip.open("out.json.gz"))["traceEvents"]; assert any(e.get("args", {}).get("file") == "/etc/group" for e in t); assert min(e["ts"] for e in t if "ts" in e) >= int(sys.argv[1])' "$from"
	run -0 pario profile x.trace --perfetto out.json.gz
	run -2 --separate-stderr pario profile x.trace --from 2 --to 1
	one_sentence
}

# exported OPTION FILE: by this option to standard output, with nothing else, as into a file.
exported()
{
	rm -f "$2"
	pario profile x.trace "$1" "$2" >text
	[ -s text ]
	pario profile x.trace "$1" - >stdout
	cmp "$2" stdout
	pario profile x.trace "$1" /dev/stdout | cmp "$2" -
	[ ! -e - ]
}

first_line()
{
	set -o pipefail
	"$PARIO" profile x.trace --csv - | head -n 1
}

@test "an export to - goes to standard output, and nothing else does" {
	gcc -w -g -O0 -o victim "$PARIO_SOURCE/test/trace/victim.c" -lpthread
	run -0 pario trace --stack 4 -o x.trace -- ./victim 100
	exported --csv out.csv
	exported --perfetto out.json
	exported --folded out.folded
	exported --context out.context
	run -2 --separate-stderr pario profile x.trace --csv - --perfetto -
	one_sentence
	[ -z "$output" ]
	run -2 --separate-stderr pario profile x.trace --journal -
	says "and - is standard output"
	[ ! -e - ]
	# a reader that goes away ends it quietly; there is more than a pipe holds
	run -0 pario trace -o x.trace -- ./victim 2000
	run -141 --separate-stderr first_line
	[[ $output == start_ns,* && -z $stderr ]]
}

@test "exports do not overwrite" {
	trace
	echo precious >out.csv
	run -2 --separate-stderr pario profile x.trace --csv out.csv
	one_sentence
	says --force
	[ "$(cat out.csv)" = precious ]
}

@test "a regular program needs at most 12 bytes per call" {
	pario list | grep -E 'zstd +[0-9]' || skip "built without zstd"
	trace
	[ $(($(stat -c %s x.trace) / 50000)) -le 12 ]
}

@test "a truncated trace gives its valid prefix, wherever it is cut" {
	trace
	size=$(stat -c %s x.trace)
	for ((cut = 0; cut < size; cut += size / 60 + 1)); do
		head -c $cut x.trace >cut.trace
		run --separate-stderr pario profile cut.trace
		[ $status -eq 0 ] || [ $status -eq 2 ] || { echo "cut at $cut: status $status"; return 1; }
		[ $status -ne 2 ] || one_sentence
	done
	head -c $((size * 3 / 4)) x.trace >cut.trace
	run -0 pario profile cut.trace
	[[ $output == *"THE FILE IS DAMAGED"*torn* ]]
	[ "$(calls)" -gt 0 ]
}

@test "damage in the middle costs only what it touches" {
	trace
	size=$(stat -c %s x.trace)
	for ((at = 100; at < size; at += size / 40 + 1)); do
		cp x.trace bad.trace
		printf '\377\377\377' | dd of=bad.trace bs=1 seek=$at conv=notrunc status=none
		run --separate-stderr pario profile bad.trace
		[ $status -eq 0 ] || { echo "damaged at $at: status $status"; return 1; }
	done
}

@test "foreign and empty files and other versions are refused with a sentence" {
	for what in /etc/passwd /dev/null nowhere; do
		run ! --separate-stderr pario profile $what
		one_sentence
	done
	: >empty
	run -2 --separate-stderr pario profile empty
	says "is empty"
	trace
	printf '\011' | dd of=x.trace bs=1 seek=8 conv=notrunc status=none
	run -2 --separate-stderr pario profile x.trace
	says "another version"
}

@test "segments that a killed launcher left can be read" {
	gcc -w -o victim "$PARIO_SOURCE/test/trace/victim.c" -lpthread
	mkfifo go
	"$PARIO" trace -o x.trace -- bash -c './victim 1000; : >there; : <go' &
	killed=$!
	until_true "$LIMIT_S" test -e there
	kill -KILL $killed
	wait $killed || true
	: >go
	run -0 pario profile pario-trace-*
	[ "$(calls)" -ge 1000 ]
}

libdw() { pario list | grep -qE 'libdw +[0-9]' || skip "built without libdw"; }

@test "a page shows when, how large, how far apart, from where and on which files" {
	trace
	mkdir tmp
	TMPDIR=$PWD/tmp run -0 pario profile x.trace --html page.html
	[ "${lines[-1]}" = page.html ] && [ "${#lines[@]}" = 1 ] # who asks for a page does not ask for the text
	for part in "When it was busy" "How large the transfers are" "How far apart the transfers are" \
		"Where the calls come from" "On which files" "By which processes" "Where the time went" "Call classes"; do
		grep -qF ">$part" page.html || { echo "no $part"; return 1; }
	done
	grep -qF "$PWD/victim.data" page.html
	grep -q '<g class="cell h8"' page.html
	grep -q 'From the top of each row: ' page.html
	[ -z "$(ls tmp)" ]
}

@test "the page of a program begins with what stands out and has no rate" {
	once_of 5 # a finding is a share of the time
	gcc -w -g -O0 -o habits "$PARIO_SOURCE/test/trace/habits.c"
	mkdir habit
	pario trace -o x.trace -- ./habits small_requests habit
	run -0 pario profile x.trace --html page.html
	grep -q '<code>./habits small_requests habit</code>' page.html
	grep -q '<title>trace of ./habits small_requests habit on ' page.html
	grep -q '<li><b>Small requests</b>: .* at stake' page.html
	grep -q 'What the time on storage was spent on' page.html
	run ! grep -E '>At a glance|[0-9] client' page.html
	run ! grep -E '<td>program</td>.*MiB/s' page.html
	# call sites stand before histograms
	[ "$(grep -n -m 1 '>Where the calls come from' page.html | cut -d: -f1)" -lt "$(grep -n -m 1 '>How large the transfers are' page.html | cut -d: -f1)" ]
	run -0 pario profile x.trace --journal out
	run -0 pario report out --out hidden.html --anonymize 1
	grep -q 'one behind the other, on a file' hidden.html
	run ! grep -F "$PWD" hidden.html
}

@test "a call site on the page is a link to its line" {
	libdw
	trace
	line=$(grep -n 'pwrite(fd' "$PARIO_SOURCE/test/trace/victim.c" | cut -d: -f1)
	run -0 pario profile x.trace --html page.html
	grep -qE "<a href=\"file:///[^\"]*victim\.c#L$line\">" page.html
}

@test "the page on standard output stands alone" {
	trace
	run -0 --separate-stderr pario profile x.trace --html -
	[[ $output == "<!DOCTYPE html>"* ]]
}

@test "the report draws the same from a profile's journal, and anonymously names nothing" {
	trace
	run -0 pario profile x.trace --journal out
	run -0 pario report out --out page.html
	grep -qF '>When it was busy' page.html
	run -0 pario report out --out hidden.html --anonymize 1
	grep -qF '>file 1<' hidden.html
	run ! grep -F "$PWD" hidden.html
}

@test "a journal holds as many tables rows however many calls there are" {
	gcc -w -g -O0 -o victim "$PARIO_SOURCE/test/trace/victim.c" -lpthread
	for n in 2000 200000; do
		pario trace -o $n.trace -- ./victim $n
		pario profile $n.trace --journal $n >/dev/null
	done
	[ "$(stat -c %s 200000/journal.jsonl)" -lt $((3 * $(stat -c %s 2000/journal.jsonl) + 30000)) ]
}

@test "stacks are shown and folded" {
	libdw
	cat >deep.c <<-'C'
		#include <fcntl.h>
		#include <unistd.h>
		static __attribute__((noinline)) void inner(int fd) { (void)!pwrite(fd, "12345678", 8, 0); __asm__ volatile(""); }
		static __attribute__((noinline)) void left(int fd) { inner(fd); __asm__ volatile(""); }
		static __attribute__((noinline)) void right(int fd) { inner(fd); inner(fd); __asm__ volatile(""); }
		int main(void) { int fd = open("deep.data", O_CREAT | O_WRONLY, 0600); left(fd); right(fd); return 0; }
	C
	gcc -w -g -O0 -o deep deep.c
	pario trace --stack 4 -o x.trace -- ./deep
	run -0 pario profile x.trace --folded folded --weight bytes
	grep -A 3 -E '^  pwrite +1 +8 B' <<<"$output" | grep -qE 'by left .*deep.c:4'
	grep -qE 'main;left;inner;pwrite 8$' folded
	[ "$(awk '/main;right;inner;pwrite / { n += $NF } END { print n }' folded)" -eq 16 ] # two lines of one function
	run -0 pario profile x.trace --folded calls --weight calls
	[ "$(awk '/;pwrite / { n += $NF } END { print n }' calls)" -eq 3 ]
	run -2 --separate-stderr pario profile x.trace --folded more --weight tyme
	one_sentence
}

@test "names of C++ functions are as written" {
	libdw
	command -v g++ >/dev/null || skip "no C++ compiler"
	cat >a.cc <<-'C'
		#include <fcntl.h>
		#include <unistd.h>
		namespace io { template <typename T> __attribute__((noinline)) int put(int fd, T t) { int n = pwrite(fd, &t, sizeof(t), 0); return n + 1; } }
		int main() { return io::put<double>(open("a.data", O_CREAT | O_WRONLY, 0600), 1.0) != 9; }
	C
	g++ -w -g -O0 -o a a.cc
	pario trace -o x.trace -- ./a
	pario profile x.trace | grep -E 'pwrite .* io::put<double>\(int, double\) .*a.cc:3'
	strip -g a
	pario trace -o y.trace -- ./a
	pario profile y.trace | grep -E 'pwrite .* io::put<double>\(int, double\)\+0x'
}

@test "names of Fortran procedures are as written" {
	libdw
	command -v gfortran >/dev/null || skip "no Fortran compiler"
	cat >f.f90 <<-'F'
		module disk
		contains
		  subroutine save_it(x)
		    real(8), intent(in) :: x(:)
		    open(unit=10, file='f.data', access='stream', form='unformatted')
		    write(10) x
		    close(10)
		  end subroutine
		end module
		program solver
		  use disk
		  real(8) :: x(100)
		  x = 1
		  call save_it(x)
		end program
	F
	gfortran -g -O0 -o f f.f90
	pario trace --stack 8 -o x.trace -- ./f
	run -0 pario profile x.trace --rows 100
	grep -qE 'write .*disk::save_it .*f.f90:7' <<<"$output"
	grep -qE 'by solver .*f.f90:14' <<<"$output"
}

@test "renamed programs, moved libraries and separate debug files are found below a directory" {
	libdw
	echo 'int puts_it(int fd); int write(int, const void *, unsigned long); int puts_it(int fd) { return write(fd, "x", 1) + 1; }' >l.c
	echo 'int puts_it(int fd); int main(void) { return puts_it(1) == 0; }' >m.c
	gcc -w -g -O0 -shared -fPIC -o libl.so l.c
	gcc -w -g -O0 -o m m.c -L. -ll -Wl,-rpath,"$PWD"
	objcopy --only-keep-debug m m.debug
	strip -s m
	pario trace --stack 2 -o x.trace -- ./m >/dev/null
	mkdir -p far/away
	mv libl.so far/away/other-name
	mv m.debug far/away/no-name
	pario profile x.trace | grep -E 'write .* libl.so\+0x'
	run -0 pario profile x.trace --symbols far
	grep -qE 'write .* puts_it .*l.c:1' <<<"$output"
	grep -qE 'by main .*m.c:1' <<<"$output"
	run -2 --separate-stderr pario profile x.trace --symbols nowhere
	one_sentence
}

@test "control bytes, quotes and invalid bytes of names stay in their cell" {
	name=$(printf 'a"b,c\nd\377e')
	echo x >"$name"
	pario trace -o x.trace -- cat "$name" >/dev/null
	run -0 pario profile x.trace --csv out.csv --perfetto out.json --journal out
	"$PYTHON" -c 'import csv, json
rows = list(csv.reader(open("out.csv", newline="", encoding="utf-8")))
assert {len(r) for r in rows} == {17}, rows
assert any("a\"b,c\\x0ad\\xffe" in r[8] for r in rows)
json.loads(open("out.json", "rb").read().decode("utf-8"))'
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" out/journal.jsonl
}

@test "calls within others lie within them for Perfetto, and processes have names" {
	trace
	run -0 pario profile x.trace --perfetto out.json
	"$PYTHON" -c 'import json
t = json.load(open("out.json"))["traceEvents"]
assert any(e["ph"] == "M" and "victim" in e["args"].get("name", "") for e in t)
open_until = {}
for e in sorted((e for e in t if e["ph"] == "X"), key=lambda e: (e["pid"], e["tid"], e["ts"], -e["dur"])):
    stack = open_until.setdefault((e["pid"], e["tid"]), [])
    while stack and stack[-1] <= e["ts"]: stack.pop()
    assert not stack or e["ts"] + e["dur"] <= stack[-1]
    stack.append(e["ts"] + e["dur"])'
}

@test "quantiles are those of the calls" {
	trace
	run -0 pario profile x.trace --csv out.csv --journal out
	"$PYTHON" -c 'import csv, json, math
times = sorted(int(r["duration_ns"]) for r in csv.DictReader(open("out.csv")) if r["operation"] == "pwrite")
line = next(d for d in map(json.loads, open("out/journal.jsonl")) if d["kind"] == "result" and d["phase"] == "pwrite" and d["ops"] > 1000)
for q, name in ((.5, "p50"), (.9, "p90"), (.99, "p99"), (.999, "p999")):
    true = times[math.ceil(q * len(times)) - 1]
    assert abs(line["latency_ns"][name] - true) <= 1 + 0.02 * true, (name, line["latency_ns"][name], true)
assert abs(line["latency_ns"]["max"] - times[-1]) <= 1'
}

@test "top fits its terminal, and says what it was not given" {
	mkdir "$(printf 'long-%.0s' {1..20})"
	cat >work <<-'S'
		for i in $(seq 2000); do [ ! -e enough ] || break; cat /etc/hostname >"$(echo long-*)/file"; sleep 0.1; done
	S
	pario trace -o x.trace -- bash work &
	until_true "$LIMIT_S" compgen -G 'pario-trace-*/*.*' >/dev/null
	TERM=xterm "$PYTHON" -c 'import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if not pid:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 70, 0, 0))
    os.execvp(sys.argv[1], [sys.argv[1], "top", sys.argv[2], "--rounds", "1"])
out = b""
try:
    while True: out += os.read(fd, 65536)
except OSError: pass
lines = out.decode().replace("\r", "").split("\n")
assert len(lines) <= 20 and max(len(l) for l in lines[1:]) <= 70 and lines[0].startswith("\x1b[H"), lines' "$PARIO" pario-trace-*
	run -0 pario top pario-trace-* --rounds 1
	: >enough
	[[ $output != *$'\033'* ]]
	mkdir plain
	touch plain/file
	run -2 --separate-stderr pario top plain
	one_sentence
	wait
}

@test "the report takes traces as they are, several side by side" {
	trace
	cp x.trace y.trace
	run -0 pario report x.trace y.trace --label "old,new" --out page.html
	grep -qF 'When it was busy: old' page.html
	grep -qF 'Where the time went: new' page.html
	head -c 20 x.trace >cut.trace
	run -2 --separate-stderr pario report cut.trace
	one_sentence
}

@test "phases and classes of calls are shown, with paths that are called inferred" {
	cd "$BATS_TEST_TMPDIR"
	cat >halves.py <<-'EOF'
		import os
		f = os.open("halves.data", os.O_RDWR | os.O_CREAT)
		for i in range(100):
		    os.pwrite(f, bytes(4096), i * 4096)
		for i in range(100):
		    os.pread(f, 4096, i * i * 7 % 100 * 4096)
	EOF
	"$PARIO" trace --quiet -o halves.trace -- "$PYTHON" -S halves.py
	run -0 pario profile halves.trace --classes
	[[ $output =~ phases.*" write ".*" read ".*"classes of calls on storage; paths are inferred from times" ]]
	grep -E '^ +[0-9]+ write +<= 4 KiB +sequential +- +own +1 ' <<<"$output"
	grep -E '^ +[0-9]+ read +<= 4 KiB +random +[0-9.]+ [KM]iB +own +1 ' <<<"$output"
	# whatever the times were, no path is told without saying that it is inferred, and none is called cached
	sed '1,/^classes of calls on storage/d' <<<"$output" >rows
	[ "$(grep -cE ' (hit|miss|absorbed|throttled) ' rows)" -eq "$(grep -c ' (inferred) ' rows)" ]
	[ "$(awk '{ n += $0 ~ / read / || $0 ~ / write / } END { print n }' rows)" -eq "$(grep -cE '\(inferred\)|not told apart' rows)" ]
	[[ $output != *cached* ]]
	run -2 pario profile halves.trace --classes --from 1
	[[ $output == *"--classes are those of the whole program: leave --from and --to out."* ]]
}
