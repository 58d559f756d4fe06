#!/usr/bin/env bats
# What a person sees: the progress line, widths, colours, Ctrl-C and how to go on. The null backend's delay makes runs
# long enough, whatever the machine.
# shellcheck disable=SC2154 # stderr is set by bats
load lib

# One phase of about 2.5 s, in 5 ms steps: the line appears after 2 s and is drawn every second.
LONG=(--api null --delay 5000 --transfer_size 64k --block_size 32m --np 1 --repetitions 1 --operations write)

# seen COLUMNS [--until TEXT:ACTION]... -- ARGUMENTS...: pario on a terminal; what it says is in $output.
seen()
{
	local before=() columns=$1
	shift
	while [ "$1" != -- ]; do before+=("$1"); shift; done
	shift
	timeout -k 5 "$LIMIT_S" "$PYTHON" "$CLI/terminal.py" "$columns" "${before[@]}" -- "$PARIO" "$@"
}

long() { run -0 seen "$1" -- run transfer "${LONG[@]}" --dir "$DATA" --output "$OUT" "${@:2}"; }

@test "a long phase shows share, test, phase, rate and time left while it goes on" {
	once_of 5 # who draws it may come too late
	long 120
	grep -qE '\[#*-*\] +[0-9]+ %  transfer write, 1 client, repetition 1 · write [0-9.]+ MiB/s · [0-9.]+ [0-9a-z ]*left' <<<"$output"
}

@test "the line is never wider than the terminal, also after it was resized" {
	# one that was drawn before may be read later
	run -130 seen 100 --until "%  transfer write:44" --until "%  transfer:44" --until "%  transfer:44" \
		--until "%  transfer:interrupt" -- run transfer "${LONG[@]}" --block_size 64g --dir "$DATA" --output "$OUT"
	drawn=$(tr '\r' '\n' <<<"$output" | sed 's/\x1b\[[0-9;]*[mK]//g; s/\^C.*//' | grep '%  transfer')
	[ "$(wc -L <<<"$drawn")" -lt 100 ]
	[ "$(tail -n 1 <<<"$drawn" | wc -L)" -lt 44 ]
}

@test "COLUMNS wins over the terminal's own width" {
	COLUMNS=50 run -0 seen 200 -- run transfer "${LONG[@]}" --dir "$DATA" --output "$OUT"
	[ "$(tr '\r' '\n' <<<"$output" | sed 's/\x1b\[[0-9;]*[mK]//g' | grep -v / | wc -L)" -le 50 ]
}

@test "sentences are no wider than 100 columns in a pipe, rows of tables stay whole" {
	pario trace --quiet -o x.trace -- dd if=/dev/zero "of=$DATA/$(printf '%040d' 0)" bs=4k count=100 oflag=sync status=none
	run -0 env -u COLUMNS "$PARIO" profile x.trace
	grep -q "/$(printf '%040d' 0)" <<<"$output"
	[ "$(grep -v '/\|[^ ]   *[^ ]' <<<"$output" | wc -L)" -le 100 ]
	COLUMNS=60 run -0 pario profile x.trace
	[ "$(grep -v '/\|[^ ]   *[^ ]' <<<"$output" | wc -L)" -le 60 ]
}

@test "visibility on one node says that it proves nothing about a network" {
	run -0 pario run visibility --np 2 --rounds 2 --repetitions 1 --changes write --dir "$DATA" --output "$OUT"
	[[ $output == *"all clients on one node: this proves nothing about a network"* ]]
}

@test "no line in a pipe, with --quiet, on a dumb terminal, or when standard error goes elsewhere" {
	run -0 pario run transfer "${LONG[@]}" --progress 3600 --dir "$DATA" --output "$OUT"
	[[ $output != *" %  transfer"* && $output != *$'\033'* && $output != *$'\r'* ]]
	rm -r "$OUT"
	long 80 --quiet
	[ -z "$output" ]
	rm -r "$OUT"
	TERM=dumb long 80 --progress 3600
	[[ $output != *" %  transfer"* && $output != *$'\033'* ]]
	rm -r "$OUT"
	run -0 script -qec "$PARIO run transfer ${LONG[*]} --progress 3600 --dir $DATA --output $OUT 2>said" /dev/null
	[ ! -s said ]
}

