#!/usr/bin/env bats
# pario trace: system calls without a function of their own, and calls with two files, count on the files they are of.

load lib

# calls TRACE: "operation file result" of the calls on first, second, third, fourth and pipes
calls()
{
	rm -f calls.csv
	pario profile "$1" --csv calls.csv >profile.txt
	awk -F, 'NR > 1 { gsub(/"/, "", $9); n = split($9, part, "/"); sub(/pipe:.*/, "pipe", part[n])
		if (part[n] ~ /^(first|second|third|fourth|pipe)$/ && $8 !~ /open|dup|pipe|close_range/) print $8, part[n], $12 }' calls.csv |
		sort
}

direct() # FLAGS... -- OPTIONS...
{
	gcc -w -O1 ${1:+"$1"} -o direct "$PARIO_SOURCE/test/trace/direct.c"
	pario trace -o x.trace -- ./direct expected 2>said
	calls x.trace >got
	sort expected | diff - got
}

@test "system calls made by syscall() count as what they are, on the right files" { direct; }

@test "the same by ptrace" {
	pario trace --ptrace -o p.trace -- true 2>ptrace.err
	! grep -q "does not allow ptrace" ptrace.err || skip "ptrace is not allowed here"
	direct -static
}

@test "copying a file shows its bytes read and written" {
	head -c 300000 /dev/urandom >source
	pario trace -o x.trace -- cat source >to
	pario profile x.trace >profile.txt
	grep -q '^bytes  *300000 B read, 300000 B written' profile.txt
	pario trace -o y.trace -- cp source copy
	pario profile y.trace --csv calls.csv >/dev/null
	[ "$(awk -F, '$9 ~ /\/source$/ && $8 ~ /read|_in$/ { n += $12 } END { print n }' calls.csv)" = 300000 ]
	[ "$(awk -F, '$9 ~ /\/copy$/ && $8 ~ /write|copy_file_range$|sendfile$/ { n += $12 } END { print n }' calls.csv)" = 300000 ]
}

@test "mapped parts of files and page faults are shown, by file and by process" {
	gcc -w -o mapped "$PARIO_SOURCE/test/trace/mapped.c"
	pario trace -o x.trace -- ./mapped
	pario profile x.trace --csv calls.csv --journal out >profile.txt
	grep -q '^mapped  *16 KiB of files in 2 mappings; ' profile.txt
	sed -n '/^mapped files/,/^$/p' profile.txt | grep -q ' 2  *16 KiB  .*/mapped.data$'
	[ "$(grep -c ',mmap,.*mapped.data,4096,12288,' calls.csv)" = 1 ]
	minor=$(jq -r 'select(.sheets.processes) | .sheets.processes | (.columns | index("minor_faults")) as $i | .rows[0][$i]' out/journal.jsonl)
	[ "$minor" -ge 4000 ]
}
