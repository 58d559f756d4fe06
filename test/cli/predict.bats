#!/usr/bin/env bats
# Does a prediction follow from the trace and the two SYSTEM files, and does it say what it is worth?
# shellcheck disable=SC2030,SC2031,SC2153,SC2154 # variables that bats and lib.bash set and use
load lib

setup_file()
{
	cd "$BATS_FILE_TMPDIR" || return 1
	trace_dd
	system a
	system b times=2
	system small largest=4096
}

trace_dd()
{
	"$PARIO" trace --quiet -o dd.trace -- dd if=/dev/zero of=f bs=64k count=50 conv=fsync status=none
}

# system NAME [KEY=VALUE ...]: makes NAME.json.
system()
{
	"$PYTHON" "$PARIO_SOURCE/test/cli/system.py" "$BATS_FILE_TMPDIR/$1.json" "${@:2}"
}

# predict REFERENCE TARGET ARGUMENTS...: of dd's trace.
predict()
{
	cd "$BATS_FILE_TMPDIR" || return 1
	pario predict dd.trace --reference "$1.json" --target "$2.json" "${@:3}"
}

# metric MODEL NAME: from the journal in $OUT.
metric()
{
	jq -r "select(.kind == \"result\" and .phase == \"$1\") | .metrics.$2.value" "$OUT/journal.jsonl"
}

# Equal but for the calls that no surface describes.
alike()
{
	"$PYTHON" -c 'import sys; a, b = map(float, sys.argv[1:]); assert abs(a - b) <= 5e-3 * abs(b), (a, b)' "$@"
}

# carried MODEL HYBRID SAME: the hybrid lies between the model and twice that of the system that is twice as fast.
carried()
{
	"$PYTHON" -c 'import sys
model, hybrid, same = map(float, sys.argv[1:])
low, high = sorted((model, 2 * same))
assert 0.995 * low <= hybrid <= 1.005 * high, (model, hybrid, same)' "$@"
}

@test "the published tables and their means are printed" {
	run -0 pario predict --seed_tables
	[[ $output == *"Diamond    POSIX     -68.68    +17.81    -45.38"*"mean       all        41.16     12.99     23.87"* ]]
	[[ $output == *"Mana       MPIIO     2.02    4.67    3.13   101.37   45.99   41.11"* ]]
}

@test "on a system that is twice as slow everything takes twice as long, but for what was off on the reference" {
	once_of 5 # a call that no surface describes may have been kept waiting
	rm -rf "$OUT"
	cd "$BATS_FILE_TMPDIR"
	trace_dd
	run -0 --separate-stderr predict a b --journal "$OUT"
	[[ $output == *"total I/O"*"What dominates on the target"*"write up to 64 KiB, sequential, absorbed"*"Call sites that change most"* ]]
	alike "$(metric ratio write_s)" "$(metric ratio reference_write_s | awk '{ printf "%.12g", 2 * $1 }')"
	alike "$(metric ratio io_s)" "$(metric ratio reference_io_s | awk '{ printf "%.12g", 2 * $1 }')"
	# how much of the reference's own times is carried over depends on them: at most as much as on the reference, in proportion
	rm -rf same
	run -0 predict a a --journal same
	OUT=same metric hybrid io_s >same_io
	OUT=same metric hybrid makespan_s >same_makespan
	alike "$(metric model io_s)" "$(OUT=same metric model io_s | awk '{ printf "%.12g", 2 * $1 }')"
	carried "$(metric model io_s)" "$(metric hybrid io_s)" "$(cat same_io)"
	"$PYTHON" -c 'import sys; low, value, high = map(float, sys.argv[1:]); assert low < value < high' \
		"$(metric hybrid io_low_s)" "$(metric hybrid io_s)" "$(metric hybrid io_high_s)"
	# think time does not change
	"$PYTHON" -c 'import sys; a, b, c, d = map(float, sys.argv[1:]); assert abs((a - b) - (c - d)) < 1e-3 * a, (a, b, c, d)' \
		"$(metric hybrid makespan_s)" "$(cat same_makespan)" "$(metric hybrid io_s)" "$(cat same_io)"
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" "$OUT/journal.jsonl"
	# the page is made from the journal, or at once
	pario report "$OUT" -o - | grep -q "Predicted times"
	run -0 --separate-stderr predict a b --html -
	grep -q "Predicted times" <<<"$output"
}