@test "a log begins with machine, directory and parameters, and gets a progress line now and then" {
	run -0 --separate-stderr pario run transfer "${LONG[@]}" --dir "$DATA" --output "$OUT" --progress 1
	[[ ${lines[0]} == "pario "*"$(hostname)"*" cores"*": "* ]]
	head=$(tr -s '\n ' ' ' <<<"$output")
	[[ $head == *" transfer in $DATA, 1 client started, 1 repetition "*" --transfer_size 64k "*"--delay 5000 "* ]]
	# five seconds: never more than one line a second, and on the slowest machine still one
	count=$(grep -cE '^\[#*-*\] +[0-9]+ %  transfer (write|read), 1 client, repetition 1 · ' <<<"$stderr")
	[ "$count" -ge 1 ] && [ "$count" -eq "$(wc -l <<<"$stderr")" ]
	[ "$count" -le "$(tail -n 1 "$OUT/journal.jsonl" | sed 's/.*"seconds":\([0-9]*\).*/\1/')" ]
	no_head=$(pario run transfer "${SMALL[@]}" --dir "$DATA" --output "$OUT.2" --json)
	[[ $no_head == '{"kind":"begin"'* ]]
}

@test "NO_COLOR keeps the line and leaves out the colours" {
	once_of 5
	NO_COLOR=1 long 100
	[[ $output == *" %  transfer"* ]]
	run ! grep -q $'\033''\[[0-9;]*m' <<<"$output"
}

@test "--json on a terminal prints the journal and nothing else to standard output" {
	run -0 script -qec "$PARIO run transfer ${LONG[*]} --progress 3600 --dir $DATA --output $OUT --json 2>/dev/null" /dev/null
	tr -d '\r' <<<"$output" >said.jsonl
	cmp said.jsonl "$OUT/journal.jsonl"
}

@test "under mpiexec on a terminal the line is there, in a pipe it is not" {
	once_of 5
	launcher=$("$PARIO" doctor "$DATA" --seconds 0 | sed -n 's/.*pario starts itself with //p')
	run -0 timeout -k 5 "$LIMIT_S" "$PYTHON" "$CLI/terminal.py" 100 -- "$launcher" -n 1 "$PARIO" run transfer \
		"${LONG[@]}" --dir "$DATA" --output "$OUT"
	[[ $output == *" %  transfer"* ]]
	rm -r "$OUT"
	run -0 timeout -k 5 "$LIMIT_S" "$launcher" -n 1 "$PARIO" run transfer "${LONG[@]}" --dir "$DATA" --output "$OUT"
	[[ $output != *" %  transfer"* && $output != *$'\033'* ]]
}

@test "entries and lines about scaling fit every width" {
	for columns in 40 72 100; do
		rm -rf "$OUT"
		run -0 seen "$columns" -- run transfer --api null --block_size 64k --transfer_size 16k --clients 1,2 \
			--dir "$DATA" --output "$OUT"
		[[ $output == *"pario "*"$(hostname)"*"transfer in"* ]]
		[ "$(tr '\r' '\n' <<<"$output" | sed 's/\x1b\[[0-9;]*[mK]//g' | grep -v / | wc -L)" -le "$columns" ]
	done
}

@test "a number takes a line and its proof another, also in a pipe of a hundred columns; --verbose says the rest" {
	# half a second each: not too short, whatever the machine
	run -0 pario run transfer --api null --delay 5000 --block_size 6m --transfer_size 64k --np 2 --repetitions 3 \
		--dir "$DATA" --output "$OUT"
	[ "$(grep -cE '^ (write|read) +2 clients +[0-9 ]+(\.[0-9]+)? MiB/s  \[[0-9. ]+, [0-9. ]+\] MiB/s( |$)' <<<"$output")" -eq 2 ]
	[ "$(grep -cE '^        no cache state · .*3 repetitions$' <<<"$output")" -eq 2 ]
	[[ $output != *"slowest client"* ]]
	[ "$(grep -v / <<<"$output" | wc -L)" -le 100 ]
	[ "$(grep -c '◀' <<<"$output")" -le 2 ]
	rm -r "$OUT"
	run -0 pario run transfer --api null --delay 5000 --block_size 6m --transfer_size 64k --np 2 --repetitions 3 --verbose \
		--dir "$DATA" --output "$OUT"
	[ "$(grep -c '^        slowest client' <<<"$output")" -eq 2 ]
}

