#!/usr/bin/env bats
# Darshan's logs as they are: `pario import` and `pario profile` read them without darshan-util. test/darshan_log.py makes them here.

load lib

# make_log WORD...: into `log`.
make_log()
{
	"$PYTHON" "$PARIO_SOURCE/test/darshan_log.py" log "$@"
}

# value MODULE COUNTER: of the record of all ranks.
value()
{
	pario profile log --csv - | awk -F, -v module="$1" -v counter="$2" '$1 == module && $2 == -1 && $4 == counter { print $5 }'
}

@test "counters of every version, in either order of bytes, however compressed" {
	for words in 3.41 "3.41 big" "3.41 bzip2" "3.41 plain" "3.41 streams" "3.41 big bzip2 streams"; do
		# shellcheck disable=SC2086 # words
		make_log $words
		[ "$(pario profile log --csv - | cut -d, -f6- | sort -u | grep -c shared)" -ge 1 ]
		pario profile log --csv - | sha256sum
	done >sums
	[ "$(grep -c . sums)" -eq 6 ]
	[ "$(sort -u sums | wc -l)" -eq 1 ]
	make_log 3.41
	[ "$(value POSIX POSIX_OPENS)" = 1000 ]
	[ "$(value POSIX POSIX_SLOWEST_RANK_BYTES)" = 1068 ]
	[ "$(value POSIX POSIX_F_OPEN_START_TIMESTAMP)" = 0.500000 ]
	[ "$(value POSIX POSIX_F_VARIANCE_RANK_BYTES)" = 16.500000 ]
	[ "$(value MPI-IO MPIIO_F_META_TIME)" = 10.500000 ]
	[ "$(value H5D H5D_FILE_REC_ID)" = 81985529216486895 ]
	[ "$(value PNETCDF_VAR PNETCDF_VAR_OPENS)" = 6000 ]
	[ "$(value DAOS DAOS_F_SLOWEST_RANK_TIME)" = 14.500000 ]
}

@test "what earlier versions did not count is -1, and the rest stands in its place" {
	make_log 3.00 big
	[ "$(value POSIX POSIX_RENAME_SOURCES)" = -1 ]
	[ "$(value POSIX POSIX_MMAPS)" = 1005 ]
	# four counters that later versions left out come before it
	[ "$(value POSIX POSIX_FSYNCS)" = 1010 ]
	[ "$(value POSIX POSIX_F_CLOSE_START_TIMESTAMP)" = -1.000000 ]
	[ "$(value POSIX POSIX_F_READ_END_TIMESTAMP)" = 3.500000 ]
	[ "$(value POSIX POSIX_F_META_TIME)" = 8.500000 ]
	make_log 3.10
	[ "$(value POSIX POSIX_FSYNCS)" = 1006 ]
	[ "$(value STDIO STDIO_FDOPENS)" = -1 ]
	[ "$(value STDIO STDIO_READS)" = 7001 ]
	[ "$(value H5F H5F_FLUSHES)" = -1 ]
	[ "$(value PNETCDF_FILE PNETCDF_FILE_OPENS)" = 8001 ]
	make_log 3.20
	[ "$(value H5D H5D_FILE_REC_ID)" = 0 ]
	[ "$(value STDIO STDIO_FDOPENS)" = 8001 ]
}

@test "stripes of Lustre, heat maps and the calls of DXT" {
	make_log 3.41
	[ "$(value LUSTRE LUSTRE_NUM_COMPONENTS)" = 2 ]
	[ "$(value LUSTRE LUSTRE_COMP1_FLAGS)" = init ]
	[ "$(value LUSTRE LUSTRE_COMP1_POOL_NAME)" = fast ]
	[ "$(value LUSTRE LUSTRE_COMP2_STRIPE_PATTERN)" = mdt ]
	[ "$(value LUSTRE LUSTRE_COMP2_OST_ID_1)" = 9 ]
	pario profile log --csv - >csv
	grep -qx 'HEATMAP,1,18364758544493064720,HEATMAP_READ_BIN_2,23,/tmp/own,,,,,,' csv
	grep -qx 'HEATMAP,1,18364758544493064720,HEATMAP_WRITE_BIN_0,11,/tmp/own,,,,,,' csv
	grep -qx 'DXT_POSIX,2,81985529216486895,write,,/tmp/shared,node7,1,4096,512,0.250000,0.500000' csv
	grep -qx 'DXT_POSIX,2,81985529216486895,read,,/tmp/shared,node7,0,4096,512,0.250000,0.500000' csv
	grep '^DXT_' csv >calls
	make_log 3.41 threads
	pario profile log --csv - | grep '^DXT_' | diff calls -
	make_log 3.20
	[ "$(value LUSTRE LUSTRE_COMP1_STRIPE_COUNT)" = 2 ]
	[ "$(value LUSTRE LUSTRE_COMP1_FLAGS)" = N/A ]
	[ "$(value LUSTRE LUSTRE_COMP1_OST_ID_1)" = 118 ]
	# the first version did not know where MPI-IO writes
	make_log 3.10
	pario profile log --csv - | grep -q '^DXT_MPIIO,.*,node7,0,-1,512,'
}