@test "the model alone says what the surfaces say" {
	rm -rf "$OUT"
	run -0 predict a b --journal "$OUT" --model model
	[[ $output == *ratio*model* && $output != *hybrid*"90 %"* ]]
	# fifty writes of 64 KiB and one fsync of what is dirty on a system that stores nothing
	alike "$(metric model write_s)" "$(awk 'BEGIN { printf "%.12g", 2 * (51 * 1e-5 + 100 * 65536 * 1e-9) }')"
}

@test "the difference is split into path, device, locality and concurrency" {
	run -0 predict a b --explain
	[[ $output == *Why:*path*device*locality*concurrency*sum* ]]
}

@test "what it really took is compared: equation 3 and deviations" {
	rm -rf "$OUT"
	run -0 predict a b --actual dd.trace,dd.trace --journal "$OUT"
	[[ $output == *"Accuracy in percent"*"over 2 runs"* ]]
	alike "$(metric ratio io_accuracy_percent)" 100
	[[ $output == *"RSD %"*"0.00"* ]]
}

@test "a replay on the target predicts too, and one on the reference corrects it" {
	cd "$BATS_FILE_TMPDIR"
	rm -rf "$OUT" replayed
	run -0 pario replay dd.trace "$DATA" --output replayed --repetitions 2 --quiet
	run -0 predict a b --replay replayed --replay_reference replayed --journal "$OUT"
	[[ $output == *replay*"90 % interval"* ]]
	alike "$(metric replay io_s)" "$(metric replay reference_io_s)"
	run -2 predict a b --model replay
	[[ $output == *"--replay RUN"*"pario replay dd.trace DIR"* ]]
	run -2 predict a b --replay "$OUT"
	[[ $output == *"holds no result of "*"pario replay"* ]]
}

@test "reference equal to target is a self-test, whose error is shown" {
	run -0 predict a a
	[[ $output =~ "this is a self-test. The model's own error is "[+-][0-9.]+" % of the I/O time." ]]
}

@test "sizes far outside of what was characterized are marked" {
	run -0 predict a small
	[[ $output == *"Extrapolation: "*" % of the predicted I/O time is of sizes"* ]]
	run -0 predict a b
	[[ $output != *Extrapolation* ]]
}

@test "an unstable system makes the prediction worth little, and that is said" {
	system noisy noise=35
	run -0 predict a noisy
	[[ $output == *target*"35 %"* ]]
}

@test "files that are cold there are read from the device" {
	cd "$BATS_FILE_TMPDIR"
	system disk filesystem=ext4
	head -c 1m /dev/urandom >input
	pario trace --quiet -o read.trace -- dd if=input of=/dev/null bs=64k status=none
	for start in cold warm; do
		rm -rf "$OUT"
		run -0 pario predict read.trace --reference a.json --target disk.json --initial $start --model model --journal "$OUT"
		metric model read_s >$start
	done
	# the read that finds the end costs 1e-5 s, cold or warm
	alike "$(awk '{ printf "%.12g", $1 - 1e-5 }' cold)" "$(awk '{ printf "%.12g", 10 * ($1 - 1e-5) }' warm)"
}

# classes: name and number of calls, of the journal in $OUT
classes()
{
	jq -r 'select(.sheets.classes) | .sheets.classes.rows[] | "\(.[1]) \(.[0])"' "$OUT/journal.jsonl"
}

@test "what a stream does to its file is worked out from its buffer" {
	cd "$BATS_FILE_TMPDIR"
	rm -rf "$OUT"
	gcc -w -x c -o stream - <<-END
		#include <stdio.h>
		int main(void)
		{
			FILE *f = fopen("log", "w");
			for (int i = 0; i < 1000; i++)
				fwrite("twenty bytes a line\\n", 1, 20, f);
			return fclose(f);
		}
	END
	pario trace --quiet -o stream.trace -- ./stream
	run -0 pario predict stream.trace --reference a.json --target b.json --journal "$OUT"
	# 20000 bytes: four buffers of 4096, and the rest when it is closed
	classes | grep -qx "5 write up to 4 KiB, sequential, absorbed"

	# a buffer that is just full waits for the next byte: the call that brings it makes the system call
	system slow call=1e-2
	rm -rf "$OUT"
	gcc -w -x c -o stream - <<-END
		#include <stdio.h>
		int main(void)
		{
			FILE *f = fopen("log", "w");
			for (int i = 0; i < 4096; i++)
				fputc('a', f);
			fwrite("b", 1, 1, f);
			return fclose(f);
		}
	END
	pario trace --quiet -o full.trace -- ./stream
	run -0 pario predict full.trace --reference slow.json --target slow.json --journal "$OUT"
	jq -es '[.[] | select(.sheets.sites)][0].sheets.sites.rows | [.[] | select(.[1] == "fwrite")][0][4] > 1e-3' "$OUT/journal.jsonl"
}

