#!/usr/bin/env bats
# Does a run that is stopped, killed or frozen end in good order, and does its journal survive?
load lib

# launch PROGRAM ARGUMENTS...: a long run in the background; PID is its process. Under job control, so that it is the
# head of a process group of its own and has the default signal actions.
launch()
{
	set -m
	"$@" --dir "$DATA" --output "$OUT" --np 2 --transfer_size 64k --block_size 1m --repetitions 1000000 \
		>"$BATS_TEST_TMPDIR/text" 2>&1 3>&- &
	PID=$!
	set +m
}

# The program has come to its first lines: before them a signal ends it as it ends any process, without a word.
listens()
{
	local caught

	[ "$(readlink "/proc/$PID/exe")" = "$(realpath "$1")" ] || { front_has_ended; return; }
	caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$PID/status") || return 0
	((16#${caught:-0} >> 14 & 1)) # SIGTERM
}

# begin PROGRAM ARGUMENTS...: the same, and it measures.
begin()
{
	launch "$@"
	until_true "$LIMIT_S" begun 2
}

has_results()
{
	local count

	count=$(grep -cs '"kind":"result"' "$OUT/journal.jsonl") || count=0
	[ "$count" -ge "$1" ]
}

# begun COUNT: it has so many results, or has ended before.
begun()
{
	has_results "$1" || front_has_ended
}

client_of_rank()
{
	local pid

	for pid in $(ours); do
		if tr '\0' '\n' <"/proc/$pid/environ" | grep -qE "^(OMPI_COMM_WORLD_RANK|PMI_RANK)=$1\$"; then
			echo "$pid"
		fi
	done
}

# Ended, waited for or not. To look for every process of the run takes a tenth of a second.
front_has_ended()
{
	local line

	{ read -r line <"/proc/$PID/stat"; } 2>/dev/null || return 0
	[[ $line == *") Z "* ]]
}

# ended: sets status and output; nothing of the run is left running.
ended()
{
	status=0
	until_true "$LIMIT_S" front_has_ended
	until_true "$LIMIT_S" none_left
	wait "$PID" || status=$?
	output=$(cat "$BATS_TEST_TMPDIR/text")
	echo "$output"
	echo "status $status"
}

prefix_is_sound()
{
	"$READ_JOURNAL" "$OUT" || return 1
	head -n "$("$READ_JOURNAL" "$OUT" | cut -d ' ' -f 1)" "$OUT/journal.jsonl" >"$BATS_TEST_TMPDIR/prefix"
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" \
		"$BATS_TEST_TMPDIR/prefix"
}

stopped_in_order()
{
	[ "$(journal 'last | .outcome')" = interrupted ]
	[ "$(journal 'last | .exit_code')" -eq 130 ]
	journal_is_sound
	workspace_is_gone
	[ "$(journal 'map(select(.kind == "result" and .outcome == "fail")) | length')" -eq 0 ]
}

@test "an interrupt stops a plainly started run in order, on both MPIs" {
	local program signal

	for program in $(builds); do
		for signal in INT TERM; do
			rm -rf "$OUT"
			begin "$program" run transfer
			kill -s $signal "$PID"
			ended
			[ "$status" -eq 130 ]
			[[ $output == *"stopped"* ]]
			stopped_in_order
		done
	done
}

@test "an interrupt of the whole process group, as a terminal sends it" {
	local program

	for program in $(builds); do
		rm -rf "$OUT"
		begin "$program" run transfer
		kill -s INT -- -"$PID"
		ended
		[ "$status" -eq 130 ]
		stopped_in_order
	done
}

@test "when the program that was started is killed, its clients stop in order, too" {
	local program

	for program in $(builds); do
		rm -rf "$OUT"
		TMPDIR=$BATS_TEST_TMPDIR begin "$program" run transfer
		kill -KILL "$PID"
		ended
		[ "$status" -eq 137 ]
		# MPICH's launcher ends its clients when nobody reads what they say, perhaps before their last step
		if [ "$program" != "$PARIO" ]; then
			prefix_is_sound
			continue
		fi
		stopped_in_order
		[ -z "$(find "$BATS_TEST_TMPDIR" -name 'pario-status-*')" ]
	done
}

# held PROGRAM: a run whose clients are there and have not come to main, as on a launcher that is slow. PID is the front.
held()
{
	rm -rf "$OUT"
	set -m
	INJECT=stop=start LD_PRELOAD=$INJECTOR "$1" run transfer --dir "$DATA" --output "$OUT" --np 2 --transfer_size 64k \
		--block_size 1m --repetitions 1000000 >"$BATS_TEST_TMPDIR/text" 2>&1 3>&- &
	PID=$!
	set +m
	until_true "$LIMIT_S" all_stopped
}

all_stopped()
{
	local stopped=0 pid line

	for pid in $(client_of_rank 0; client_of_rank 1); do
		{ read -r line <"/proc/$pid/stat"; } 2>/dev/null && [[ $line == *") T "* ]] && stopped=$((stopped + 1))
	done
	[ $stopped -eq 2 ]
}

go_on()
{
	local clients

	mapfile -t clients < <(client_of_rank 0; client_of_rank 1)
	# on a busy machine the front may have ended them by now
	[ ${#clients[@]} -eq 0 ] || kill -CONT "${clients[@]}" || true
}

@test "a signal that comes before the clients have begun is not lost, on both MPIs" {
	local program signal

	tried 6
	for program in $(builds); do
		for signal in INT TERM HUP; do
			held "$program"
			kill -s $signal "$PID"
			go_on
			ended
			[ "$status" -eq 130 ]
			[[ $output == *"stopped"* ]]
			[ ! -e "$OUT" ] || stopped_in_order
			workspace_is_gone
		done
	done
}

@test "a signal at any moment of the start ends the run with a word, and a kill leaves no client, on both MPIs" {
	local program signal moment

	tried 24
	for program in $(builds); do
		for signal in INT TERM HUP KILL; do
			for moment in 0 0.1 0.4; do
				rm -rf "$OUT"
				launch "$program" run transfer
				until_true "$LIMIT_S" listens "$program"
				sleep $moment
				kill -s $signal "$PID"
				ended
				if [ $signal = KILL ]; then
					"$PARIO" clean "$DATA" # MPICH's launcher may end its clients before they have
				else
					[ "$status" -eq 130 ]
					[[ $output == *"stopped"* ]]
				fi
				workspace_is_gone
			done
		done
	done
}

@test "a launcher whose clients do not begin is ended after a signal, with a sentence" {
	local program

	tried 2
	for program in $(builds); do
		held "$program"
		kill -INT "$PID"
		ended
		[ "$status" -eq 130 ]
		[[ $output == *"stopped"* ]] # Open MPI wakes the clients to end them, and they say it
		workspace_is_gone
	done
}

@test "clients that begin when the program that was started has been killed leave at once, on both MPIs" {
	local program

	tried 2
	for program in $(builds); do
		held "$program"
		kill -KILL "$PID"
		go_on
		ended
		[ "$status" -eq 137 ]
		[ ! -e "$OUT/journal.jsonl" ]
		workspace_is_gone
	done
}

@test "a signal that only one client gets stops all of them in order" {
	for _ in 1 2 3; do
		rm -rf "$OUT"
		begin "$PARIO" run transfer
		kill -USR1 "$(client_of_rank 1)"
		ended
		[ "$status" -eq 130 ]
		stopped_in_order
	done
}

@test "a signal that comes twice at once is one" {
	begin "$PARIO" run transfer
	# two of a kind may be one for the kernel already
	kill -INT "$PID"
	kill -TERM "$PID"
	ended
	[ "$status" -eq 130 ]
	stopped_in_order
}

# As a batch system does at the end of the time: each client gets SIGTERM, and once more before it can have stopped.
@test "clients that are asked twice at once stop in order, on both MPIs" {
	local program launcher clients

	for program in $(builds); do
		launcher=mpiexec.openmpi
		[ "$program" = "$PARIO" ] || launcher=mpiexec.mpich
		rm -rf "$OUT"
		begin "$launcher" -n 2 "$program" run transfer
		mapfile -t clients < <(client_of_rank 0; client_of_rank 1)
		kill -TERM "${clients[@]}"
		kill -TERM "${clients[@]}"
		ended
		stopped_in_order
	done
}

@test "an MPI that does not end does not keep a complete run, on both MPIs" {
	local program

	for program in $(builds); do
		INJECT=stop=end LD_PRELOAD=$INJECTOR measure "$program" "${SMALL[@]}" --deadline 3
		[ "$status" -eq 0 ]
		[[ $output == *"MPI_Finalize did not return within 3 s; the run is complete"* ]]
		journal_is_sound
		workspace_is_gone
	done
}

@test "a second signal ends the run at once" {
	begin "$PARIO" run transfer
	kill -STOP "$(client_of_rank 1)" # it never agrees to stop
	kill -INT "$PID"
	sleep 2.1
	kill -INT "$PID"
	sleep 2.1
	! kill -0 "$PID" 2>/dev/null || kill -INT "$PID"
	ended
	[ "$status" -eq 130 ]
	prefix_is_sound
}

# Open MPI's launcher kills its clients a second after it was asked to end; whatever they could write stays sound.
# What such a launcher returns is its own affair.
@test "signals to a launcher that the user started, on both MPIs" {
	local program launcher signal

	for program in $(builds); do
		for signal in INT TERM; do
			launcher=mpiexec.openmpi
			[ "$program" = "$PARIO" ] || launcher=mpiexec.mpich
			rm -rf "$OUT"
			begin "$launcher" -n 2 "$program" run transfer
			kill -s $signal "$PID"
			ended
			prefix_is_sound
			"$PARIO" clean "$DATA"
			workspace_is_gone
		done
	done
}

@test "SIGUSR1 to a launcher that the user started stops in order, on both MPIs" {
	local program launcher

	for program in $(builds); do
		launcher=mpiexec.openmpi
		[ "$program" = "$PARIO" ] || launcher=mpiexec.mpich
		rm -rf "$OUT"
		begin "$launcher" -n 2 "$program" run transfer
		kill -USR1 "$PID"
		ended
		stopped_in_order
		[[ $output != *$'\033'* ]] # a file is no terminal, whatever the launcher gives its clients
	done
}

@test "a killed client ends the run; the next one points at what it left, and clean removes it" {
	local program

	for program in $(builds); do
		rm -rf "$OUT"
		begin "$program" run transfer
		kill -KILL "$(client_of_rank 1)"
		ended
		[ "$status" -eq 3 ]
		[[ $output == *"pario: client 1 on "*"killed by signal 9"*"$OUT/journal.jsonl"*"pario clean $DATA"* ]]
		[[ $output != *"BAD TERMINATION"* && $output != *"noticed that"* ]]
		prefix_is_sound
		[ "$(find "$DATA" -maxdepth 1 -name 'pario-*' | wc -l)" -eq 1 ]
		measure "$program" "${SMALL[@]}"
		[ "$status" -eq 0 ]
		[[ $output == *"1 workspace of earlier runs"*"pario clean"* ]]
		run "$program" clean "$DATA"
		[ "$status" -eq 0 ]
		[[ $output == "removed $DATA/pario-"* ]]
		workspace_is_gone
	done
}

@test "clean does not touch a run that is under way" {
	begin "$PARIO" run transfer
	run "$PARIO" clean "$DATA"
	[[ $output == "left "* ]]
	[ "$(find "$DATA" -maxdepth 1 -name 'pario-*' | wc -l)" -eq 1 ]
	kill -INT "$PID"
	ended
	stopped_in_order
}

@test "a frozen client is ended by the deadline, on both MPIs" {
	local program rank deadline

	for program in $(builds); do
		for rank in 1 0; do
			for deadline in "${DEADLINES[@]}"; do
				rm -rf "$OUT"
				begin "$program" run transfer --deadline "$deadline"
				kill -STOP "$(client_of_rank $rank)" || true
				ended
				[ "$status" -eq 3 ]
				[[ $output != *": client $rank on $(hostname) does not answer"* ]] || break
				"$PARIO" clean "$DATA"
			done
			[[ $output == *"did not end within $deadline s: client $rank on $(hostname) does not answer"* ]]
			prefix_is_sound
			if [ $rank -eq 1 ]; then # client 0, when thawed by the launcher, may speak as well
				[ "$(grep -o "did not end within $deadline s" <<<"$output" | wc -l)" -eq 1 ]
				[ "$(journal 'last | .kind + .outcome')" = endfail ]
				[[ $output == *"pario clean $DATA"* ]]
			fi
			"$PARIO" clean "$DATA"
		done
	done
}

@test "a frozen client ends a glance by its deadline, too" {
	local deadline

	for deadline in 8 60; do
		rm -rf "$OUT"
		set -m
		"$PARIO" glance "$DATA" --output "$OUT" --np 2 --minutes 0.5 --deadline $deadline \
			>"$BATS_TEST_TMPDIR/text" 2>&1 3>&- &
		PID=$!
		set +m
		until_true "$LIMIT_S" begun 1
		if has_results 1 && kill -STOP "$(client_of_rank 1)"; then break; fi
		ended
		"$PARIO" clean "$DATA"
	done
	ended
	[ "$status" -eq 3 ]
	[[ $output == *"did not end within $deadline s"* ]]
	prefix_is_sound
	"$PARIO" clean "$DATA"
}

# Client 0 writes the journal. Killed at any moment, it leaves whole lines and at most one torn one.
@test "journals of runs killed at random times read up to the last whole line" {
	local i times=12 program

	[ "${CHECK_TORTURE:-}" != full ] || times=200
	program=$(quickest)
	RANDOM=17
	for ((i = 0; i < times; i++)); do
		rm -rf "$OUT"
		begin "$program" run transfer --durability cached --verify 0
		sleep 0.0$((RANDOM % 90 + 10))
		kill -KILL "$(client_of_rank 0)"
		ended >/dev/null
		[ "$status" -ne 0 ]
		prefix_is_sound
		"$program" clean "$DATA" >/dev/null
		workspace_is_gone
	done
}
