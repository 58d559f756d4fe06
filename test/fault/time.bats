#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2154 # variables that bats sets
# Does every run end, whatever one client meets, and do limits on time count what was really moved?
# Delays come from the injector, so that the amounts are bounded on any machine.
load lib

# More than any test here can move: 2 clients, 4 KiB each, 16384 transfers.
MANY=(--np 2 --transfer_size 4k --block_size 64m --repetitions 1)

# rate_is_counted PHASE: bytes are whole transfers, fewer than planned, and the rate is made of them.
rate_is_counted()
{
	local bytes

	bytes=$(phase "$1" bytes)
	[ "$bytes" -gt 0 ]
	[ "$bytes" -lt 134217728 ]
	[ "$bytes" -eq $(($(phase "$1" ops) * 4096)) ]
	phase "$1" '|
		(.bytes / 1048576 / .seconds.total / .rate_mib_s - 1) | if . < 0 then -. else . end | . < 0.001' |
		grep -x true
}

@test "a time limit ends a phase, and the rate counts what was moved" {
	spoil delay=pwrite@1+:2ms,delay=pread@1+:1ms,path=.data. "$(quickest)" "${MANY[@]}" --time_limit 0.5
	[ "$status" -eq 0 ]
	rate_is_counted write
	[ "$(phase read bytes)" -le "$(phase write bytes)" ]
	journal_is_sound
	workspace_is_gone
}

@test "collective transfers with a time limit stop together, on both MPIs" {
	local program

	for program in $(builds); do
		spoil delay=pwrite@1+:2ms,delay=pread@1+:2ms,path=.data. "$program" "${MANY[@]}" \
			--api mpiio --collective 1 --time_limit 0.5
		[ "$status" -eq 0 ]
		rate_is_counted write
		[ $(($(phase write bytes) % 8192)) -eq 0 ]
		[ $(($(phase read bytes) % 8192)) -eq 0 ]
		journal_is_sound
		workspace_is_gone
	done
}

@test "wear-out is bounded, and the result shows that clients moved different amounts" {
	spoil delay=pwrite@1+:400ms,path=.data.,rank=1 "$(quickest)" "${MANY[@]}" --operations write \
		--time_limit 0.3 --wear_out 1 --verify 0
	[ "$status" -eq 0 ]
	[ "$(phase write metrics.transfers_least.value)" -lt "$(phase write metrics.transfers_most.value)" ]
	rate_is_counted write
}

@test "wear-out lets a slower client catch up" {
	spoil delay=pwrite@1+:1ms,path=.data. "$(quickest)" "${MANY[@]}" --operations write \
		--time_limit 0.3 --wear_out 50
	[ "$status" -eq 0 ]
	[ "$(phase write metrics.transfers_least.value)" -eq "$(phase write metrics.transfers_most.value)" ]
	[ $(($(phase write bytes) % 8192)) -eq 0 ]
	rate_is_counted write
}

@test "what a limited write left out is neither read nor missed by the verification" {
	spoil delay=pwrite@1+:3ms,path=.data.,rank=1 "$(quickest)" "${MANY[@]}" --layout per_client \
		--time_limit 0.3 --wear_out 0
	[ "$status" -eq 0 ]
	[ "$(phase write metrics.verified_bytes.value)" -eq "$(phase write bytes)" ]
}

@test "an error of one client in a limited run does not hang the others" {
	local rank

	for rank in 0 1; do
		spoil fail=pwrite@5:EIO,path=.data.,rank=$rank "$(quickest)" "${MANY[@]}" --operations write \
			--time_limit 60
		failed 3 EIO
		[[ $output == *"client $rank"* ]]
	done
}

@test "an error of one client while it catches up does not hang the others" {
	once_of 5 # client 0 must have made five writes within the limit
	spoil delay=pwrite@1:1s,fail=pwrite@5:EIO,path=.data.,rank=1 "$(quickest)" "${MANY[@]}" \
		--operations write --time_limit 0.5 --wear_out 60
	failed 3 EIO
}

# Collective transfers without exchange of data: every client calls the system itself.
collective()
{
	spoil "$1,path=.data." "$2" "${SMALL[@]}" --api mpiio --collective 1 \
		--romio_cb_write disable --romio_cb_read disable "${@:3}"
}

@test "an error of one client inside a collective write, on both MPIs" {
	local program

	for program in $(builds); do
		collective fail=pwrite@2:EIO,rank=0 "$program"
		[ "$status" -eq 3 ]
		[ "$(phase write outcome)" = fail ]
		journal_is_sound
		workspace_is_gone
	done
}

@test "an error of one client inside a collective read, on both MPIs" {
	local program

	for program in $(builds); do
		collective fail=pread@2:EIO,rank=0 "$program"
		[ "$status" -eq 3 ]
		journal_is_sound
		workspace_is_gone
	done
}

@test "a client that cannot open its own file in a collective run, on both MPIs" {
	local program

	for program in $(builds); do
		collective fail=open@1+:EIO,rank=1 "$program" --layout per_client
		[ "$status" -eq 3 ]
		[ "$(phase write outcome)" = fail ]
		journal_is_sound
		workspace_is_gone
	done
}