@test "the first read tells whether a file was in memory, not a slow one after it" {
	cd "$BATS_FILE_TMPDIR"
	system disk filesystem=ext4 call=2e-3 trans=1e-16
	truncate -s 128m input
	cat input >/dev/null
	# the second one takes longer than reads from memory do there, and than many from the device
	pario trace --quiet -o warm.trace -- "$PYTHON" -c 'import os
f = os.open("input", os.O_RDONLY)
os.read(f, 4096)
os.read(f, 128 << 20)'
	rm -rf "$OUT"
	run -0 pario predict warm.trace --reference disk.json --target disk.json --model model --journal "$OUT"
	classes | grep -qx "1 read up to 4 KiB, sequential, hit"
	rm input
}

@test "a read that was held up does not make a file one that was not in memory" {
	cd "$BATS_FILE_TMPDIR"
	# reading from the device takes no longer than an interruption
	system quick filesystem=ext4 call=8e-6 trans=1e-16
	for i in $(seq 30); do echo "$i" >"small$i"; done
	truncate -s 16m large
	cat small* large >/dev/null
	pario trace --quiet -o held.trace -- "$PYTHON" -c 'import os
for i in range(1, 31):
    os.read(os.open("small%d" % i, os.O_RDONLY), 4096)
os.read(os.open("large", os.O_RDONLY), 16 << 20)'
	rm -rf "$OUT"
	run -0 pario predict held.trace --reference quick.json --target quick.json --model model --journal "$OUT"
	classes >seen
	grep -q "^1 read up to 16 MiB, .*hit" seen
	run -1 grep miss seen
	rm small* large
}

@test "a first read that waits for whoever stores the file does not make it cold" {
	cd "$BATS_FILE_TMPDIR"
	# whatever the read takes, it is slower than this device
	system fuse filesystem=fuse call=1e-12 trans=1e-16 found_read_seconds=1
	system whole filesystem=fuse call=1e-12 trans=1e-16
	head -c 6000 /dev/zero >odd
	pario trace --quiet -o odd.trace -- dd if=odd of=/dev/null bs=8k status=none
	rm -rf "$OUT"
	run -0 pario predict odd.trace --reference fuse.json --target whole.json --journal "$OUT"
	classes | grep -qx "1 read up to 8 KiB, sequential, hit"
	rm -rf "$OUT"
	run -0 pario predict odd.trace --reference whole.json --target whole.json --journal "$OUT"
	classes | grep -qx "1 read up to 8 KiB, random by 8 KiB, miss"
	rm odd
}

@test "MPI's own threads do not make a program last longer" {
	cd "$BATS_FILE_TMPDIR"
	command -v mpiexec.openmpi >/dev/null || skip "mpiexec.openmpi is not installed"
	rm -rf "$OUT"
	mpicc.openmpi -w -x c -o ranks - <<-END
		#include <fcntl.h>
		#include <mpi.h>
		#include <stdlib.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			char *block = calloc(1, 1 << 20);
			int fd;

			MPI_Init(&argc, &argv);
			fd = open("ranked", O_CREAT | O_WRONLY, 0600);
			for (int i = 0; i < 100; i++)
				write(fd, block, 1 << 20);
			close(fd);
			MPI_Finalize();
			return 0;
		}
	END
	pario trace --quiet -o ranks.trace -- mpiexec.openmpi --allow-run-as-root -n 1 ./ranks
	rm -f ranked
	system never call=1e-12 trans=1e-16
	run -0 pario predict ranks.trace --reference never.json --target never.json --model model --journal "$OUT"
	# without its I/O it is over as much earlier
	"$PYTHON" -c 'import sys; io, was, is_ = map(float, sys.argv[1:]); assert is_ < was - io / 2, (io, was, is_)' \
		"$(metric model reference_io_s)" "$(metric model reference_makespan_s)" "$(metric model makespan_s)"
}

