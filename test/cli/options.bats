#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# Options: where values come from, what is refused and how, and what sweeps become.

load lib

# shown NAME: value and origin that --show_config prints.
shown()
{
	sed -nE "s/^$1 = ([^#]*[^# ]) +# (.*)/\1 \2/p" <<<"$output"
}

# settings TEXT: what --show_config printed, without origins and without what chose the printing.
settings()
{
	printf '%s\n' "$1" | sed -E 's/ *#[^#"]*$//; /^(show_config|plan) =/d'
}

# planned ARGUMENTS...: a dry run that must succeed.
planned()
{
	run -0 --separate-stderr transfer --dry_run --repetitions 1 "$@"
}

# ---- where values come from ----

@test "default, plan, environment and command line, each beats the one before" {
	printf 'transfer_size = 2k\nblock_size = 32k\nsegment_count = 5\n' >plan
	run -0 transfer --show_config
	[ "$(shown transfer_size)" = "1m default" ]
	run -0 transfer --show_config --plan plan
	[ "$(shown transfer_size)" = "2k plan" ]
	PARIO_TRANSFER_SIZE=4k PARIO_BLOCK_SIZE=64k run -0 transfer --show_config --plan plan
	[ "$(shown transfer_size)" = "4k environment" ]
	PARIO_TRANSFER_SIZE=4k PARIO_BLOCK_SIZE=64k run -0 transfer --show_config --plan plan --transfer_size 8k
	[ "$(shown transfer_size)" = "8k command line" ]
	[ "$(shown block_size)" = "64k environment" ]
	[ "$(shown segment_count)" = "5 plan" ]
	[ "$(shown header_bytes)" = "0 default" ]
	untouched
}

@test "the order of the sources on the command line does not matter" {
	echo 'transfer_size = 2k' >plan
	run -0 transfer --transfer_size 8k --show_config --plan plan
	[ "$(shown transfer_size)" = "8k command line" ]
}

@test "--show_config can be read back as a plan" {
	run -0 --separate-stderr transfer --show_config --transfer_size 4k,8k --label 'a # "b" ; c' --hint cb_nodes=2 \
		--hint other=x --api mpiio --pointer individual --layout per_client
	settings "$output" >plan
	run -0 --separate-stderr transfer --show_config --plan plan
	settings "$output" >second
	diff plan second
	grep -q 'transfer_size = 4k,8k' second
}

@test "whatever --show_config prints is itself a plan, comments and all" {
	transfer --show_config --transfer_size 4k >plan
	sed -i 's/^show_config.*//; s/^plan = .*//' plan
	planned --plan plan --block_size 64k --clients 1
}

@test "the environment is taken by the test itself" {
	PARIO_TRANSFER_SIZE=4k PARIO_OPERATIONS=write measure --block_size 64k --clients 1 --repetitions 1
	[ "$(field phase ops)" = "write 16" ]
}

@test "a bad value in the environment is refused by its name" {
	PARIO_TRANSFER_SIZE=4kk refuse --clients 1
	says "PARIO_TRANSFER_SIZE"
}

@test "a section of a plan holds for its test only" {
	printf '[other]\nwhatever = 3\n[transfer]\nsegment_count = 7\n' >plan
	run -0 transfer --show_config --plan plan
	[ "$(shown segment_count)" = "7 plan" ]
}

@test "a plan with an unknown key is refused with file, line and a proposal" {
	printf '\ntransfer_sise = 4k\n' >plan
	refuse --plan plan
	says "plan:2:"
	says "did you mean 'transfer_size'?"
}

@test "a plan that is not there is refused" {
	run -3 --separate-stderr transfer "${SMALL[@]}" --plan nowhere
	says "nowhere"
	says "ENOENT"
	one_sentence
	untouched
}

@test "dashes and underscores, spaces and equals signs are the same" {
	run -0 transfer --show_config --transfer-size=8k --block_size 16k
	[ "$(shown transfer_size)" = "8k command line" ]
	[ "$(shown block_size)" = "16k command line" ]
}

