#!/usr/bin/env bats
# shellcheck disable=SC2034,SC2086,SC2154 # several words; variables that bats and lib.bash set
# `--file`: the user's file is read and stays as it was.

load lib

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	DATA=$BATS_TEST_TMPDIR/data OUT=$BATS_TEST_TMPDIR/out MINE=$BATS_TEST_TMPDIR/mine
	MOUNTED=
	mkdir "$DATA" "$MINE"
	head -c 1m /dev/urandom >"$MINE/file"
	chmod 0444 "$MINE/file"
	ln -s file "$MINE/link"
	sync "$MINE/file"
}

READ=(--np 2 --operations read --block_size 512k --transfer_size 64k --repetitions 2)

@test "every way to read leaves the file as it was and says that nothing was verified" {
	local options before
	before=$(sums "$MINE")
	for options in '--api posix' '--api posix --direct 1 --order random' '--api uring --queue_depth 4' '--api mmap' \
		'--api mpiio' '--api mpiio --collective 1' '--pattern strided --block_size 64k --segment_count 8'; do
		[[ $options != *uring* ]] || has_backend "$PARIO" uring || continue
		measure "${READ[@]}" $options --file "$MINE/file"
		[ "$(field phase bytes | sort -u)" = "read 1048576" ]
		[ "$(field outcome | grep -c fail)" -eq 0 ]
		run -1 grep -q verified_bytes "$OUT/journal.jsonl"
		"$PYTHON" "$CLI/journal.py" notes "$OUT/journal.jsonl" | grep -q "could not be verified"
		[ -z "$(end kept)" ]
		[ "$(sums "$MINE")" = "$before" ]
		[ -z "$(ls -A "$DATA")" ]
	done
	measure "${READ[@]}" --file "$MINE/link" --keep_files
	run -1 grep mine <(end kept)
	[ "$(sums "$MINE")" = "$before" ]
}

@test "pages that were never written out stay cached, and that makes the number suspect" {
	case $(stat -f -c %T "$MINE") in tmpfs | ramfs) skip "nothing is written out here" ;; esac
	measure "${READ[@]}" --repetitions 1 --file "$MINE/file"
	[ "$(field cache.pages_resident)" = 0 ]
	head -c 1m /dev/zero >"$MINE/new"
	measure "${READ[@]}" --repetitions 1 --file "$MINE/new"
	[ "$(field cache.pages_resident)" = 0 ] || [ "$(field outcome)" = suspect ]
}

# refused WORDS ARGUMENTS...
refused()
{
	local words=$1 before
	shift
	before=$(sums "$MINE")
	refuse "$@"
	says "$words"
	[ "$(sums "$MINE")" = "$before" ]
}

@test "what would write it, or is no file, is refused" {
	refused "is there already" --file "$MINE/file"
	refused "is there already" --file "$MINE/file" --operations write
	refused "one file for all" --file "$MINE/file" --operations read --layout per_client
	refused "smaller --block_size" --file "$MINE/file" --operations read --block_size 4m
	refused "smaller --block_size" --file "$MINE/file" --operations read --header_bytes 1m
	refused "uses no file of yours" --file "$MINE/file" --operations read --api null
	mkfifo "$MINE/pipe"
	refused "not a regular file" --file "$MINE/pipe" --operations read
	refused "not a regular file" --file /dev/zero --operations read
	refused "not a regular file" --file "$MINE" --operations read
	refused "cannot be read" --file "$MINE/nowhere" --operations read
}
