#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# NHT-1's peak test, the combined file and its transfer in one run; and what NHT-1 asks of each result, with the evidence.

load lib
load ops

TINY=(--fraction 0.000001 --repetitions 1 --calibration 0.1)
FIXED=(--method threads --direct 1 --request_size 256k --queue_depth 2)

need_ftp()
{
	local program

	for program in vsftpd ftp; do
		PATH=$PATH:/usr/sbin:/sbin command -v $program >/dev/null || skip "$program is not installed"
	done
}

on_disk()
{
	case $(stat -f -c %T "$DATA") in
	tmpfs | ramfs) skip "the directory of the tests lies in memory" ;;
	esac
}

# condition FILE WHAT: what a document says of this condition, in every statement.
condition()
{
	sed -nE "s/^    $2 +(yes|no)  .*/\1/p" "$OUT/$1" | paste -sd' '
}

@test "one run: memory to files and back, the files combined, that very file through ftp" {
	need_ftp
	on_disk
	done_well nht1 --np 3 --clients 1,2,3 "${TINY[@]}" "${FIXED[@]}"
	[ "$(results '[.clients, .phase, .bytes]' | paste -sd' ')" = "[1,\"write\",1048576] [1,\"read\",1048576] [1,\"combine\",1048576] \
[1,\"transfer\",1048576] [2,\"write\",2097152] [2,\"read\",2097152] [2,\"combine\",2097152] [2,\"transfer\",2097152] \
[3,\"write\",3145728] [3,\"read\",3145728] [3,\"combine\",3145728] [3,\"transfer\",3145728]" ]
	# every byte of the combined file is the peak's, and source and destination have one checksum
	[ "$(results 'select(.phase == "combine") | [.bytes == .metrics.verified_bytes.value, .metrics.parts.value == .clients]' |
		sort -u)" = "[true,true]" ]
	[ "$(results 'select(.phase == "transfer") | .bytes == .metrics.S_FILE.value and (.sheets.evidence.rows |
		map({(.[0]): .[1]}) | add | .source == .destination)' | sort -u)" = true ]
	[ "$(grep -cE '^  (R_PEAK|R_THROUGHPUT) ' "$OUT/nht1.txt")" -eq 6 ]
	[ "$(condition nht1.txt "same data")" = "yes yes yes yes yes yes" ]
}

@test "a byte of the combined file that is not the peak's is found" {
	need_ftp
	spoiled corrupt=pwrite@1:17,path=network/data/source,rank=1 4 nht1 --np 2 "${TINY[@]}" "${FIXED[@]}"
	results 'select(.phase == "combine") | .reason' | grep -q 'wrong data in .*network/data/source'
}

@test "the disk holds the data twice, not three times" {
	need_ftp
	mkdir small
	mount -t tmpfs -o size=40m none small 2>/dev/null || skip "no file system can be mounted here"
	MOUNTED=$PWD/small DATA=$PWD/small
	done_well nht1 --np 1 --repetitions 1 --calibration 0.1 "${FIXED[@]}"
	# whole MiB of 95 % of half of it
	[ "$(results 'select(.phase == "transfer") | .bytes')" -eq $((18 * 1048576)) ]
}

@test "without the command the peak test is measured, and the transfer says what is missing" {
	local program

	mkdir bin
	printf '#!/bin/sh\nexit 1\n' >bin/ssh # Open MPI looks for it even on one node
	chmod +x bin/ssh
	for program in mpiexec mpiexec.openmpi mpirun orted prted prterun sh env hostname; do
		program=$(command -v $program) && ln -s "$(readlink -f "$program")" "bin/$(basename "$program")"
	done
	run timeout -k 5 "$LIMIT_S" env PATH="$PWD/bin" mpiexec.openmpi -n 2 "$PARIO" run nht1 --dir "$DATA" --output "$OUT" --quiet \
		"${TINY[@]}" "${FIXED[@]}"
	[ "$(results 'select(.phase == "transfer") | .outcome')" = skip ]
	results 'select(.phase == "transfer") | .reason' | grep -q 'is not installed (package'
	[ "$(results 'select(.phase == "read") | .metrics.R_PEAK.value > 0')" = true ]
	[ -z "$(ls -A "$DATA")" ]
}

@test "a statement with the result: the conditions of NHT-1, yes or no, and what shows it" {
	on_disk
	done_well nht1_peak --np 2 "${TINY[@]}" "${FIXED[@]}"
	grep -q "^  NHT-1's conditions: NOT CONFORMING in memory moved$" "$OUT/nht1_peak.txt"
	for what in "memory moved:no" nodes:yes "same data:yes" durability:yes "cache state:yes" "transfer path:yes"; do
		[ "$(condition nht1_peak.txt "${what%:*}")" = "${what#*:}" ]
	done
	grep -qE '^    cache state    yes  0 of 512 pages of the files were cached before it was read \((cachestat|mincore)\)$' "$OUT/nht1_peak.txt"
}

@test "in memory nothing is durable, and the statement says so" {
	[ -w /dev/shm ] || skip "no /dev/shm"
	DATA=$(mktemp -d /dev/shm/pario-test.XXXXXX)
	run -0 operate nht1_peak --np 1 "${TINY[@]}"
	rmdir "$DATA"
	[ "$(condition nht1_peak.txt durability)" = no ]
	[ "$(condition nht1_peak.txt "cache state")" = no ]
	grep -q 'NOT CONFORMING in memory moved, durability, cache state$' "$OUT/nht1_peak.txt"
}

@test "a transfer by itself is not of the peak's data, and scp is neither ftp nor rcp" {
	need_ftp
	done_well nht1_network --fraction 0.000001 --repetitions 1
	[ "$(condition nht1_network.txt "same data")" = no ]
	[ "$(condition nht1_network.txt "transfer path")" = yes ]
	PATH=$PATH:/usr/sbin:/sbin command -v sshd >/dev/null || skip "sshd is not installed"
	done_well nht1_network --fraction 0.000001 --repetitions 1 --method scp
	[ "$(condition nht1_network.txt "transfer path")" = no ]
}

@test "the application: size, file and the origin of T_C" {
	done_well nht1_application --np 2 --class S --repetitions 1 --layout full,epio
	[ "$(condition nht1_application.sum "T_C's origin")" = "yes yes" ]
	[ "$(condition nht1_application.sum size)" = "no no" ]
	[ "$(condition nht1_application.sum "one file")" = "yes no" ]
	[ "$(condition nht1_application.sum verified)" = "yes yes" ]
	done_well nht1_application --np 1 --class S --repetitions 1 --t_c 0.000001
	[ "$(condition nht1_application.sum "T_C's origin")" = no ]
}