@test "the letters that users of other benchmarks know" {
	run -0 transfer --show_config -t 4k -b 1m -s 3 -F -a mpiio -c -i 7 -k -z -D 5 -Y
	[ "$(shown transfer_size)" = "4k command line" ]
	[ "$(shown block_size)" = "1m command line" ]
	[ "$(shown segment_count)" = "3 command line" ]
	[ "$(shown layout)" = "per_client command line" ]
	[ "$(shown api)" = "mpiio command line" ]
	[ "$(shown collective)" = "1 command line" ]
	[ "$(shown repetitions)" = "7 command line" ]
	[ "$(shown keep_files)" = "1 command line" ]
	[ "$(shown order)" = "random command line" ]
	[ "$(shown time_limit)" = "5 command line" ]
	[ "$(shown sync)" = "1 command line" ]
}

@test "hints are options under their own names" {
	measure "${SMALL[@]}" --api mpiio --cb_nodes 1 --hint made_up_hint=5 --operations write
	run -0 "$PYTHON" "$CLI/journal.py" notes "$OUT/journal.jsonl"
	[[ $output == *cb_nodes=1* ]]
	[[ $output == *"made_up_hint=5 (requested, not confirmed)"* ]]
}

# ---- what is refused ----

@test "an unknown option is refused, with a proposal" {
	refuse --transfer_sise 4k
	says "unknown option --transfer_sise; did you mean --transfer_size?"
}

@test "a long option with one dash is understood as a mistake" {
	refuse -transfer_size 4k
	says "did you mean --transfer_size?"
}

@test "an unknown value is refused, with a proposal" {
	refuse --pattern segmentd
	says "did you mean 'segmented'?"
	refuse --operations write,raed
	says "did you mean 'read'?"
	refuse --layout zzz
	says "it takes shared, per_client"
}

@test "fdatasync is refused where nothing is synced, or not by pario" {
	refuse --fdatasync --durability cached
	says "--fdatasync says how sustained writes end"
	refuse --fdatasync --api mpiio
	says "does not support --fdatasync. Use --api posix, uring or mmap"
}

@test "an unknown backend is refused, with a proposal" {
	refuse --api posux
	says "did you mean posix?"
	refuse --api something_else
	says "pario list"
}

@test "an unknown test is refused, with a proposal" {
	run -2 --separate-stderr pario run transfr
	says "unknown test transfr; did you mean transfer?"
	one_sentence
}

@test "an unknown command is refused, with a proposal" {
	run -2 --separate-stderr pario lsit
	says "unknown command lsit; did you mean list?"
	one_sentence
}

@test "run without a test asks which" {
	run -2 --separate-stderr pario run
	says "which test?"
	one_sentence
}

@test "a stray word is refused" {
	refuse 4k
	says "unexpected word '4k'"
}

@test "an option without its value is refused" {
	refuse --transfer_size
	says "--transfer_size needs a value"
	refuse --transfer_size --block_size 4k
	says "--transfer_size needs a value"
}

@test "sizes that are none: -1 0 1e30 16E 4kk '' 0x10 nan ' 4k'" {
	local bad

	for bad in -1 0 1e30 16E 4kk '' 0x10 nan ' 4k' 99999999999999999999 16384p; do
		refuse "--transfer_size=$bad"
		says "'$bad'"
	done
}

@test "counts that are none" {
	refuse --segment_count 0
	refuse --repetitions 0
	refuse --repetitions -3
	refuse --clients 0
	refuse --clients sweeep
	says "--clients does not take 'sweeep'. Write counts as a list such as 1,2,4, or \`sweep\` for"
	refuse --clients 1,x
	refuse --seed -1
	refuse --read_shift x
	refuse --queue_depth 0 --api uring
}

@test "a switch takes only yes and no" {
	refuse --collective=2 --api mpiio
	says "--collective does not take '2'"
}

@test "size, clients and segments that overflow are refused" {
	refuse --block_size 4p --segment_count 4096
	says "2^63"
	refuse --block_size 8191p --transfer_size 1p --clients 2 --segment_count 1 --api null
	refuse --stride_padding 16383p --segment_count 1000 --pattern strided
	says "2^63"
	refuse --header_bytes 16383p
	says "2^63"
	refuse --block_size 1p --transfer_size 1k --segment_count 18446744073709551615
	says "2^63"
	refuse --dry_run --header_bytes 18446744073709551615
	says "2^63"
}

@test "items times their bytes that overflow are refused" {
	run -2 --separate-stderr pario run metadata --dry_run --items 1t --write_bytes 4m --dir "$DATA"
	one_sentence
	says "2^63"
}