# scaled TRACE FACTOR: the makespan where the program computes so many times as long, over that of the trace.
scaled()
{
	rm -rf "$OUT"
	pario predict "$1" --reference never.json --target never.json --think "$2" --journal "$OUT" >scaled.txt
	"$PYTHON" -c 'import sys; a, b = map(float, sys.argv[1:]); print(a / b)' \
		"$(metric model makespan_s)" "$(metric model reference_makespan_s)"
}

within() { "$PYTHON" -c 'import sys; low, value, high = map(float, sys.argv[1:]); assert low < value < high, value' "$@"; }

@test "who waits for whom through pipes, sockets and ends of processes goes on when the other one does" {
	cd "$BATS_FILE_TMPDIR"
	system never call=1e-12 trans=1e-16
	# the program itself: a wrapper of it would be a dozen of shells
	python=$("$PYTHON" -c 'import sys; print(sys.executable)')
	for shape in pipe socket reader shell; do
		pario trace --quiet --force -o waits.trace -- "$python" "$PARIO_SOURCE/test/cli/waits.py" $shape
		echo $shape
		within 0.9 "$(scaled waits.trace 1)" 1.1
		# it computes most of the time, so what is left is little but the time that waking up takes
		within 0 "$(scaled waits.trace 0.01)" 0.6
		within 2 "$(scaled waits.trace 3)" 3.2
		[[ $(<scaled.txt) != *"other end is not in the trace"* && $(<scaled.txt) != *"never came"* ]]
	done
	# what comes from outside takes as long as it did
	{ sleep 1; echo x; } | pario trace --quiet --force -o waits.trace -- cp /dev/stdin copied
	within 0.8 "$(scaled waits.trace 0.01)" 1.1
	[[ $(<scaled.txt) == *"calls on pipes and sockets"*"other end is not in the trace"* ]]
}

@test "waiting in MPI_File_close is no work of the storage: it ends when the last rank comes" {
	cd "$BATS_FILE_TMPDIR"
	mpicc.openmpi -w -x c -o closing - <<-END
		#include <fcntl.h>
		#include <mpi.h>
		#include <stdlib.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			char *block = calloc(1, 1 << 20);
			int rank, fd;
			MPI_File file;

			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			MPI_File_open(MPI_COMM_WORLD, "closing.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
			if (rank == 1) {
				fd = open("ranked", O_CREAT | O_WRONLY, 0600);
				for (int i = 0; i < 200; i++) {
					pwrite(fd, block, 1 << 20, (i % 20) << 20);
					fdatasync(fd);
				}
				close(fd);
			}
			MPI_File_close(&file);
			MPI_Finalize();
			return 0;
		}
	END
	pario trace --quiet --force -o closing.trace -- mpiexec.openmpi --allow-run-as-root --oversubscribe -n 2 ./closing
	rm -f ranked closing.data
	system never call=1e-12 trans=1e-16
	rm -rf "$OUT"
	run -0 pario predict closing.trace --reference never.json --target never.json --journal "$OUT"
	# rank 0 waits in it as long as rank 1 writes, which takes no time there
	"$PYTHON" -c 'import sys; write, was, left = map(float, sys.argv[1:]); assert was > 0.8 * write and left < was - 0.8 * write, (write, was, left)' \
		"$(metric model reference_write_s)" "$(metric model reference_metadata_s)" "$(metric model metadata_s)"
}

