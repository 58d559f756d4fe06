#!/usr/bin/env bash
# What tracing costs: per call, per kind of call with a name, per byte of trace, per transfer of 1 MiB, against strace, and the time
# of a profile.
# PEER=LIBRARY also measures that library (Darshan's, say) preloaded into the same loop.
set -eu
# shellcheck source=bench/lib.bash
. "$(dirname "$0")/lib.bash"

memory=$WORK/memory
mkdir -p "$memory"
if [ -w /dev/shm ]; then
	memory=$(mktemp -d /dev/shm/pario-bench-XXXXXX)
	trap 'rm -rf "$memory"' EXIT
fi
loop=$BUILD/bench/raw_trace

# peer PROGRAM ARGS: with the peer's library. Darshan leaves out what lies in /dev but for what its settings name, and a log that
# does not name the file shows that it recorded nothing: then there is no number.
peer() {
	rm -rf "$WORK/logs" && mkdir "$WORK/logs"
	printf 'NAME_INCLUDE\t^%s/\t*\n' "$memory" >"$WORK/darshan.conf"
	LD_PRELOAD=$PEER DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGFILE=$WORK/logs/peer.darshan DARSHAN_CONFIG_PATH=$WORK/darshan.conf "$@"
	case $PEER in
	*darshan*)
		local log
		log=$(find "$WORK/logs" -name '*.darshan' | head -n 1)
		if [ -z "$log" ] || ! "$PARIO" profile "$log" --csv - 2>/dev/null | grep -qF "$memory/"; then
			echo "bench: $PEER recorded no call on $memory: its cost is not that of recording" >&2
			exit 1
		fi ;;
	esac
}

# added THREADS: nanoseconds the tracer adds to a call.
added() { "$PARIO" trace -o "$memory/loop.trace" -- "$loop" "$memory/byte" 20000 "$1" | awk '{ print $3 }'; }

one=() four=() sixteen=() peer=()
for ((i = 0; i < ROUNDS; i++)); do
	one+=("$(added 1)")
	four+=("$(added 4)")
	sixteen+=("$(added 16)")
	[ -z "${PEER:-}" ] || peer+=("$(peer "$loop" "$memory/byte" 20000 1 | awk '{ print $3 }')")
done
single=$(printf '%s\n' "${one[@]}" | median)
below "added to a pread of 1 byte, with call site" "libc in the same process" "$single" 80 ns
# ratio VALUES...: their median against that of one thread
ratio() { awk -v a="$(printf '%s\n' "$@" | median)" -v b="$single" 'BEGIN { print a / b }'; }
below "the same by 4 threads at once" "1 thread" "$(ratio "${four[@]}")" 1.3 times
below "the same by 16 threads at once" "1 thread" "$(ratio "${sixteen[@]}")" 1.3 times
[ -z "${PEER:-}" ] || printf '%-44s %-26s %10.2f ns\n' "added by $(basename "$PEER")" "libc in the same process" \
	"$(printf '%s\n' "${peer[@]}" | median)"

# Calls with names: "make N, again N, ..." in nanoseconds per file, each as often as there are rounds.
named() {
	mkdir "$memory/names"
	"$@" "$BUILD/bench/raw_names" "$memory/names" 5000
	rm -rf "$memory/names"
}
: >"$WORK/named"
: >"$WORK/peer"
for ((i = 0; i < ROUNDS; i++)); do
	named "$PARIO" trace --quiet --force -o "$memory/names.trace" -- >>"$WORK/named"
	[ -z "${PEER:-}" ] || named peer >>"$WORK/peer"
done
# of KIND FILE: the median
of() { tr ',' '\n' <"$2" | awk -v kind="$1" '$1 == kind { print $2 }' | median; }
# name KIND BAR WHAT
name() {
	below "added per file: $3" "libc in the same process" "$(of "$1" "$WORK/named")" "$2" ns
	[ -z "${PEER:-}" ] || printf '%-44s %-26s %10.2f ns\n' "the same by $(basename "$PEER")" "libc in the same process" \
		"$(of "$1" "$WORK/peer")"
}
name make 1500 "made and closed"
name again 1000 "opened again and closed"
name first 3000 "of before, opened and closed"
name stat 800 "stat"
name remove 900 "removed"

