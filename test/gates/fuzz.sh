#!/bin/bash
# Do the parsers survive what a fuzzer makes of their corpus? Each harness test/fuzz/fuzz_X.c starts from
# test/fuzz/corpus/X and runs for a bounded number of inputs and seconds; new inputs stay in the build tree.
. "$(dirname "$0")/lib.sh"
need clang

[ -n "$(files 'test/fuzz/fuzz_*.c')" ] || skip "no harness yet"
tree=$CHECK_DIR/fuzz
cmake --preset fuzz -B "$tree" && cmake --build "$tree" --parallel "$(nproc)" --target fuzz_programs || exit 1

one()
{
	local name=$1 tree=$2 corpus=()

	mkdir -p "$tree/corpus/$name" "$tree/found"
	if [ -d "test/fuzz/corpus/$name" ]; then corpus=("test/fuzz/corpus/$name"); fi
	"$tree/test/fuzz/fuzz_$name" -runs=2000000 -max_total_time="${FUZZ_SECONDS:-10}" -timeout=10 \
		-rss_limit_mb=1024 -seed=1 -verbosity=0 -print_final_stats=1 \
		-artifact_prefix="$tree/found/$name-" "$tree/corpus/$name" "${corpus[@]}" ||
		{ echo "fuzz_$name failed; the input lies in $tree/found"; return 1; }
}

status=0
running=0
for harness in $(files 'test/fuzz/fuzz_*.c'); do
	name=$(basename "$harness" .c)
	one "${name#fuzz_}" "$tree" &
	running=$((running + 1))
	if [ $running -ge "$(nproc)" ]; then
		wait -n || status=1
		running=$((running - 1))
	fi
done
while [ $running -gt 0 ]; do
	wait -n || status=1
	running=$((running - 1))
done
exit $status