@test "directories, locks and names that are not there have costs of their own" {
	cd "$BATS_FILE_TMPDIR"
	rm -rf "$OUT"
	gcc -w -x c -o names - <<-END
		#include <fcntl.h>
		#include <sys/stat.h>
		#include <unistd.h>
		int main(void)
		{
			struct flock lock = { .l_type = F_WRLCK };
			struct stat st;
			int fd = open("lock", O_RDWR | O_CREAT, 0600);

			for (int i = 0; i < 3; i++)
				fcntl(fd, F_SETLK, &lock);
			for (int i = 0; i < 7; i++)
				stat("nowhere", &st);
			open("nowhere", O_RDONLY);
			access("nowhere", F_OK);
			unlink("nowhere");
			mkdir("d", 0700);
			return unlinkat(AT_FDCWD, "d", AT_REMOVEDIR);
		}
	END
	pario trace --quiet -o names.trace -- ./names
	run -0 pario predict names.trace --reference a.json --target b.json --journal "$OUT"
	classes | grep -qx "1 rmdir"
	classes | grep -qx "3 lock"
	classes | grep -qx "10 absent"
}

@test "syncs of bytes that were written over, and of directories, have costs of their own" {
	cd "$BATS_FILE_TMPDIR"
	rm -rf "$OUT"
	gcc -w -x c -o syncs - <<-END
		#include <fcntl.h>
		#include <unistd.h>
		int main(void)
		{
			char page[4096] = "";
			int fd = open("file", O_RDWR | O_CREAT, 0600), directory = open(".", O_RDONLY);

			pwrite(fd, page, sizeof(page), 0);
			fdatasync(fd);
			fsync(directory);
			for (int i = 0; i < 3; i++) {
				pwrite(fd, page, sizeof(page), 0);
				fdatasync(fd);
			}
			pwrite(fd, page, sizeof(page), 0);
			fsync(fd);
			for (int i = 0; i < 2; i++) {
				rename(i ? "other" : "file", i ? "file" : "other");
				fsync(directory);
			}
			return unlink("file");
		}
	END
	pario trace --quiet -o syncs.trace -- ./syncs
	run -0 pario predict syncs.trace --reference a.json --target b.json --journal "$OUT"
	classes
	classes | grep -qx "1 fsync up to 4 KiB, sync"
	classes | grep -qx "3 fdatasync_again up to 4 KiB, sync"
	classes | grep -qx "1 fsync_again up to 4 KiB, sync"
	classes | grep -qx "2 fsync_directory, sync"
	classes | grep -qx "1 fsync_directory_again, sync"
	[[ $output == *"another path or operation"* ]]
}

@test "files that are not on the storage that was characterized do not count" {
	cd "$BATS_FILE_TMPDIR"
	mkdir -p on off
	pario trace --quiet -o two.trace -- sh -c 'head -c 65536 /dev/zero >on/f; head -c 65536 /dev/zero >off/f'
	"$PYTHON" - a.json on.json "$PWD/on" <<-END
		import json, sys
		system = json.load(open(sys.argv[1]))
		system["mount"]["point"] = sys.argv[3]
		json.dump(system, open(sys.argv[2], "w"))
	END
	for reference in a on; do
		rm -rf "$OUT"
		run -0 pario predict two.trace --reference $reference.json --target b.json --journal "$OUT"
		[[ $output != *"No file of the trace lies below"* ]]
		jq -r 'select(.sheets.classes) | [.sheets.classes.rows[] | select(.[0] | startswith("write")) | .[2]] | add' \
			"$OUT/journal.jsonl" >$reference.bytes
	done
	[ "$(cat a.bytes)" -eq 131072 ]
	[ "$(cat on.bytes)" -eq 65536 ]
	# where none is, all count, and it is said
	sed -i "s:$PWD/on:$PWD/elsewhere:" on.json
	run -0 pario predict two.trace --reference on.json --target b.json
	[[ $output == *"below $PWD/elsewhere"* ]]
}

@test "a program without I/O has nothing to predict, and neither has its profile" {
	cd "$BATS_FILE_TMPDIR"
	pario trace --quiet -o true.trace -- true
	run -2 pario predict true.trace --reference a.json --target b.json
	[[ $output == *"true.trace holds no I/O"* ]]
	rm -rf true.profile
	run -0 pario profile true.trace --journal true.profile
	run -2 pario predict true.profile --reference a.json --target b.json
	[[ $output == *"true.profile holds no I/O"* ]]
}

