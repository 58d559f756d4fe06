#!/usr/bin/env bash
# overlap against what is known: planted costs, a planted rate limit, repeated calibrations, and the default run's time.
# A machine with other work makes intervals wider and some numbers suspect; every line says what was reached.
set -eu
# shellcheck source=bench/lib.bash
. "$(dirname "$0")/lib.bash"

RUNS=${RUNS:-100}
call=200 mib=1500 cpu=40 cpu_mib=300 # us, us per MiB

# line WHAT VALUE BAR YES|NO
line() { printf '%-64s %14s  %-12s %s\n' "$1" "$2" "$3" "$([ "$4" = true ] && echo reached || echo MISSED)"; }

study() { "$PARIO" run overlap --routine null --np 1 --quiet --json --output "$(mktemp -u "$WORK/out.XXXXXX")" "$@"; }

# covered NAME ERROR TRUTH WHAT: in how many runs does the interval hold the truth, and how far off is the median?
covered() {
	local held off

	held=$(jq -s --argjson t "$3" --arg v "$1" --arg e "$2" '[.[] | select(.kind == "result") | .metrics | select(.[$v]) |
		select(((.[$v].value - $t) | fabs) <= .[$e].value)] | length' "$WORK/planted")
	off=$(jq -s --argjson t "$3" --arg v "$1" '[.[] | select(.kind == "result") | .metrics[$v].value // empty] | sort |
		100 * (.[length / 2 | floor] / $t - 1)' "$WORK/planted")
	line "$4: runs of $RUNS whose interval holds it" "$held" ">= $((RUNS * 9 / 10))" "$(jq -n "$held >= $RUNS * 0.9")"
	line "$4: median, % off" "$(printf %.3f "$off")" "<= 2" "$(jq -n "($off | fabs) <= 2")"
}

study --phases read --repetitions "$RUNS" --null_delay $call --null_delay_per_mib $mib --null_cpu $cpu \
	--null_cpu_per_mib $cpu_mib >"$WORK/planted"
covered t_fix_us t_fix_error_us $call "time of an operation, planted $call us"
covered t_byte_ns t_byte_error_ns "$(jq -n "$mib * 1000 / 1048576")" "time of a byte, planted $mib us/MiB"
covered t_call_us t_call_error_us $cpu "T_call, planted $cpu us"
covered t_trans_us t_trans_error_us "$(jq -n "$cpu_mib / 256")" "T_trans, planted $cpu_mib us/MiB"

# Each repetition chooses its loop anew, so calibrations are compared within one.
spread=$(jq -s '[.[] | select(.kind == "result") | [.sheets.passes.rows[] | select(.[2] == "compute") | .[7]] | sort |
	.[length / 2 | floor] as $m | .[] | (. / $m - 1) | fabs] | sort | 148.26 * .[length / 2 | floor]' "$WORK/planted")
line "t_loop: spread of $(jq -s '[.[] | select(.kind == "result") | .sheets.passes.rows[] | select(.[2] == "compute")] | length' \
	"$WORK/planted") calibrations, %" "$(printf %.4f "$spread")" "< 0.5" "$(jq -n "$spread < 0.5")"

for limit in 50 400; do
	rate=$(study --phases read,write --repetitions 5 --null_delay_per_mib "$(jq -n "1000000 / $limit")" |
		jq -s '[.[] | select(.kind == "result") | .metrics.best_rate_mib_s.value] | sort | .[length / 2 | floor]')
	line "rate under a limit of $limit MiB/s" "$(printf %.2f "$rate")" "within 3 %" \
		"$(jq -n "($rate / $limit - 1 | fabs) <= 0.03")"
done

began=$(date +%s.%N)
"$PARIO" run overlap --dir "$WORK" --quiet --output "$WORK/default"
took=$(jq -n "$(date +%s.%N) - $began")
line "default run, seconds" "$(printf %.1f "$took")" "<= 180" "$(jq -n "$took <= 180")"