@test "many operations and sweeps are one table, one point has its details" {
	run -0 pario run metadata --np 2 --items 20 --repetitions 3 --dir "$DATA" --output "$OUT" --verbose
	grep -qE '^ what +clients +median +.*interval.* +repetitions' <<<"$output"
	[ "$(grep -cE '^ (file|dir)_[a-z]+ +2 .* 3( |$)' <<<"$output")" -eq \
		"$(field phase | grep -E '^(file|dir)_' | sort -u | wc -l)" ]
	[[ $output != *"slowest client"* ]]
	run -0 pario run transfer --api null --block_size 64k --transfer_size 16k,32k --np 1 --repetitions 3 \
		--operations write --dir "$DATA" --output "$OUT.2"
	[ "$(grep -cE '^ write  transfer_size=(16k|32k) +1 ' <<<"$output")" -eq 2 ]
	[[ $output != *"open to close"* ]]
	run -0 pario run transfer --api null --block_size 64k --transfer_size 16k --np 1 --repetitions 3 \
		--operations write --dir "$DATA" --output "$OUT.3"
	[[ $output == *" 3 repetitions"* ]]
}

@test "Ctrl-C stops after the current operation, keeps the journal and says how to go on; that works" {
	run -130 seen 100 --until "%  transfer:interrupt" -- run transfer "${LONG[@]}" --transfer_size 32k,64k \
		--block_size 16m --operations write,read \
		--dir "$DATA" --output "$OUT"
	[[ $output == *"Go on with \`pario run transfer --resume $OUT\`."* ]]
	[ "$(end outcome)" = interrupted ]
	run -0 --separate-stderr pario run transfer --resume "$OUT"
	[ "$(end outcome)" = pass ]
	for size in 32k 64k; do
		for phase in write read; do
			[ "$(field point phase outcome | grep -c "transfer_size=$size $phase pass")" -eq 1 ]
		done
	done
}

@test "a resumed run measures only what is missing" {
	measure "${SMALL[@]}" --operations write --repetitions 3
	count=$(field phase | wc -l)
	run -0 --separate-stderr pario run transfer --resume "$OUT"
	[ "$(field phase | wc -l)" -eq "$count" ]
	[[ $output == *"3 repetitions"* ]]
}

@test "--resume refuses another test, other options and other client counts" {
	measure "${SMALL[@]}" --operations write
	run -2 --separate-stderr pario run tile --resume "$OUT"
	says "is the journal of transfer, not of tile"
	run -2 --separate-stderr pario run transfer --resume "$OUT" --transfer_size 4k
	says "Leave the option out"
	run -3 --separate-stderr pario run transfer --resume nowhere
	says nowhere
}

@test "the second Ctrl-C ends it at once and says what removes the data" {
	# Two within seconds are one: between them the line is drawn some more times, once a second.
	run -130 seen 100 --until "%  transfer:interrupt" --until "%  transfer:100" --until "%  transfer:100" \
		--until "%  transfer:100" --until "%  transfer:100" --until "%  transfer:interrupt" -- run transfer --api null \
		--delay 60000000 --transfer_size 64k --block_size 1m --np 1 --dir "$DATA" --output "$OUT"
	[[ $output == *"\`pario clean $DATA\` removes the data that stayed."* ]]
}

@test "in a locale without UTF-8 nothing beyond ASCII is printed; journals stay as they are" {
	for clients in 2 1,2; do
		run -0 env LC_ALL=C "$PARIO" run transfer --api null --block_size 64k --transfer_size 16k --np 2 \
			--clients "$clients" --dir "$DATA" --output "$OUT" --verbose
		case $clients in
		2) [[ $output == *" s^2"* ]] ;;
		*) [[ $output == *" repetitions"*scaling* ]] ;;
		esac
		run ! env LC_ALL=C grep -qP '[^\x00-\x7f]' <<<"$output"
		rm -r "$OUT"
	done
	run -0 --separate-stderr env LC_ALL=C "$PARIO" run transfer --api null --block_size 64k --transfer_size 16k --np 2 \
		--label 'µ·×' --dir "$DATA" --output "$OUT" --json
	[ "$output" = "$(cat "$OUT/journal.jsonl")" ]
	run -0 env LC_ALL=C "$PARIO" doctor "$DATA" --seconds 0
	run ! env LC_ALL=C grep -qP '[^\x00-\x7f]' <<<"$output"
}

@test "names are left as they are in any locale" {
	mkdir 'täst·'
	run -0 env LC_ALL=C "$PARIO" doctor täst· --seconds 0
	[[ $output == *täst* ]]
}

@test "list and help fit the terminal" {
	for columns in 80 120; do
		for words in list help "help transfer" "help compare" "help metadata"; do
			# shellcheck disable=SC2086 # words are several
			run -0 seen "$columns" -- $words
			# One default is a single word of its own, longer than any line.
			[ "$(tr -d '\r' <<<"$output" | grep -v '\[tree_create' | wc -L)" -le "$columns" ]
		done
	done
}
