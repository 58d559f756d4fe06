#!/usr/bin/env bats
# shellcheck disable=SC2034,SC2086,SC2154 # several words; variables that bats and lib.bash set
# `--filename`: a new file is made, used and removed; a file that is there is only read; nothing else is touched.

load lib

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	DATA=$BATS_TEST_TMPDIR/data OUT=$BATS_TEST_TMPDIR/out MINE=$BATS_TEST_TMPDIR/mine
	MOUNTED=
	mkdir "$DATA" "$MINE"
	head -c 1m /dev/urandom >"$MINE/file"
	ln -s file "$MINE/link"
	ln -s nowhere "$MINE/dangling"
	mkdir "$MINE/directory"
}

# one TEST OPTIONS...: a run of it must succeed.
one()
{
	rm -rf "$OUT"
	run -0 --separate-stderr pario run "$@" --dir "$DATA" --output "$OUT"
}

tests=('transfer --block_size 256k --transfer_size 64k' 'transfer --block_size 64k --transfer_size 64k --api mpiio --collective 1'
	'transfer --block_size 256k --transfer_size 64k --api mmap' 'transfer --block_size 64k --transfer_size 16k --hint striping_unit=65536 --api mpiio'
	'tile --sz_tile_x 64 --sz_tile_y 64' 'noncontig --fsize 64k' 'noncontig --fsize 64k --file contiguous --memory contiguous')

@test "a new file is made, written, read, compared and removed, repetition by repetition" {
	local test before
	before=$(sums "$MINE")
	for test in "${tests[@]}"; do
		one $test --np 3 --repetitions 2 --filename "$MINE/new"
		[ "$(field phase | sort | uniq -c | tr -s ' ')" = $' 2 read\n 2 write' ]
		[ "$(field outcome | grep -c fail)" -eq 0 ]
		grep -q verified_bytes "$OUT/journal.jsonl"
		# Its times are those of the directory, which was used.
		[ "$(sums "$MINE" | grep -v '^\. ')" = "$(grep -v '^\. ' <<<"$before")" ]
		[ -z "$(ls -A "$DATA")" ]
	done
}

@test "it is the file of that name that is used: its bytes are the test's, and --keep_files leaves it" {
	one transfer --np 2 --repetitions 2 --block_size 64k --transfer_size 16k --filename "$MINE/new" --keep_files
	[ "$(stat -c '%s %a %F' "$MINE/new")" = "131072 600 regular file" ]
	end kept | grep -qF "$MINE/new"
	run -0 pario clean "$DATA"
	[ -e "$MINE/new" ]
	run -0 pario clean --kept "$DATA"
	[ ! -e "$MINE/new" ]
	[ -e "$MINE/file" ]
	[ -z "$(ls -A "$DATA")" ]
}

@test "a file that is there is read as it is, by tile and noncontig too" {
	local test before
	before=$(sums "$MINE")
	for test in "${tests[@]}"; do
		one $test --np 2 --repetitions 2 --operations read --filename "$MINE/file"
		[ "$(field phase | sort -u)" = read ]
		[ "$(field outcome | grep -c fail)" -eq 0 ]
		run -1 grep -q verified_bytes "$OUT/journal.jsonl"
		"$PYTHON" "$CLI/journal.py" notes "$OUT/journal.jsonl" | grep -q "could not be verified"
		[ "$(sums "$MINE")" = "$before" ]
		[ -z "$(ls -A "$DATA")" ]
	done
}

@test "the old name of the option means the same, in the environment too" {
	one transfer --np 1 --operations read --block_size 64k --transfer_size 16k --file "$MINE/file"
	[ "$(field phase | sort -u)" = read ]
	PARIO_FILE=$MINE/file run -2 --separate-stderr pario run transfer --dir "$DATA"
	says "is there already"
	PARIO_FILENAME=$MINE/file run -2 --separate-stderr pario run tile --dir "$DATA"
	says "is there already"
}

# refused WORDS TEST OPTIONS...
refused()
{
	local words=$1 before
	shift
	before=$(sums "$MINE")
	run -2 --separate-stderr pario run "$@" --np 2 --dir "$DATA" --output "$OUT"
	one_sentence
	says "$words"
	[ "$(sums "$MINE")" = "$before" ]
	untouched
}