@test "a profile is enough, and its ratios are those of the trace" {
	local from
	cd "$BATS_FILE_TMPDIR"
	rm -rf dd.profile
	run -0 pario profile dd.trace --journal dd.profile
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" dd.profile/journal.jsonl
	for from in dd.trace dd.profile dd.profile/journal.jsonl; do
		rm -rf "$OUT"
		run -0 --separate-stderr pario predict $from --reference a.json --target b.json --journal "$OUT" --explain
		for name in read_s write_s metadata_s io_s makespan_s reference_io_s; do metric ratio $name; done >"$(basename $from).figures"
	done
	paste dd.trace.figures dd.profile.figures | awk '{ d = $1 - $2 } d * d > 1e-18 * $1 * $1 { exit 1 }'
	cmp dd.profile.figures journal.jsonl.figures
	[[ $output == *"(a profile)"*"What dominates on the target (the path is inferred on the reference)"*Why:*"This is from a profile. Not modelled are"* ]]
	[[ $output != *"Call sites"* ]]
	# every class twice as long, but for what of the reference's own times is carried over
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" "$OUT/journal.jsonl"
	metric hybrid io_s >twice
	[ -z "$(metric model io_s)" ]
	rm -rf "$OUT"
	run -0 pario predict dd.profile --reference a.json --target a.json --journal "$OUT"
	OUT=same carried "$(OUT=same metric model io_s | awk '{ printf "%.12g", 2 * $1 }')" "$(cat twice)" "$(metric hybrid io_s)"
	# and the page
	run -0 --separate-stderr pario predict dd.profile --reference a.json --target b.json --html -
	grep -q "Predicted times" <<<"$output"
	# what really happened may be a profile, too
	run -0 pario predict dd.profile --reference a.json --target b.json --actual dd.profile,dd.trace
	[[ $output == *"Accuracy in percent"*"over 2 runs"* ]]
}

@test "what a profile cannot tell is refused" {
	cd "$BATS_FILE_TMPDIR"
	rm -rf part.profile whole.profile
	run -0 pario profile dd.trace --journal whole.profile
	run -2 pario predict whole.profile --reference a.json --target b.json --model model
	[[ $output == *"--model model"*"whole.profile is a profile"* ]]
	run -2 pario predict whole.profile --reference a.json --target b.json --initial cold
	[[ $output == *"--initial needs the trace"* ]]
	run -2 pario predict whole.profile --reference a.json --target b.json --think 2
	[[ $output == *"--think needs the trace"* ]]
	run -0 pario profile dd.trace --journal part.profile --from 0.000001
	run -2 pario predict part.profile --reference a.json --target b.json
	[[ $output == *"part.profile holds no classes of calls"* ]]
	rm -rf "$OUT"
	run -0 predict a b --journal "$OUT"
	run -2 pario predict "$OUT" --reference a.json --target b.json
	[[ $output == *"is no profile"* ]]
}

@test "a SYSTEM of another schema, and what is none, are refused with a sentence" {
	system newer schema=pario-system/2
	run -2 predict a newer
	[[ $output == *"newer.json"*pario-system/2*pario-system/1* ]]
	echo "notes" >"$BATS_FILE_TMPDIR/notes.json"
	run -2 predict notes a
	[[ $output == *notes.json*"line 1"*"pario characterize"* ]]
	echo '{"schema":"pario-system/1","name":"none"}' >"$BATS_FILE_TMPDIR/bare.json"
	run -2 predict a bare
	[[ $output == *'bare.json is damaged: "surfaces" is missing or empty'* ]]
	run -3 predict gone a
	[[ $output == *"gone.json cannot be opened: no such file or directory (ENOENT). Check the spelling." ]]
}

@test "of a trace of version 1 is said what cannot be modelled" {
	cd "$BATS_FILE_TMPDIR"
	run -0 pario predict "$PARIO_SOURCE/test/trace/version1.trace" --reference a.json --target b.json
	[[ $output == *"version 1"*ranks* ]]
}

@test "what is missing on the command line is asked for" {
	cd "$BATS_FILE_TMPDIR"
	run -2 pario predict
	[[ $output == *"which trace?"* ]]
	run -2 pario predict dd.trace --reference a.json
	[[ $output == *"--target is missing"* ]]
	run -2 pario predict a.json --reference a.json --target b.json
	[[ $output == *"a.json is not a trace of pario"* ]]
	run -2 pario predict dd.trace --reference a.json --target b.json --journal -
	[[ $output == *"Name a directory"* ]]
	[ ! -e - ]
}
