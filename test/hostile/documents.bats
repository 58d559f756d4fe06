#!/usr/bin/env bats
# Does pario ever write through a link, into somebody else's directory, or over a file that is not its own?

load lib

pario()
{
	timeout -k 5 "$LIMIT_S" "$PARIO" "$@" 3>&-
}

# refused SENTENCE COMMAND...: ends with 2 or 3, says this, and `victim` is as it was.
refused()
{
	local sentence=$1

	shift
	run "$@"
	echo "$output"
	[[ $status -eq 2 || $status -eq 3 ]]
	[[ $output == *"$sentence"* ]]
	[ "$(cat "$BATS_TEST_TMPDIR/victim")" = precious ]
}

begin()
{
	cd "$BATS_TEST_TMPDIR" || return
	echo precious >victim
}

tiny()
{
	pario run transfer --api null --np 1 --transfer_size 4k --block_size 4k --repetitions 1 --dir "$DATA" "$@"
}

@test "a result directory of another user, or of everybody, is refused before anything is written" {
	need_other
	begin
	tried 4
	chmod 777 "$BATS_TEST_TMPDIR"
	as_other mkdir pario-results his
	refused "belongs to another user" tiny
	refused "belongs to another user" tiny --output his
	as_other bash -c "ln -s '$BATS_TEST_TMPDIR/victim' his/journal.jsonl; ln -s '$BATS_TEST_TMPDIR/victim' his/report.html"
	refused "belongs to another user" tiny --output his
	mkdir -m 777 open
	refused "writable by everybody" tiny --output open
	[ -z "$(find pario-results open -mindepth 1)" ]
}

@test "the user's own report.html and madbench2.txt in --output, or links of these names, stay as they are" {
	begin
	tried 4
	mkdir out1 out2
	echo mine | tee out1/report.html >out1/madbench2.txt
	ln -s ../victim out2/report.html
	ln -s ../victim out2/madbench2.txt
	for out in out1 out2; do
		run pario run madbench2 --np 1 --no_pix 32 --repetitions 1 --dir "$DATA" --output $out
		echo "$output"
		[[ $output == *"madbench2.txt exists and"*"left alone"* ]]
		[ -s $out/journal.jsonl ]
	done
	[ "$(cat out1/report.html out1/madbench2.txt)" = $'mine\nmine' ]
	[[ -L out2/report.html && -L out2/madbench2.txt && $(cat victim) = precious ]]
}

@test "pages and exports replace pario's own files, others only with --force, pipes and directories never" {
	local made words

	begin
	tried 14
	tiny --output run >/dev/null
	pario trace -o t.trace -- true
	pario report run -o made.html && pario report run -o made.html
	for words in "report run -o" "compare run run -o" "profile t.trace --html" "profile t.trace --csv" "profile t.trace --perfetto"; do
		read -ra made <<<"$words"
		refused "was not made by pario" pario "${made[@]}" victim
		ln -sfn victim link
		refused "is a link" pario "${made[@]}" link
		cp victim copy
		pario "${made[@]}" copy --force >/dev/null
		[ "$(cat copy)" != precious ]
		pario "${made[@]}" copy >/dev/null
	done
	refused "cannot be told" pario profile t.trace --folded victim
	mkfifo pipe
	refused "is a pipe" pario report run -o pipe --force
	refused "is a directory" pario report run -o "$DATA" --force
	pario report run -o - | grep -q '<!DOCTYPE html>'
	pario report run -o /dev/stdout | grep -q '<!DOCTYPE html>'
	[ "$(find . -name '*.tmp' | wc -l)" -eq 0 ]
}

@test "a trace replaces traces; a link, a pipe, a second name or a file of another user's never" {
	begin
	tried 6
	pario trace -o t.trace -- true && pario trace -o t.trace -- true
	refused "is not a trace of pario" pario trace -o victim -- true
	cp victim copy
	pario trace -o copy --force -- true
	pario profile copy >/dev/null
	ln -s victim link
	refused "is a link" pario trace -o link --force -- true
	mkfifo pipe
	refused "not a regular file" pario trace -o pipe --force -- true
	ln t.trace second
	refused "single name" pario trace -o second -- true
}

@test "a variable that named a file once is refused, and the file, a link or a pipe is neither written nor removed" {
	begin
	tried 4
	ln -s victim pario-status-link
	mkfifo pario-status-pipe
	touch pario-status-first
	ln pario-status-first pario-status-second
	for file in victim pario-status-link pario-status-pipe pario-status-first; do
		status=0
		PARIO_STATUS_FILE=$PWD/$file timeout -k 5 "$LIMIT_S" mpiexec.openmpi -n 1 \
			"$PARIO" run transfer --api null --transfer_size 4k --block_size 4k --repetitions 1 --dir "$DATA" \
			--output "out.$file" 3>&- >said 2>&1 || status=$?
		[ "$status" -eq 2 ]
		grep -q PARIO_STATUS_FILE said
		[ -e "$file" ]
	done
	[ "$(cat victim)" = precious ]
	[ ! -s pario-status-first ]
}

@test "a TMPDIR in which another user may exchange files is not used" {
	need_other
	begin
	mkdir -m 777 tmp
	attack "$SWAP" "$PWD/tmp/pario-*" "$PWD/victim" >/dev/null
	TMPDIR=$PWD/tmp tiny --output run >/dev/null
	[ -z "$(ls -A tmp)" ]
	[ "$(cat victim)" = precious ]
}
