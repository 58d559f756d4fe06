#!/usr/bin/env bats
# Journals signed with an SSH key, and what reports say about them.

load lib

setup_file()
{
	command -v ssh-keygen >/dev/null || return 0
	cd "$BATS_FILE_TMPDIR" || return
	ssh-keygen -q -t ed25519 -N '' -C '' -f key
	ssh-keygen -q -t ed25519 -N '' -C '' -f stranger
	echo "alice@site $(cat key.pub)" >allowed
	timeout "$LIMIT_S" "$PARIO" run transfer --api null --np 1 --transfer_size 64k --block_size 256k --repetitions 2 --quiet \
		--output signed --sign key
	timeout "$LIMIT_S" "$PARIO" run transfer --api null --np 1 --transfer_size 64k --block_size 256k --repetitions 2 --quiet \
		--output plain
}

setup()
{
	command -v ssh-keygen >/dev/null || skip "ssh-keygen is not installed"
	# shellcheck disable=SC2034 # lib.bash looks at it
	MOUNTED=
	cd "$BATS_TEST_TMPDIR" || return
	cp -r "$BATS_FILE_TMPDIR/." .
}

# changed RUN: a rate of 1 more, and the line's sum made to fit.
changed()
{
	"$PYTHON" -c 'import json, sys
sys.path.insert(0, sys.argv[2])
import history
path = sys.argv[1] + "/journal.jsonl"
lines = [json.loads(line) for line in open(path, encoding="utf-8")]
next(line for line in lines if line["kind"] == "result")["rate_mib_s"] += 1
open(path, "wb").write(b"".join(history.sealed(line) for line in lines))' "$1" "$CLI"
}

@test "a signed run says with which key, on the terminal and on the page; without a signature nothing is said" {
	grep -q "BEGIN SSH SIGNATURE" signed/journal.jsonl.sig
	run -0 --separate-stderr pario report signed
	[[ $stderr == "pario: signed: signed with ED25519 key SHA256:"*"; --allowed_signers FILE tells whose that is." ]]
	grep -q 'signed with ED25519 key SHA256:' report.html
	run -0 --separate-stderr pario report plain --force
	[ -z "$stderr" ]
	run ! grep -q 'signed' <<<"$output"
}

@test "with a file of allowed signers, reports and comparisons say who signed" {
	run -0 --separate-stderr pario report signed/journal.jsonl --allowed_signers allowed
	[[ $stderr == "pario: signed/journal.jsonl: signed by alice@site with ED25519 key SHA256:"* ]]
	run -0 --separate-stderr pario compare signed signed --allowed_signers allowed
	[ "$(grep -c 'signed by alice@site' <<<"$stderr")" = 2 ]
}

@test "a journal changed after signing, sums and all, is told from an untouched one" {
	changed signed
	run -0 --separate-stderr pario report signed
	[[ $stderr == *"changed after signing"* ]]
	run -1 --separate-stderr pario report signed --allowed_signers allowed --force
	[[ $stderr == "pario: signed: changed after signing"* ]]
	run -1 --separate-stderr pario compare plain signed --allowed_signers allowed
}

@test "a signed journal that is cut, appended to or put into another order" {
	local way

	cp signed/journal.jsonl whole
	# shellcheck disable=SC2016 # what awk reads
	for way in 'head -n -1' 'cat - last' 'cat - empty' 'awk NR==2{a=$0;next}{print}NR==3{print(a)}'; do
		tail -n 1 whole >last
		echo >empty
		$way <whole >signed/journal.jsonl
		run -1 cmp -s whole signed/journal.jsonl
		run -1 --separate-stderr pario report signed --allowed_signers allowed --force
		[[ $stderr == *"changed after signing"* ]]
	done
}

@test "a signature of another key, for another purpose, or that is none" {
	run -0 pario sign signed stranger
	[ "$output" = signed/journal.jsonl.sig ]
	run -1 --separate-stderr pario report signed --allowed_signers allowed
	[[ $stderr == *"which allowed does not allow."* ]]
	ssh-keygen -q -Y sign -f key -n file <signed/journal.jsonl >signed/journal.jsonl.sig
	run -0 --separate-stderr pario report signed --force
	[[ $stderr == *"signed for another purpose"* ]]
	run -1 pario report signed --allowed_signers allowed --force
	echo none >signed/journal.jsonl.sig
	run -0 --separate-stderr pario report signed --force
	[[ $stderr == *"its signature cannot be checked ("* ]]
	rm signed/journal.jsonl.sig
	run -1 --separate-stderr pario report signed --allowed_signers allowed --force
	[[ $stderr == *"not signed."* ]]
}

@test "a run is signed afterwards, and again, but what is not a signature is not replaced" {
	run -0 pario sign plain key
	run -0 pario sign plain key
	run -0 --separate-stderr pario report plain --allowed_signers allowed
	echo mine >plain/journal.jsonl.sig
	run ! pario sign plain key
	[ "$(cat plain/journal.jsonl.sig)" = mine ]
}

@test "no key, no ssh-keygen: a sentence, before anything is measured" {
	echo nothing >nokey
	for key in nokey missing .; do
		run ! --separate-stderr pario run transfer --dir . --output out --np 1 --transfer_size 16k --block_size 64k --sign $key
		one_sentence
		[ ! -e out ]
	done
	mkdir bin
	run -3 --separate-stderr env PATH="$PWD/bin" "$PARIO" sign plain key
	says "ssh-keygen, which makes and checks signatures, cannot be started"
	run -2 --separate-stderr pario sign plain
	one_sentence
}