@test "import: the sums of a module, and the calls of DXT, are those of the text" {
	make_log 3.41
	pario import log --output out
	jq -r 'select(.kind == "result" and .point == "module=POSIX") | "\(.phase) \(.ops) \(.bytes) \(.clients) \(.metrics.time_in_calls.value)"' out/journal.jsonl >got
	# twice 1003 reads of twice 1014 bytes, for the two records
	grep -qx 'read 2006 2028 4 17' got
	grep -qx 'write 2008 2030 4 19' got
	jq -r 'select(.kind == "result" and .point == "module=X_POSIX") | "\(.phase) \(.ops) \(.bytes) \(.latency_ns.count)"' out/journal.jsonl >got
	grep -qx 'write 2 1024 2' got
	# what is compressed once more, and what comes by a pipe
	gzip -k log
	pario import log.gz --output packed
	pario import - --output piped <log
	for run in packed piped; do
		diff <(jq -c 'select(.kind == "result") | del(.time, .hash, .sum)' out/journal.jsonl | sed 's/"previous":"[^"]*"//') \
			<(jq -c 'select(.kind == "result") | del(.time, .hash, .sum)' $run/journal.jsonl | sed 's/"previous":"[^"]*"//')
	done
}

@test "a module that ran out of memory makes the run suspect; one that nobody knows is named" {
	make_log 3.21 partial=STDIO strange=APXC
	pario import log --output out
	[ "$(jq -r 'select(.kind == "result") | .outcome' out/journal.jsonl | sort -u)" = suspect ]
	jq -r 'select(.kind == "note") | .text' out/journal.jsonl >notes
	grep -q 'records of the module STDIO are not complete' notes
	grep -q 'records of the module APXC, version 99, which pario does not know' notes
	run -0 --separate-stderr pario profile log
	# shellcheck disable=SC2154 # set by run
	[[ $output == *"THE LOG IS NOT COMPLETE: the module STDIO ran out of memory."* ]]
}

@test "profile: findings from counters" {
	make_log 3.41 small
	run -0 --separate-stderr pario profile log
	[[ $output == *"Small requests"* ]]
	[[ $output == *"100 000 of 100 000 write calls moved 9.5 MiB in pieces of 100 B on average"* ]]
	[[ $output == *"500 open calls opened /tmp/own: 500 per file and process."* ]]
	[[ $output == *"/bin/program --file /tmp/shared"* ]]
	pario profile log --html page.html --journal run
	grep -q "Small requests" page.html
	[ "$(jq -r 'select(.kind == "result") | .ops' run/journal.jsonl)" = 100500 ]
	run -2 --separate-stderr pario profile log --perfetto out.json
	# shellcheck disable=SC2154 # set by run
	[[ $stderr == *"holds counters and no calls"* ]]
}

@test "a log that was cut off or is damaged is refused with a sentence" {
	make_log 3.41
	size=$(stat -c %s log)
	for length in 20 400 1400 2000 $((size - 100)) $((size - 3)); do
		head -c "$length" log >part
		rm -rf out
		run -1 --separate-stderr pario import part --output out
		one_sentence
		[ ! -e out ]
	done
	printf 'x' | dd of=log bs=1 seek=$((size - 200)) conv=notrunc status=none
	run -1 --separate-stderr pario import log --output out
	one_sentence
}

@test "memory does not grow with a log" {
	make_log 3.41 many=200000
	for command in "import log --output out" "profile log" "profile log --csv counters.csv"; do
		# shellcheck disable=SC2086 # words
		"$PYTHON" -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$PARIO" $command >peak
		cat peak
		[ "$CHECK_SANITIZED" ] || [ "$(cat peak)" -le 64 ]
	done
}
