#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# Journals that somebody else wrote, or changed.

bats_require_minimum_version 1.5.0
load lib

# a_journal: of a short run, in $OUT.
a_journal()
{
	measure "$PARIO" --np 1 --api null --transfer_size 64k --block_size 256k --repetitions 2 "$@"
}

changed() { "$PYTHON" "$PARIO_SOURCE/test/hostile/journal.py" "$1" "$OUT"; }

# says STATUS COMMAND...: bounded, and nothing a terminal would act upon comes out of it.
says()
{
	local wanted=$1

	shift
	run "-$wanted" timeout -k 5 "$LIMIT_S" "$@"
	echo "$output"
	! LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]' <<<"$output"
	! LC_ALL=C grep -qP '\xc2[\x80-\x9f]' <<<"$output"
}

@test "a journal of a newer pario is refused with a sentence, also by --resume" {
	a_journal
	changed newer
	says 3 "$PARIO" run transfer --resume "$OUT"
	[[ $output == "pario: "*"newer pario"* ]]
	says 3 "$PARIO" report "$OUT"
	[[ $output == *"newer pario"* ]]
}

@test "names in a journal reach a table as cells: no escapes, no columns of their own, no formula" {
	tried 2
	a_journal --label x
	changed formulas
	says 0 "$PARIO" report "$OUT" --csv -
	[[ $output == *"metric.a\x1b[31m"* ]]
	"$PYTHON" -c 'import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="", encoding="utf-8")))
assert len({len(row) for row in rows}) == 1, "rows of different length"
assert not any(cell[:1] in ("=", "@", "\t", "\r") for row in rows for cell in row), rows
assert any(cell.startswith("\x27=HYPERLINK(\"x\",1)") for row in rows for cell in row), rows' <(printf '%s\n' "$output")
	cp -r "$OUT" "$BATS_TEST_TMPDIR/b"
	says 0 "$PARIO" compare "$OUT" "$BATS_TEST_TMPDIR/b" --csv -
	run ! grep -q '^=\|,=' <<<"$output"
}

@test "numbers near the largest there is end no program and keep none from ending" {
	a_journal
	changed huge
	says 0 "$PARIO" report -o "$BATS_TEST_TMPDIR/page.html" "$OUT"
	cp -r "$OUT" "$BATS_TEST_TMPDIR/b"
	run timeout -k 5 "$LIMIT_S" "$PARIO" compare "$OUT" "$BATS_TEST_TMPDIR/b"
	[ "$status" -le 1 ]
}

@test "escapes in a journal reach no terminal: report, compare in wide and narrow, resume" {
	tried 5
	a_journal
	cp -r "$OUT" "$BATS_TEST_TMPDIR/b"
	changed escapes
	OUT=$BATS_TEST_TMPDIR/b changed escapes
	says 0 "$PARIO" report -o "$BATS_TEST_TMPDIR/page.html" "$OUT"
	says 0 "$PARIO" compare "$OUT" "$BATS_TEST_TMPDIR/b"
	[[ $output == *'\x1b[31m'* ]]
	COLUMNS=40 says 0 "$PARIO" compare "$OUT" "$BATS_TEST_TMPDIR/b"
	says 0 "$PARIO" report --help
	says 0 "$PARIO" run transfer --resume "$OUT" --repetitions 2
}

@test "escapes in names, labels and files on the command line reach no terminal" {
	local odd=$'d\x1b[31mred\x07'

	tried 6
	says 3 "$PARIO" report "$odd"
	says 3 "$PARIO" compare "$odd" "$odd"
	says 3 "$PARIO" profile "$odd"
	says 127 "$PARIO" trace -- "./$odd"
	printf 'tran\033[31msfer_size = 4k\n' >"$BATS_TEST_TMPDIR/plan"
	says 2 "$PARIO" run transfer --plan "$BATS_TEST_TMPDIR/plan"
	says 0 "$PARIO" run transfer --dir "$DATA" --np 1 --api mpiio --hint "$odd=$odd" --dry_run
}

@test "--resume takes no options from a journal of another user, or from where others write" {
	need_other
	tried 2
	a_journal --label mine
	chown -R "$OTHER" "$OUT"
	says 2 "$PARIO" run transfer --resume "$OUT"
	[[ $output == *"belongs to another user"*"--api, --dir, --np"* ]]
	says 2 "$PARIO" run transfer --resume "$OUT" --dir "$DATA" --np 1 --api null --transfer_size 64k --block_size 256k
	[[ $output == *"command line: --repetitions."* ]]
	chown -R root "$OUT"
	chmod o+w "$OUT"
	says 2 "$PARIO" run transfer --resume "$OUT"
	[[ $output == *"others can write"* ]]
	chmod o-w "$OUT"
	says 0 "$PARIO" run transfer --resume "$OUT"
}