# Open MPI 4 never returns from MPI_File_open where only some clients can open the file: the deadline ends that.
@test "a client that cannot open the shared file, on both MPIs" {
	local program

	for program in $(builds); do
		collective fail=open@1+:EIO,rank=1 "$program" --deadline 60
		[ "$status" -eq 3 ]
		[ "$(journal 'last | .outcome')" = fail ]
		journal_is_sound
		# At a deadline the storage is left alone.
		[[ $output != *"did not end within"* ]] || "$program" clean "$DATA"
		workspace_is_gone
	done
}

@test "a queue with an error in flight ends" {
	local program

	for program in $(builds); do
		measure "$program" "${SMALL[@]}" --api null --fail_at 3
		[ "$status" -eq 3 ]
		journal_is_sound
	done
}

# The front must leave the clients the time they allow themselves for their last words.
@test "a run that its deadline ended gets the end of its journal, however slow the journal is" {
	local deadline

	for deadline in "${DEADLINES[@]}"; do
		spoil delay=pwrite@1:100s,delay=fdatasync@2:5s,path="$BATS_TEST_TMPDIR/" "$PARIO" --np 1 --transfer_size 4k \
			--block_size 64k --deadline "$deadline" && [ -s "$OUT/journal.jsonl" ] && break
	done
	[ "$status" -eq 3 ]
	[ "$(journal 'last | .kind + .outcome')" = endfail ]
	"$PARIO" clean "$DATA"
}

# glance FAULT ARGUMENTS...: a glance of 12 seconds on storage with this fault.
glance()
{
	run env INJECT="$1" LD_PRELOAD="$INJECTOR" timeout -k 5 "$LIMIT_S" "$PARIO" \
		glance "$DATA" --np 2 --space 64m --minutes 0.2 --output "$OUT" "${@:2}" 3>&-
	echo "$output"
	[ "$status" -eq 0 ]
	journal_is_sound
	workspace_is_gone
}

@test "a glance leaves out what slow storage has no time for, and names it" {
	glance delay=fsync@1+:1s,path=.data. --parts large,shared_strided,small_random
	[[ $output =~ 'the time was not enough for everything here:'[a-z_,:\;\ ]*' large'(' '[1-4]' of 5')?[,\;.] ]]
	[ "$(journal 'map(select(.point == "part=large" and .phase == "write")) | length > 0 and length < 10')" = true ]
}

@test "what is under way when the time of a glance is over is ended and marked" {
	glance delay=unlink@300:25s --parts metadata,small_files --repetitions 1
	[ "$(phase file_remove ops)" -lt "$(phase file_create ops)" ]
	[ "$(phase file_remove outcome)" = suspect ]
	[[ $(phase file_remove reason) == *"the time of the run was over before its end"* ]]
	[[ $output =~ 'left out, wholly or at some client counts: '('metadata, ')?'small_files.' ]]
}

# What followed from a failure must not be all that is told of it.
@test "what failed is said, also in the journal and with --quiet, before a clean-up that hangs" {
	local deadline file=$DATA/named

	for deadline in "${DEADLINES[@]}"; do
		rm -f "$file"
		spoil "fail=stat@1:EIO,delay=unlink@1+:600s,path=$file" "$PARIO" "${SMALL[@]}" --filename "$file" \
			--deadline "$deadline" --quiet
		[[ $output != *"(EIO)"*"removing the files did not end"* ]] || break
	done
	[ "$status" -eq 3 ]
	[[ $output == *"made by client 0, is not seen: input/output error (EIO)"*"removing the files did not end"* ]]
	[[ $(journal 'map(select(.kind == "note")) | first | .text') == *"is not seen"*"(EIO)"* ]]
	"$PARIO" clean "$DATA"
}

@test "the first failing phase of a glance, and one with --quiet, is said before a clean-up that hangs" {
	local words

	for words in "glance $DATA --space 64m --minutes 0.2 --parts large" "run transfer --dir $DATA ${SMALL[*]} --quiet"; do
		rm -rf "$OUT"
		# shellcheck disable=SC2086
		run env INJECT="fail=fsync@1:ENOSPC,delay=unlink@1+:600s,path=.data." LD_PRELOAD="$INJECTOR" timeout -k 5 "$LIMIT_S" \
			"$PARIO" $words --np 2 --deadline 20 --output "$OUT" 3>&-
		echo "$output"
		[ "$status" -eq 3 ]
		[[ $output == *"(ENOSPC)"*"removing the files did not end"* ]]
		"$PARIO" clean "$DATA"
	done
}

# Twelve writes in each repetition: those of the second take longer, and those of the third longer still.
@test "the time left of nht1_application never counts up, however its writes slow down" {
	local left before=1000000 said=0

	run env INJECT="delay=pwrite@13+:80ms,delay=pwrite@25+:250ms,path=$DATA/" LD_PRELOAD="$INJECTOR" \
		timeout -k 5 "$LIMIT_S" "$PYTHON" "$PARIO_SOURCE/test/cli/terminal.py" 160 -- "$PARIO" run nht1_application \
		--class S --mode sync --np 1 --best_of 1 --repetitions 5 --dir "$DATA" --output "$OUT" 3>&-
	[ "$status" -eq 0 ]
	while read -r left; do
		echo "$left s left"
		awk "BEGIN { exit !($left <= $before) }"
		before=$left
		said=$((said + 1))
	done < <(tr '\r' '\n' <<<"$output" | grep -aoE '[0-9.]+( min [0-9.]+)? m?s left' |
		awk '{ print $2 == "min" ? $1 * 60 + $3 : $2 == "ms" ? $1 / 1000 : $1 }')
	[ "$said" -ge 2 ]
}
