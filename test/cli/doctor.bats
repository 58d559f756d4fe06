#!/usr/bin/env bats
# pario doctor: each finding with its consequence and its remedy. A made-up /sys and /proc stand for other machines.
load lib

# machine FILE TEXT...: files of the kernel below the directory `root`.
machine()
{
	while [ $# -gt 1 ]; do
		mkdir -p "root/$(dirname "$1")"
		printf '%s\n' "$2" >"root/$1"
		shift 2
	done
}

doctor() { pario doctor "$@" --seconds 0; }

@test "this machine can be looked at, and nothing is written" {
	run -0 --separate-stderr doctor "$DATA"
	[[ $output == *"file system: "* ]]
	[[ $output == *"MPI: "* ]]
	[[ $output == *"io_uring: "* ]]
	[[ $output == *"cold caches: "* ]]
	[ -z "$stderr" ]
	[ -z "$(ls -A "$DATA")" ]
}

@test "the noise test measures" {
	run -0 pario doctor "$DATA" --seconds 0.05
	grep -qE 'noise: [0-9.]+ % of 0\.[0-9] s went to others' <<<"$output"
}

@test "a governor that saves power is found, with consequence and remedy" {
	machine sys/devices/system/cpu/cpu0/cpufreq/scaling_governor powersave
	run -0 doctor "$DATA" --root root
	[[ $output == *"look     governor: the frequency governor is powersave"* ]]
	[[ $output == *"Remedy: cpupower frequency-set -g performance"* ]]
	machine sys/devices/system/cpu/cpu0/cpufreq/scaling_governor performance
	run -0 doctor "$DATA" --root root
	[[ $output == *"good     governor"* ]]
}

@test "turbo, on Intel's and on other processors" {
	machine sys/devices/system/cpu/intel_pstate/no_turbo 0
	run -0 doctor "$DATA" --root root
	[[ $output == *"know     turbo"* ]]
	machine sys/devices/system/cpu/intel_pstate/no_turbo 1
	run -0 doctor "$DATA" --root root
	[[ $output == *"good     turbo"* ]]
	rm -r root
	machine sys/devices/system/cpu/cpufreq/boost 1
	run -0 doctor "$DATA" --root root
	[[ $output == *"know     turbo"* ]]
}

@test "load, clock source, processor quota" {
	machine proc/loadavg '999.0 1 1 1/1 1' sys/fs/cgroup/cpu.max '50000 100000' \
		sys/devices/system/clocksource/clocksource0/current_clocksource hpet
	run -0 doctor "$DATA" --root root
	[[ $output == *"look     load: 999.0 programs"* ]]
	[[ $output == *"a cgroup allows 0.5 cores"* ]]
	[[ $output == *"the kernel's clock is hpet"* ]]
	[[ $output == *"3 things to look at"* || $output == *"things to look at"* ]]
}

@test "a file system in memory" {
	[ -w /dev/shm ] || skip "/dev/shm is not writable"
	run -0 doctor /dev/shm
	[[ $output == *"It lives in memory: no storage device is measured."* ]]
}

@test "a directory that is not there makes the exit code 1" {
	run -1 doctor nowhere
	[[ $output == *"bad      directory: nowhere is not there"* ]]
	[[ $output == *"Nothing sound can be measured like this."* ]]
}

@test "no right to empty caches is said with its consequence" {
	mkdir -p root
	run -0 doctor "$DATA" --root root
	[[ $output == *"no right to empty the kernel's caches as a whole"* ]]
	[[ $output == *"metadata tests start warm"* ]]
}

@test "two directories are refused, and unknown options" {
	run -2 --separate-stderr doctor a b
	run -2 --separate-stderr doctor --secnds 1
	says "did you mean"
}

@test "plain text without colour in a pipe" {
	run -0 doctor "$DATA"
	run ! grep -q $'\033' <<<"$output"
}
