#!/bin/bash
# Do the readers survive what a fuzzer makes of real files? Each harness test/fuzz/fuzz_X.c starts from test/fuzz/corpus/X and
# from the seeds that test/fuzz/seeds makes with $PARIO, and runs for a bounded number of inputs and seconds; what it finds
# stays in the build tree and is where the next run goes on.
#
# The check has a second for each, one after the other, in its tree with sanitizers: what is known is tried again. With FUZZ_RUNS (`make fuzz`) they are
# built anew with optimisation and have FUZZ_SECONDS each; the runs of all times are counted, and a harness that has had so
# many is left out.
. "$(dirname "$0")/lib.sh"
need clang

mapfile -t harnesses < <(files 'test/fuzz/fuzz_*.c')
[ ${#harnesses[@]} -gt 0 ] || skip "no harness yet"
tree=$CHECK_DIR/asan
if [ -n "${FUZZ_RUNS:-}" ]; then
	tree=$CHECK_DIR/fuzz
	cmake --preset fuzz -B "$tree" && cmake --build "$tree" --parallel "$(nproc)" --target fuzz_programs || exit 1
fi
# Memory that was freed is used again soon: half of the time would go into new pages. What fails is run again to see who
# allocated what.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1:malloc_context_size=2:allocator_release_to_os_interval_ms=-1
[ -d "$tree/test/fuzz" ] || skip "the harnesses were not built"

# Once per tree: the runs take longer than the rest.
if [ -x "${PARIO:-}" ] && [ ! -d "$tree/seeds" ]; then
	test/fuzz/seeds "$PARIO" "$tree/seeds.new" && mv "$tree/seeds.new" "$tree/seeds" || exit 1
fi
seconds=${FUZZ_SECONDS:-1}
jobs=1 slowest=120 # seconds for one input, on a machine that does everything else as well
[ -z "${FUZZ_RUNS:-}" ] || jobs=$(nproc) slowest=20

# one NAME: exit status 0 when nothing was found.
one()
{
	local name=$1 corpus=("$tree/corpus/$1") seed=(-seed=1) log=$tree/found/$1.log before=0 left status=0 done_now

	mkdir -p "$tree/corpus/$name" "$tree/found" "$tree/runs"
	if [ -d "test/fuzz/corpus/$name" ]; then corpus+=("test/fuzz/corpus/$name"); fi
	if [ -d "$tree/seeds/$name" ]; then corpus+=("$tree/seeds/$name"); fi
	[ ! -s "$tree/runs/$name" ] || before=$(<"$tree/runs/$name")
	left=20000
	[ -z "${FUZZ_RUNS:-}" ] || left=$((FUZZ_RUNS - before))
	[ -z "${FUZZ_RUNS:-}" ] || seed=() # another one each time
	if [ "$left" -le 0 ]; then
		echo "fuzz_$name: $before runs"
		return 0
	fi
	# what these read are tables, of which short inputs have as many kinds as long ones
	case $name in trace | replay | darshan_profile) seed+=(-max_len=1500) ;; esac
	"$tree/test/fuzz/fuzz_$name" -runs="$left" -max_total_time="$seconds" -timeout="$slowest" -rss_limit_mb=2048 "${seed[@]}" \
		-verbosity=0 -print_final_stats=1 -artifact_prefix="$tree/found/$name-" "${corpus[@]}" >"$log" 2>&1 || status=1
	done_now=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	echo $((before + ${done_now:-0})) >"$tree/runs/$name"
	echo "fuzz_$name: ${done_now:-0} runs, $(<"$tree/runs/$name") in all"
	if [ $status -ne 0 ]; then
		grep -vE '^(INFO|stat::)' "$log" | head -n 40
		echo "fuzz_$name failed; the input lies in $tree/found"
	fi
	return $status
}

status=0
running=0
for harness in "${harnesses[@]}"; do
	name=$(basename "$harness" .c)
	one "${name#fuzz_}" &
	running=$((running + 1))
	if [ $running -ge "$jobs" ]; then
		wait -n || status=1
		running=$((running - 1))
	fi
done
while [ $running -gt 0 ]; do
	wait -n || status=1
	running=$((running - 1))
done
exit $status
