# What the scripts of file systems and of the scheduler share; sourced with their words CLUSTER COMMAND [WORDS...].
# shellcheck shell=bash disable=SC2034 # used by those who source this
set -euo pipefail

usage()
{
	sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"
	exit 2
}

[ $# -ge 2 ] || usage
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
NAME=$1 command=$2
shift 2
DIR=/var/lib/pario-cluster/$NAME
VOLUME=$DIR/volume
mapfile -t NODES < <(cut -d' ' -f1 "$DIR/nodes")

on() { "$HERE/cluster" -c "$NAME" run "$@" </dev/null; }

until_true()
{
	local limit=$((SECONDS + $1))

	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $limit ] || return 1
		sleep 0.5
	done
}

# Only the processes of a node are seen there.
end()
{
	local node

	for node in "${NODES[@]}"; do on "$node" pkill -KILL -x "$1" || true; done
}

unmount()
{
	local node

	for node in "${NODES[@]}"; do on "$node" umount -l "$VOLUME" 2>/dev/null || true; done
}

# A file comes to be and goes where the servers are there; a directory that is spread over all of them needs all.
writable()
{
	# shellcheck disable=SC2016 # expanded on the node
	on "$1" timeout 20 sh -c 'rm -rf "$0"; mkdir "$0" && echo 1 >"$0/there" && rm -r "$0"' "$VOLUME/writable.$1"
}

all_writable()
{
	local node

	for node in "${NODES[@]}"; do until_true 90 writable "$node"; done
}

# Brings a file system back on all nodes after its server or a node was away: where a client was shut out meanwhile, it mounts
# again (mount_on is the script's own).
come_back()
{
	local node

	for node in "${NODES[@]}"; do
		until_true 40 writable "$node" && continue
		on "$node" umount -l "$VOLUME" || true
		mount_on "$node"
		until_true 60 writable "$node"
	done
}

# rchar PROGRAM: bytes that the servers of this name have read: what they handed out, and what they received besides
rchar()
{
	local node

	for node in "${NODES[@]}"; do
		# shellcheck disable=SC2016 # expanded on the node
		on "$node" sh -c 'for pid in $(pgrep -x "$0"); do sed -n "s/^rchar: //p" "/proc/$pid/io"; done' "$1"
	done | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}