# The last trace has 41 rounds of 20000 calls of 16 threads in it.
calls=$("$PARIO" profile "$memory/loop.trace" | awk '$1 == "calls" && $2 ~ /^[0-9]+$/ { print $2 }')
below "trace, packed" "bytes per call" "$(awk -v s="$(stat -c %s "$memory/loop.trace")" -v c="$calls" 'BEGIN { print s / c }')" 12 bytes

# Transfers of 1 MiB on tmpfs, with and without the tracer in turns.
slow=()
for ((i = 0; i < ROUNDS; i++)); do
	slow+=("$("$PARIO" trace -o "$memory/big.trace" -- "$loop" "$memory/big" 100 1 1048576 | awk '{ print 100 * $3 / $1 }')")
done
below "transfers of 1 MiB on tmpfs" "libc in the same process" "$(printf '%s\n' "${slow[@]}" | median)" 1 "% slower"
rm -f "$memory/big"

# ptrace against strace with the same filter, a static loop of 1-byte writes.
if command -v strace >/dev/null && gcc -w -O1 -static -o "$WORK/victim" "$(dirname "$0")/../test/trace/victim.c"; then
	against=()
	cd "$memory"
	for ((i = 0; i < ROUNDS; i++)); do
		start=$(date +%s%N)
		"$PARIO" trace -o "$memory/v.trace" -- "$WORK/victim" 50000 2>/dev/null
		middle=$(date +%s%N)
		strace -f --seccomp-bpf -e trace=%file,%desc -o "$memory/strace.txt" "$WORK/victim" 50000
		end=$(date +%s%N)
		against+=("$(awk -v a=$((middle - start)) -v b=$((end - middle)) 'BEGIN { print a / b }')")
	done
	cd - >/dev/null
	below "a static program traced by ptrace" "strace -f --seccomp-bpf" "$(printf '%s\n' "${against[@]}" | median)" 1 times
fi

# Short processes, in turns: alone, under strace and traced, and the space of their segments.
cat >"$WORK/many.c" <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < atoi(argv[1]); i++) {
		if (fork() == 0) {
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		wait(NULL);
	}
	return 0;
}
END
if gcc -O1 -o "$WORK/many" "$WORK/many.c"; then
	took() {
		local start
		start=$(date +%s%N)
		"$@" >/dev/null
		echo $(($(date +%s%N) - start))
	}
	alone=() stepped=() traced=()
	for ((i = 0; i < ROUNDS; i++)); do
		alone+=("$(took "$WORK/many" 1000)")
		! command -v strace >/dev/null || stepped+=("$(took strace -f -c -o /dev/null "$WORK/many" 1000)")
		traced+=("$(took "$PARIO" trace -o "$memory/many.trace" -- "$WORK/many" 1000)")
	done
	single=$(printf '%s\n' "${alone[@]}" | median)
	below "1000 runs of true, traced" "alone" "$(ratio "${traced[@]}")" 2 times
	[ ${#stepped[@]} -eq 0 ] || printf '%-44s %-26s %10.2f times\n' "1000 runs of true, under strace -f -c" "alone" "$(ratio "${stepped[@]}")"
	mkdir -p "$WORK/segments"
	PARIO_TRACE=ns:0:$WORK/segments LD_PRELOAD=$(dirname "$PARIO")/libpario-trace.so "$WORK/many" 1500
	below "segments of 1500 runs of true" "MB" "$(du -s --block-size=1000000 "$WORK/segments" | awk '{ print $1 }')" 20 MB
	rm -rf "$WORK/segments"
fi

# A profile of 10 million calls.
"$PARIO" trace -o "$memory/long.trace" -- "$loop" "$memory/byte" 81300 3 >/dev/null
/usr/bin/time -f '%e %M' -o "$WORK/time" "$PARIO" profile "$memory/long.trace" >"$WORK/profile"
read -r seconds kilobytes <"$WORK/time"
calls=$(awk '$1 == "calls" && $2 ~ /^[0-9]+$/ { print $2 }' "$WORK/profile")
below "profile of $calls calls" "seconds" "$seconds" 20 s
below "the same" "memory" "$(awk -v k="$kilobytes" 'BEGIN { print k / 1024 }')" 256 MiB
