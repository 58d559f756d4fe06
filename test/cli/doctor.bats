#!/usr/bin/env bats
# shellcheck disable=SC2034 # MOUNTED is for lib.bash
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
	[[ $output == *"look     governor: "*powersave* ]]
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
	[[ $output == *"lives in memory"* ]]
}

@test "a directory that is not there makes the exit code 1" {
	run -1 doctor nowhere
	[[ $output == *"bad      directory: nowhere"* ]]
	[[ $output == *"Nothing sound"* ]]
}

@test "no right to empty caches is said with its consequence" {
	mkdir -p root
	run -0 doctor "$DATA" --root root
	[[ $output == *"kernel's caches"* ]]
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

@test "one core with another governor is found; none at all is said" {
	[ "$(nproc --all)" -gt 1 ] || skip "there is only one core"
	machine sys/devices/system/cpu/cpu0/cpufreq/scaling_governor performance \
		sys/devices/system/cpu/cpu1/cpufreq/scaling_governor schedutil
	run -0 doctor "$DATA" --root root
	[[ $output == *"look     governor: "*"schedutil on 1 of 2 cores"* ]]
	rm -r root
	mkdir root
	run -0 doctor "$DATA" --root root
	[[ $output == *"know     governor: "* ]]
}

@test "memory limits of both versions of cgroups" {
	top=$PWD/root/sys/fs/cgroup
	machine proc/self/cgroup '0::/job' sys/fs/cgroup/job/memory.max 67108864 sys/fs/cgroup/job/memory.current 0 \
		proc/self/mountinfo "30 1 0:1 / $top rw - cgroup2 cgroup2 rw"
	run -0 doctor "$DATA" --root root
	[[ $output == *"memory: "*cgroup*"64 MiB"* ]]
	rm -r root
	machine proc/self/cgroup '7:memory:/job' sys/fs/cgroup/memory/job/memory.limit_in_bytes 33554432 \
		sys/fs/cgroup/memory/job/memory.usage_in_bytes 0 \
		proc/self/mountinfo "30 1 0:1 / $top/memory rw - cgroup cgroup rw,memory"
	run -0 doctor "$DATA" --root root
	[[ $output == *"memory: "*cgroup*"32 MiB"* ]]
}

@test "processor quotas of both versions, of the group itself and of those above it" {
	machine proc/self/cgroup '0::/a/b' sys/fs/cgroup/a/cpu.max '150000 100000' sys/fs/cgroup/a/b/cpu.max 'max 100000'
	run -0 doctor "$DATA" --root root
	[[ $output == *"a cgroup allows 1.5 cores"* ]]
	rm -r root
	machine proc/self/cgroup '4:cpu,cpuacct:/docker/1f' sys/fs/cgroup/cpu,cpuacct/docker/1f/cpu.cfs_quota_us 25000 \
		sys/fs/cgroup/cpu,cpuacct/docker/1f/cpu.cfs_period_us 100000
	run -0 doctor "$DATA" --root root
	[[ $output == *"a cgroup allows 0.2 cores"* ]]
	machine sys/fs/cgroup/cpu,cpuacct/docker/1f/cpu.cfs_quota_us -1
	run -0 doctor "$DATA" --root root
	[[ $output != *"a cgroup allows"* ]]
}

@test "file systems that mislead, each with consequence and remedy; the others are good" {
	for kind in tmpfs overlay nfs nfs4 lustre gpfs beegfs ceph pvfs2 cifs afs zfs btrfs f2fs vfat exfat fuseblk 9p \
		virtiofs fuse.sshfs fuse.s3fs fuse.glusterfs fuse; do
		run -0 pario doctor "$DATA" --seconds 0 --kind "$kind" --json
		grep -F '"name":"file system"' <<<"$output" | "$PYTHON" -c '
import json, sys
found = json.loads(sys.stdin.read())
assert found["level"] in ("know", "look") and found["consequence"] and found["remedy"], found'
	done
	for kind in ext4 xfs; do
		run -0 doctor "$DATA" --kind "$kind"
		[[ $output == *"good     file system: $kind"* ]]
	done
	run -1 doctor "$DATA" --kind squashfs
}

@test "--json: one object per finding, nothing else, and everything but good has consequence and remedy" {
	run -0 --separate-stderr doctor "$DATA" --json
	[ -z "$stderr" ]
	"$PYTHON" -c '
import json, sys
for line in sys.stdin:
    f = json.loads(line)
    assert set(f) == {"level", "name", "text", "consequence", "remedy"}, f
    assert f["level"] == "good" or (f["consequence"] and f["remedy"]), f' <<<"$output"
}

@test "a file instead of a directory, and one that cannot be seen" {
	touch file
	run -1 doctor file
	[[ $output == *"bad      directory: file is not a directory"* ]]
	run -1 doctor file/below
	[[ $output == *ENOTDIR* ]]
}

@test "a directory that cannot be written to, for one who is not root" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to become another user"
	chmod 755 "$DATA"
	command=(setpriv --reuid=65534 --regid=65534 --clear-groups "$PARIO" doctor / --seconds 0)
	run -1 timeout "$LIMIT_S" "${command[@]}"
	[[ $output == *"bad      directory: / cannot be written to"* ]]
	[[ $output == *EACCES* ]]
	[[ $output == *"kernel's caches"* ]]
}

@test "read-only and full file systems" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to mount"
	mkdir small
	mount -t tmpfs -o size=64k tmpfs small || skip "mounting is not allowed here"
	MOUNTED=$PWD/small
	head -c 65536 /dev/zero >small/fill
	run -1 doctor small
	[[ $output == *"bad      free space: "* ]]
	mount -o remount,ro small
	run -1 doctor small
	[[ $output == *EROFS* ]]
}

@test "the next command names the directory; lines fit the terminal" {
	run -0 doctor "$DATA"
	[[ $output == *"Next: pario glance $DATA"* ]]
	for columns in 40 80; do
		run -0 script -qec "unset COLUMNS; stty cols $columns; $PARIO doctor . --seconds 0" /dev/null
		[ "$(sed 's/\x1b\[[0-9;]*[mK]//g; s/\r//g' <<<"$output" | grep -v / | wc -L)" -le "$columns" ]
	done
}