@test "more clients than were started are refused" {
	refuse --np 1 --clients 4
	says "--clients 4 needs as many processes, but 1 were started"
}

@test "an option of a backend that is not used is refused" {
	refuse --pointer shared
	says "--pointer is an option of the backend mpiio"
	says "--api mpiio"
	refuse --api uring --fail_at 3
	says "--api null"
}

@test "an option of a backend that is used by some points is fine" {
	planned "${SMALL[@]}" --api posix,mpiio --pointer shared
}

@test "collective needs a backend that can" {
	refuse --collective --api uring
	says "the backend uring does not support --collective"
	says "mpiio, hdf5 or pnetcdf"
}

@test "a queue needs a backend that can" {
	refuse --queue_depth 4 --api posix
	says "--api uring or mpiio"
	refuse --queue_depth 4 --api mpiio --collective
	says "collective=0"
	refuse --queue_depth 4 --api mpiio --pointer individual
	says "pointer=explicit"
}

@test "direct I/O needs a backend that can, and aligned places" {
	refuse --direct --api mmap
	says "the backend mmap does not support --direct"
	refuse --direct --transfer_size 1000 --block_size 10000
	says "multiples of 512"
	refuse --direct --header_bytes 100
	says "multiples of 512"
}

@test "segmented is one segment" {
	refuse --pattern segmented --segment_count 4
	says "--pattern strided"
	refuse --pattern segmented --stride_padding 1
	says "--pattern strided"
}

@test "a block is made of whole transfers" {
	refuse --block_size 40k
	says "--block_size 40960 is not a multiple of --transfer_size 16384"
	refuse --pattern random --block_size 40001
	says "random transfer sizes"
	refuse --pattern random --transfer_size 4095 --block_size 40950
	says "a multiple of 2"
}

@test "a shared pointer needs a file without gaps, in order" {
	refuse --api mpiio --pointer shared --stride_padding 4k
	says "shared file pointer"
	refuse --api mpiio --pointer shared --order random
	refuse --api mpiio --pointer shared --layout per_client
	refuse --api mpiio --pointer shared --pattern random
	refuse --api mpiio --pointer shared --file_view
}

@test "a file view needs mpiio and a regular pattern on a shared file" {
	refuse --file_view
	says "--api mpiio"
	refuse --file_view --api mpiio --layout per_client
	says "regular pattern"
	refuse --file_view --api mpiio --pattern random
	says "regular pattern"
}

@test "hdf5 has no queue and no preallocation" {
	has_backend "$PARIO" hdf5 || skip "built without HDF5"
	refuse --api hdf5 --queue_depth 2
	refuse --api hdf5 --preallocate
}

@test "a backend that is not built is refused with the reason" {
	need_mpich
	! has_backend "$PARIO_MPICH" pnetcdf || skip "this build with MPICH has every backend"
	PARIO=$PARIO_MPICH
	run -3 --separate-stderr transfer "${SMALL[@]}" --api pnetcdf
	says "the backend pnetcdf is not available: "
	one_sentence
	untouched
}

# ---- sweeps ----