@test "what is there is never written, whatever it is" {
	local test there
	mkfifo "$MINE/pipe"
	for test in transfer tile noncontig; do
		for there in file link dangling directory pipe; do
			refused "is there already" $test --filename "$MINE/$there"
			refused "is there already" $test --filename "$MINE/$there" --operations write
		done
		refused "not a regular file" $test --operations read --filename "$MINE/directory"
		refused "not a regular file" $test --operations read --filename "$MINE/pipe"
		refused "cannot be read" $test --operations read --filename "$MINE/dangling"
		refused "cannot be read" $test --operations read --filename "$MINE/none"
		refused "no name for a new file" $test --filename "$MINE/none/"
		refused "cannot be made" $test --filename "$MINE/none/new"
	done
	refused "one file for all" transfer --layout per_client --filename "$MINE/new"
	refused "uses no file of yours" transfer --api null --filename "$MINE/new"
	refused "Use smaller sizes" tile --operations read --filename "$MINE/file"
}

@test "numbers are those of the file system of --dir" {
	local elsewhere
	elsewhere=$(mktemp -d -p /dev/shm) || skip "there is no /dev/shm"
	if [ "$(stat -c %d "$elsewhere")" = "$(stat -c %d "$DATA")" ]; then
		rmdir "$elsewhere"
		skip "all is one file system"
	fi
	run -2 --separate-stderr pario run transfer --np 1 --dir "$DATA" --output "$OUT" --filename "$elsewhere/new"
	[ -z "$(ls -A "$elsewhere")" ]
	rmdir "$elsewhere"
	says "another file system"
}

# start [REPETITIONS]: a run that goes on, its file made; ends as `pid` and all its clients are told.
start()
{
	rm -rf "$OUT"
	"$PARIO" run transfer --np 1 --repetitions "${1:-1000000}" --block_size 64m --transfer_size 4k --dir "$DATA" --output "$OUT" \
		--filename "$MINE/new" >"$BATS_TEST_TMPDIR/said" 2>&1 3>&- &
	pid=$!
	until_true 60 test -s "$MINE/new"
}

# cut_short: takes the file's bytes away; the run has ended. Other repetitions follow one that fails so.
cut_short()
{
	truncate -c -s 0 "$MINE/new"
	! kill -0 "$pid" 2>/dev/null
}

@test "a run that fails removes its file" {
	start 10
	until_true 300 cut_short
	wait "$pid" && false
	[ ! -e "$MINE/new" ]
	[ -z "$(ls -A "$DATA")" ]
}

@test "an interrupted run removes its file" {
	start
	kill -TERM "$pid" # a shell lets what it starts beside it ignore SIGINT
	wait "$pid" || :
	[ ! -e "$MINE/new" ]
	[ -e "$MINE/file" ]
	[ -z "$(ls -A "$DATA")" ]
}

# cleaned: the workspace of the killed run is gone.
cleaned() { pario clean "$DATA" && [ -z "$(ls -A "$DATA")" ]; }

# left: a workspace as a killed run leaves it, with the file's line in its manifest.
left()
{
	start
	grep -q "^\.claim .*$MINE/new\$" "$DATA"/pario-*/manifest
	kill -KILL "$pid" "$(awk '/^\.maker / { print $(NF - 1) }' "$DATA"/pario-*/manifest)"
	wait "$pid" || :
	[ -e "$MINE/new" ]
}

@test "what a killed run left is removed by clean, that file and nothing else" {
	left
	run -2 --separate-stderr pario run transfer --np 1 --dir "$DATA" --output "$OUT.2" --filename "$MINE/new"
	says "pario clean"
	until_true 30 cleaned
	[ ! -e "$MINE/new" ]
	[ -e "$MINE/file" ]
}

@test "what somebody put there meanwhile stays" {
	local before
	left
	rm "$MINE/new"
	echo precious >"$MINE/new"
	before=$(sums "$MINE")
	until_true 30 cleaned
	[ "$(sums "$MINE")" = "$before" ]
}

@test "a link or a directory that somebody put there meanwhile stays, and so does what it leads to" {
	local before
	left
	rm "$MINE/new"
	ln -s file "$MINE/new"
	before=$(sums "$MINE")
	until_true 30 cleaned
	[ "$(sums "$MINE")" = "$before" ]
}

@test "a file that changed its owner stays" {
	[ "$(id -u)" = 0 ] || skip "only root gives files away"
	left
	chown 12345 "$MINE/new"
	until_true 30 cleaned
	[ -e "$MINE/new" ]
}

@test "a run whose file was exchanged under it leaves the other one as it is" {
	local before
	start
	echo precious >"$MINE/other"
	mv -f "$MINE/other" "$MINE/new"
	before=$(sums "$MINE" | grep -F ./new)
	wait "$pid" && false
	grep -q "not the file that this run made" "$BATS_TEST_TMPDIR/said"
	[ "$(sums "$MINE" | grep -F ./new)" = "$before" ]
	[ -z "$(ls -A "$DATA")" ]
}
