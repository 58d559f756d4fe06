#!/usr/bin/env bash
# IOR and mdtest beside `pario ior` and `pario mdtest` with the same command lines, 2 clients, where they are on PATH: the kept
# files must be equally many and equally large, and the rates are compared, run by run in turns.
set -eu
# shellcheck source=bench/lib.bash
. "$(dirname "$0")/lib.bash"

place=$WORK/peers
mkdir -p "$place"
status=0

# shapes DIRECTORY PATTERN: the sizes of the files, sorted; the data of one are laid out as the data of the other.
shapes() { find "$1" -type f -name "$2" -printf '%s\n' | sort -n | tr '\n' ' '; }

same() { # WHAT OURS THEIRS
	if [ "$2" = "$3" ]; then echo "$1: the same files"; else
		echo "$1: pario made ${2:-none}, the other ${3:-none}"
		status=1
	fi
}

ior_layout() { # WORDS...
	rm -rf "${place:?}"/*
	mkdir "$place/theirs" "$place/ours"
	launch 2 ior -o "$place/theirs/file" -k -w "$@" >/dev/null
	"$PARIO" ior -o "$place/ours/file" -k -w "$@" -- --np 2 --quiet 1 --output "$(mktemp -u "$WORK/out.XXXXXX")"
	same "ior $*" "$(shapes "$place/ours" '*.data.*')" "$(shapes "$place/theirs" 'file*')"
}

# The best rates of both programs: IOR 4 prints them with -v only. What it wrote is there, or there is no ratio.
ior_rate() { awk '/^Max (Write|Read):/ { print $3 }'; }
proved() { # PROGRAM NUMBERS WANTED
	[ "$2" -eq "$3" ] || { echo "bench: $1 printed $2 numbers instead of $3: it did not do its work" >&2; exit 1; }
}

ior_rates() { # LABEL FILES WORDS...
	local label=$1 files=$2 i k mine=() peer=() words names=(write read)
	shift 2
	rm -rf "${place:?}"/*
	for ((i = 0; i < ROUNDS; i++)); do
		mapfile -t words < <(launch 2 ior -v -k -o "$place/file" "$@" | ior_rate)
		proved ior ${#words[@]} 2
		[ "$(shapes "$place" 'file*')" = "$files" ] || { echo "bench: ior left files of $(shapes "$place" 'file*')bytes instead of $files" >&2; exit 1; }
		rm -f "$place"/file*
		peer+=("${words[@]}")
		mapfile -t words < <("$PARIO" ior -o "$place/file" "$@" -- --np 2 \
			--output "$(mktemp -u "$WORK/out.XXXXXX")" | ior_rate)
		proved "pario ior" ${#words[@]} 2
		mine+=("${words[@]}")
	done
	for k in 0 1; do
		local a=() b=()
		for ((i = k; i < 2 * ROUNDS; i += 2)); do a+=("${mine[$i]}") b+=("${peer[$i]}"); done
		row "$label ${names[$k]} (MiB/s)" "ior, the same words" 0.95 "${a[@]}" -- "${b[@]}"
	done
}

mdtest_rate() { awk '/^   File (creation|stat|removal) / { print $(NF - 1) }'; }

mdtest_rates() { # ITEMS WORDS...
	local items=$(($1 * 2))
	set -- -n "$@"
	local i k mine=() peer=() words names=(create stat remove)
	for ((i = 0; i < ROUNDS; i++)); do
		mkdir -p "$place/md"
		launch 2 mdtest -d "$place/md" "$@" >"$WORK/mdtest"
		grep -q "^2 tasks, $items files" "$WORK/mdtest" || { echo "bench: mdtest did not make $items files" >&2; exit 1; }
		mapfile -t words < <(mdtest_rate <"$WORK/mdtest")
		proved mdtest ${#words[@]} 3
		peer+=("${words[@]}")
		mapfile -t words < <("$PARIO" mdtest -d "$place" "$@" -- --np 2 \
			--output "$(mktemp -u "$WORK/out.XXXXXX")" | mdtest_rate)
		proved "pario mdtest" ${#words[@]} 3
		mine+=("${words[@]}")
	done
	for k in 0 1 2; do
		local a=() b=()
		for ((i = k; i < 3 * ROUNDS; i += 3)); do a+=("${mine[$i]}") b+=("${peer[$i]}"); done
		row "file ${names[$k]} (per s)" "mdtest, the same words" 0.95 "${a[@]}" -- "${b[@]}"
	done
}

if command -v ior >/dev/null; then
	ior_layout -t 64k -b 1m -s 4
	ior_layout -t 64k -b 1m -s 4 -F
	ior_layout -a MPIIO -c -t 64k -b 64k -s 32
	ior_rates "shared, 1 MiB" "$((2 * 4 * 64 << 20)) " -t 1m -b 64m -s 4 -e -C
	ior_rates "per task, 64 KiB" "$((256 << 20)) $((256 << 20)) " -t 64k -b 256m -F
else
	echo "ior is not on PATH: not compared"
fi
if command -v mdtest >/dev/null; then
	mdtest_rates 20000 -F -N 1 -C -T -r
	rm -rf "$place/md"
else
	echo "mdtest is not on PATH: not compared"
fi
exit $status