@test "a sweep leaves out what cannot run, says why, and succeeds" {
	measure --api null --operations write --repetitions 1 --block_size 64k --transfer_size 4k,24k,64k --clients 1,2
	[ "$(field point clients outcome | sed 's/suspect/pass/')" = "transfer_size=4k 1 pass
transfer_size=4k 2 pass
transfer_size=24k 1 skip
transfer_size=24k 2 skip
transfer_size=64k 1 pass
transfer_size=64k 2 pass" ]
	[ "$(field reason | sed -n 3p)" = "--block_size 65536 is not a multiple of --transfer_size 24576." ]
	[ "$(end exit_code)" = 0 ]
}

@test "a sweep of which nothing can run is refused with the first reason" {
	refuse --transfer_size 24k,48k
	says "--transfer_size 24576"
}

@test "lists sweep in the order of the options, the last varies fastest, clients within" {
	measure --api null --operations write --repetitions 1 --transfer_size 4k,8k --layout shared,per_client \
		--block_size 64k --order sequential,random --clients 2,1
	[ "$(field point clients | head -n 6)" = "layout=shared order=sequential transfer_size=4k 2
layout=shared order=sequential transfer_size=4k 1
layout=shared order=sequential transfer_size=8k 2
layout=shared order=sequential transfer_size=8k 1
layout=shared order=random transfer_size=4k 2
layout=shared order=random transfer_size=4k 1" ]
	[ "$(field point_index | uniq | xargs)" = "0 1 2 3 4 5 6 7" ]
}

@test "one launch measures 1, 2 and 3 clients" {
	measure --operations write --repetitions 1 --block_size 64k --transfer_size 64k --clients 1,2,3
	[ "$(field clients bytes)" = "1 65536
2 131072
3 196608" ]
}

@test "ranges double, or go in steps" {
	measure --api null --operations write --repetitions 1 --block_size 64k --transfer_size 16k..64k --clients 1..3:+1
	[ "$(field clients | xargs)" = "1 2 3 1 2 3 1 2 3" ]
	[ "$(field point | uniq | xargs)" = "transfer_size=16k transfer_size=32k transfer_size=64k" ]
}

@test "a sweep with too many points is refused" {
	refuse --transfer_size 1..2000:+1 --block_size 1..2000:+1
	says "points"
}

@test "the phases come in their order, whatever the order they are asked in" {
	measure "${SMALL[@]}" --api null --operations read,rewrite,write
	[ "$(field phase | xargs)" = "write rewrite read" ]
}

@test "repetitions are counted from 0" {
	measure "${SMALL[@]}" --api null --operations write --repetitions 3
	[ "$(field repetition | xargs)" = "0 1 2" ]
}

# ---- dry run ----

@test "--dry_run prints points, bytes, files and space, and writes nothing" {
	planned --transfer_size 4k,16k,24k --block_size 64k --layout shared,per_client --clients 1,2 --operations write,read
	echo "$output"
	[[ ${lines[0]} == "transfer: 12 points"*" 4 skipped, 1 repetition" ]]
	[[ $output == *"point 0  1 client  layout=shared transfer_size=4k  write,read  64 KiB per phase  1 file of 64 KiB"* ]]
	[[ $output == *"point 4  2 clients  layout=per_client transfer_size=16k  write,read  128 KiB per phase  2 files of 64 KiB"* ]]
	[[ $output == *"skip: --block_size 65536"* ]]
	[[ $output == *"moves 1.5 MiB in all; uses at most 128 KiB in 2 files in "* ]]
	[[ $output == *" free; nothing was written"* ]]
	untouched
}

@test "--dry_run says nothing of bytes that only the run knows" {
	local test
	for test in overlap beff metadata; do
		run "$PARIO" run $test --np 2 --dir "$DATA" --dry_run
		echo "$output"
		[ "$status" -eq 0 ]
		[[ $output != *"0 B per phase"* && $output != *"file of 0 B"* && $output != *"moves 0 B"* ]]
		[[ $output == *$'\n'"uses at most "* ]]
	done
	# memory is known before: written and read once
	run -0 "$PARIO" run nht1_peak --np 2 --dir "$DATA" --dry_run --repetitions 1 --fraction 0.000001
	[[ $output == *"moves 4 MiB in all; uses at most 2 MiB in 3 files"* ]]
}

@test "a test that opens its file itself takes no other --api, and sweeps over none" {
	local test
	for test in noncontig tile beff_io; do
		run "$PARIO" run $test --np 2 --dir "$DATA" --dry_run --api null
		[[ $status -eq 2 && $output == *"$test "*"--api null"* ]]
		PARIO_API=posix run "$PARIO" run $test --np 2 --dir "$DATA" --dry_run
		[[ $output != *"does not apply"* ]]
	done
}

@test "--dry_run of more than there is space for says so, exit 3" {
	run -3 --separate-stderr transfer --dry_run --block_size 1p --clients 1
	[[ $output == *"1 file of 1 PiB"* ]]
	says "this plan needs 1 PiB"
	untouched
}

@test "--dry_run with keep_files adds up the space of all points" {
	planned --transfer_size 4k,16k --block_size 64k --clients 1 --keep_files
	[[ $output == *"uses at most 128 KiB in 2 files"* ]]
}

# ---- help ----

@test "help, list and version answer on standard output" {
	run -0 --separate-stderr pario help
	[[ $output == *"pario run"* ]]
	[ -z "$stderr" ]
	run -0 --separate-stderr pario help transfer
	[[ $output == *--transfer_size* ]]
	[ -z "$stderr" ]
	run -0 --separate-stderr pario run transfer --help
	[[ $output == *--transfer_size* ]]
	[ -z "$stderr" ]
	run -0 --separate-stderr pario list
	[[ $output == *"  transfer "*"  posix "* ]]
	[ -z "$stderr" ]
	run -0 --separate-stderr pario --version
	[[ $output == "pario "[0-9]* ]]
	[ -z "$stderr" ]
}

@test "help for something unknown is refused" {
	run -2 --separate-stderr pario help zzz
	one_sentence
}

@test "a value that is no number is refused with a range and an example that fit the option" {
	refuse --repetitions many
	says "write a whole number from 1 to 1000000, such as 5."
	refuse --transfer_size big
	says "write a size in bytes from 1 to 1t, with k, m, g, t or p for powers of 1024, such as 1m."
	refuse --time_limit soon
	says "write a number of seconds from 0 to 1e6, such as 0.5."
	refuse --queue_depth 99999
	says "it must be from 1 to 4096 requests."
	refuse --verify maybe
	says "unexpected word 'maybe' after --verify, which takes 1 or 0"
}

@test "--quiet --print_path prints the result directory and nothing else" {
	run -0 --separate-stderr pario run transfer --dir "$DATA" "${SMALL[@]}" --quiet --print_path
	[ -z "$stderr" ] && [ "${#lines[@]}" -eq 1 ] && [ -s "$output/journal.jsonl" ] && [ -s "$output/report.html" ]
	run -0 --separate-stderr pario run transfer --dir "$DATA" "${SMALL[@]}" --quiet
	[ -z "$output$stderr" ]
}

@test "a variable that sets no option of any command is refused, those of other commands are not" {
	PARIO_TRANSFER_SIZ=4k refuse --clients 1
	says "PARIO_TRANSFER_SIZ sets no option of pario; did you mean PARIO_TRANSFER_SIZE?"
	PARIO_ABOUT_NOTHING=4k refuse --clients 1
	says "PARIO_ABOUT_NOTHING sets no option"
	PARIO_TRANSFER_SIZ=4k run -2 --separate-stderr pario doctor "$DATA"
	says "did you mean PARIO_TRANSFER_SIZE?"
	run -0 env PARIO_TRANSFER_SIZ='' PARIO_ITEMS=5 PARIO_MINUTES=2 PARIO_ROOT=/opt/pario PARIO_CB_NODES=4 \
		"$PARIO" run transfer --dir "$DATA" --dry_run --np 1
	PARIO_TRANSFER_SIZ=4k run -0 pario help transfer
	PARIO_TRANSFER_SIZ=4k run -0 pario list
}

# Open MPI chooses the implementation when it starts; what it was started with stands in the journal.
@test "--mpiio_impl, for every test that uses MPI-IO" {
	local words

	[[ $("$PARIO" --version) == *openmpi* ]] || skip "only Open MPI has two implementations"
	for words in "transfer --api mpiio --block_size 64k --transfer_size 64k" "transfer --api hdf5 --block_size 64k --transfer_size 64k" \
		"tile --sz_tile_x 8 --sz_tile_y 8" "noncontig --fsize 4k" "nht1_application --class S" "madbench2 --no_pix 50 --no_bin 2"; do
		[[ $words != *hdf5* ]] || has_backend "$PARIO" hdf5 || continue
		rm -rf "$OUT"
		# shellcheck disable=SC2086 # several words
		OMPI_MCA_io=ompio pario run $words --np 1 --repetitions 1 --mpiio_impl romio --dir "$DATA" --output "$OUT" --quiet
		[[ $(jq -r 'select(.kind == "begin") | .. | objects | .OMPI_MCA_io // empty' "$OUT/journal.jsonl") == romio* ]]
	done
	run -2 --separate-stderr pario run transfer --mpiio_impl romio --dir "$DATA"
	[[ $stderr == *--mpiio_impl* ]]
}

@test "of what is counted there is no half, and nothing about sizes is proposed" {
	run -2 pario run transfer --repetitions 1.5
	[[ $output == *"--repetitions "*1.5*" 1."* ]]
	run -0 --separate-stderr pario run transfer --block_size 1.5m --transfer_size 512k --repetitions 2.0 --dry_run
	for size in 16k 16384 1234.5 0.5m 1e3; do # a mean of bytes
		run -0 pario run training --sample_size $size --show_config 1
	done
	run -2 pario run training --sample_size 12q
}
