#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # variables of jq, and those that bats and lib.bash set and use
# The test `training`: every sample once an epoch, cold, in a new order; numbers that follow from the journal.

load lib
load ops

# 3 files of 40 samples of 3000 bytes, 7 samples a batch, 3 loaders.
SMALL=(--files 3 --samples_per_file 40 --sample_size 3000 --batch 7 --read_threads 3 --computation_time 0.001 --epochs 2
	--repetitions 1)

# numbers FILTER: what jq makes of the results of the phase train.
numbers()
{
	results "select(.phase == \"train\") | $1"
}

# proved EPOCHS SAMPLES: so many epochs had so many samples, each once.
proved()
{
	[ "$(numbers ".sheets.epochs | [.columns, .rows] | .[0] as \$c | .[1][]
		| [.[\$c | index(\"samples\")], .[\$c | index(\"whole\")], .[\$c | index(\"proved\")]]" | sort | uniq -c | tr -s ' ')" = " $1 [$2,1,1]" ]
}

@test "each sample once in each epoch, for 1, 2, 3, 4 and 7 accelerators, on both MPIs" {
	local n

	done_well training --np 7 --clients 1,2,3,4,7 "${SMALL[@]}"
	for n in 1 2 3 4 7; do
		[ "$(results "select(.clients == $n) | [.metrics.epochs_proved.value, .metrics.samples.value, .bytes]")" = "[2,120,720000]" ]
	done
	need_mpich
	PROGRAM=$PARIO_MPICH done_well training --np 3 "${SMALL[@]}"
	proved 2 120
}

@test "every format and backend that fit each other, with loaders or in the step" {
	local words

	for words in "--format raw" "--format raw --direct 1" "--format tfrecord --direct 1 --compare 1" "--api uring" \
		"--format npz --samples_per_file 1 --files 120 --sample_deviation 500" "--api mpiio --in_step 1" \
		"--api hdf5 --format hdf5 --in_step 1" "--api mmap --in_step 1" "--shuffle files" "--shuffle none --in_step 1" \
		"--compute busy --prefetch 0"; do
		[[ $words != *hdf5* ]] || has_backend "$PARIO" hdf5 || continue
		[[ $words != *uring* ]] || has_backend "$PARIO" uring || continue
		# shellcheck disable=SC2086 # several words
		done_well training --np 2 "${SMALL[@]}" $words
		proved 2 120
	done
}

@test "records are TFRecord's: another program reads their lengths, sums and data" {
	local file

	run -0 --separate-stderr operate training --np 2 "${SMALL[@]}" --keep_files 1
	for file in "$DATA"/*/training/*; do
		"$PYTHON" - "$file" <<-'EOF'
			import struct, sys
			def crc(data):
			    c = 0xffffffff
			    for b in data:
			        c ^= b
			        for _ in range(8):
			            c = c >> 1 ^ (0x82f63b78 if c & 1 else 0)
			    c ^= 0xffffffff
			    return ((c >> 15 | c << 17) + 0xa282ead8) & 0xffffffff
			data, at, count, seen = open(sys.argv[1], "rb").read(), 0, 0, set()
			while at < len(data):
			    length, head = struct.unpack_from("<QI", data, at)
			    body = data[at + 12:at + 12 + length]
			    assert head == crc(data[at:at + 8]), at
			    assert struct.unpack_from("<I", data, at + 12 + length)[0] == crc(body), at
			    at, count = at + 16 + length, count + 1
			    seen.add(body)
			assert at == len(data) and count == len(seen) == 40, (at, count, len(seen))
		EOF
	done
	rm -rf "${DATA:?}"/*
}

@test "what is read wrongly is found: sums of records, and which sample it is" {
	spoiled corrupt=pread@5:2000,path=/training/,rank=0 4 training --np 2 "${SMALL[@]}"
	results .reason | grep -q 'masked CRC-32C'
	spoiled corrupt=pread@5:13,path=/training/,rank=1 4 training --np 2 "${SMALL[@]}"
	spoiled corrupt=pread@5:0,path=/training/,rank=1 4 training --np 2 "${SMALL[@]}" --format raw
	spoiled corrupt=pread@5:2000,path=/training/,rank=1 4 training --np 2 "${SMALL[@]}" --format raw --compare 1
	spoiled fail=pread@7:EIO,path=/training/,rank=0 3 training --np 2 "${SMALL[@]}"
	spoiled corrupt=pwrite@3:500,path=/training/,rank=0 4 training --np 2 "${SMALL[@]}"
}

@test "nothing is cached when an epoch begins, or that is said" {
	done_well training --np 2 "${SMALL[@]}"
	[ "$(numbers '.sheets.epochs | .columns as $c | [.rows[] | .[$c | index("pages")] > 0] | all')" = true ]
	[ "$(numbers '.outcome == "suspect" or .cache.pages_resident == 0')" = true ]
	done_well training --np 2 "${SMALL[@]}" --cache warm
	numbers .reason | grep -q 'was not evicted'
}

@test "DLIO's definitions, worked out again from the journal, give the printed numbers" {
	done_well training --np 2 "${SMALL[@]}" --epochs 3
	[ "$(numbers '.sheets.epochs as $e | ($e.columns | with_entries({key: .value, value: .key})) as $c
		| ($e.rows | map(.[$c.compute_s]) | add) as $compute
		| ($e.rows | map(.[$c.seconds] - .[$c.first_wait_s]) | add) as $time
		| ($e.rows | map(.[$c.samples]) | add) as $samples | ($e.rows | map(.[$c.seconds]) | add) as $seconds
		| def near($a; $b): ($a - $b | fabs) < 1e-9 * ($b | fabs);
		near(.metrics.au_percent.value; 100 * $compute / $time) and near(.metrics.zeta.value; $time / $compute - 1)
		and near(.metrics.samples_s.value; $samples / $seconds)')" = true ]
	# 120 samples are 8 full steps of 14 and one of 8, whose larger batch has 7: nine steps compute.
	[ "$(numbers '[.metrics.steps.value, (.sheets.epochs.rows[0][7] - 0.009 | fabs < 1e-9)]')" = "[9,true]" ]
}

@test "without storage: loaders wait as planted, and none of it counts as computing" {
	# Each loader needs 7 x 20 ms for a batch, and three work at once: after the first step 17 compute for 20 ms, and the last
	# three batches come 5 x 140 ms later. That is 340 of 740 ms, or less where the machine is busy.
	done_well training --np 1 "${SMALL[@]}" --api null --delay 20000 --computation_time 0.02 --epochs 1 --shuffle none
	[ "$(numbers '.metrics | .au_percent.value < 47 and .first_wait_s.value >= 0.14 and .loader_p50_s.value >= 0.0198')" = true ]
	done_well training --np 2 "${SMALL[@]}" --api null --in_step 1 --delay 1000 --computation_time 0 --epochs 1
	[ "$(numbers '.metrics.au_percent.value')" = 0 ]
}

@test "how many accelerators: doubling and halving, with what each number showed" {
	# Batches come in 2.1 ms, and with four accelerators in 4.2: no more than a fraction of what steps compute.
	done_well training --np 4 "${SMALL[@]}" --files 9 --read_threads 1 --accelerators auto --api null --delay 300 --slow_clients 3 \
		--slow_factor 2 --computation_time 0.05 --min_au 30 --search_steps 4 --search_epochs 2
	[ "$(results 'select(.phase == "search") | .sheets.accelerators.rows | map(.[0])')" = "[1,2,4]" ]
	[ "$(results 'select(.phase == "search") | .metrics.accelerators_most.value')" = 4 ]
	# What no storage can give, no number keeps.
	done_well training --np 4 "${SMALL[@]}" --accelerators auto --api null --delay 10000 --computation_time 0.001 --min_au 100 \
		--search_steps 2 --search_epochs 2
	[ "$(results 'select(.phase == "search") | [.metrics.accelerators_most.value, (.sheets.accelerators.rows | map(.[0]))]')" = "[0,[1]]" ]
	[ "$(numbers .metrics.accelerators.value)" = 1 ]
	done_well training --np 3 "${SMALL[@]}" --accelerators 2
	[ "$(numbers '[.metrics.accelerators.value, (.sheets.clients.rows | map(.[1]) | .[2])]')" = "[2,0]" ]
	proved 2 120
}

@test "a time limit ends an epoch after a step of all, and what was taken until then is proved" {
	done_well training --np 2 "${SMALL[@]}" --epochs 1000000 --computation_time 0.01 --time_limit 0.5
	[ "$(numbers '.sheets.epochs | .columns as $c | [.rows[] | .[$c | index("proved")]] | unique')" = "[1]" ]
}

@test "a kept data set is read again, and one of another seed is refused" {
	local kept

	run -0 --separate-stderr operate training --np 2 "${SMALL[@]}" --keep_files 1 --seed 5
	kept=$(find "$DATA" -type d -name training)
	sums "$kept" >before
	run -0 --separate-stderr operate training --np 3 "${SMALL[@]}" --from "$kept" --seed 5
	proved 2 120
	sums "$kept" | diff before -
	run -4 --separate-stderr operate training --np 2 "${SMALL[@]}" --from "$kept" --seed 6
	rm -rf "${DATA:?}"/*
}

@test "how many loaders: the number from which AU no longer rises, as planted" {
	once_of 3
	# A loader needs 120 ms for a batch that is computed in 40: three keep up, two do not.
	done_well training --np 1 "${SMALL[@]}" --api null --batch 6 --delay 20000 --computation_time 0.04 --read_threads 1,2,4,8 \
		--epochs 3 --shuffle none
	grep '^1 accelerator: AU no longer rises from 4 loaders on: 1 reach [23].*, 4 reach .*, 8 reach ' "$OUT/training.txt"
}

@test "what does not conform says why" {
	done_well training --np 2 "${SMALL[@]}"
	grep -qE "^NOT CONFORMING: the workload's own values \(0 of 1\), bytes of the data set .*steps of an epoch \(9 of 500\), whole epochs \(2 of 5\), runs \(1 of 5\)" \
		"$OUT/training.txt"
	grep -q 'Not an official MLPerf Storage result' "$OUT/training.txt"
}

@test "contradictions get a sentence" {
	local arguments

	for arguments in "--api mpiio" "--api hdf5 --format hdf5" "--format hdf5" "--format npz" "--sample_deviation 5" "--accelerators 3" \
		"--accelerators 0" "--queue_depth 4 --api uring" "--collective 1 --api mpiio --in_step 1" "--files 1g --sample_size 1e12"; do
		# shellcheck disable=SC2086 # several words
		run -2 --separate-stderr operate training --np 2 "${SMALL[@]}" $arguments
		one_sentence
		untouched
	done
}
