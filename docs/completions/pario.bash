# shellcheck shell=bash
# Written by `pario help --completions' from the tables in src/; `make docs' writes it anew.

_pario_commands='glance survey run report compare history import rank doctor trace profile replay predict characterize top ior mdtest io500 list help diagonal sign clean'
_pario_tests='beff beff_io find interactive madbench2 memory_copy metadata nht1 nht1_application nht1_network nht1_peak noncontig noncontig_array overlap smallfiles tile trace_replay transfer visibility'

# What the words after a command are.
_pario_kind()
{
	case $1 in
	glance) echo 'directory' ;;
	survey) echo 'directory' ;;
	run) echo 'test' ;;
	report) echo 'file' ;;
	compare) echo 'file' ;;
	history) echo 'directory' ;;
	import) echo 'file' ;;
	rank) echo 'file' ;;
	doctor) echo 'directory' ;;
	trace) echo 'file' ;;
	profile) echo 'file' ;;
	replay) echo 'file' ;;
	predict) echo 'file' ;;
	characterize) echo 'directory' ;;
	top) echo 'directory' ;;
	ior) echo 'file' ;;
	mdtest) echo 'file' ;;
	io500) echo 'file' ;;
	list) echo '' ;;
	help) echo 'name' ;;
	diagonal) echo 'file' ;;
	sign) echo 'file' ;;
	clean) echo 'file' ;;
	esac
}

# The option tables of a test or command.
_pario_tables()
{
	case $1 in
	test:beff) echo 'test_beff run ' ;;
	test:beff_io) echo 'run test_beff_io access ' ;;
	test:find) echo 'run test_find ' ;;
	test:interactive) echo 'run test_interactive ' ;;
	test:madbench2) echo 'run test_madbench2 hint ' ;;
	test:memory_copy) echo 'run test_memory_copy ' ;;
	test:metadata) echo 'run test_metadata ' ;;
	test:nht1) echo 'run test_nht1 ' ;;
	test:nht1_application) echo 'run hint test_nht1_application ' ;;
	test:nht1_network) echo 'run test_nht1_network ' ;;
	test:nht1_peak) echo 'run test_nht1_peak ' ;;
	test:noncontig) echo 'run access test_noncontig ' ;;
	test:noncontig_array) echo 'run access test_noncontig_array hdf5 mpiio null uring ' ;;
	test:overlap) echo 'run hint test_overlap ' ;;
	test:smallfiles) echo 'run test_smallfiles ' ;;
	test:tile) echo 'run access test_tile ' ;;
	test:trace_replay) echo 'run test_trace_replay ' ;;
	test:transfer) echo 'run access hdf5 mpiio null uring test_transfer ' ;;
	test:visibility) echo 'run test_visibility ' ;;
	command:glance) echo 'run glance ' ;;
	command:survey) echo 'run access survey ' ;;
	command:run) echo '' ;;
	command:report) echo 'report ' ;;
	command:compare) echo 'compare ' ;;
	command:history) echo 'history ' ;;
	command:import) echo 'import ' ;;
	command:rank) echo 'rank ' ;;
	command:doctor) echo 'doctor ' ;;
	command:trace) echo 'trace ' ;;
	command:profile) echo 'profile ' ;;
	command:replay) echo 'run test_trace_replay ' ;;
	command:predict) echo 'predict ' ;;
	command:characterize) echo 'run characterize ' ;;
	command:top) echo 'top ' ;;
	command:ior) echo '' ;;
	command:mdtest) echo '' ;;
	command:io500) echo 'io500 ' ;;
	command:list) echo '' ;;
	command:help) echo '' ;;
	command:diagonal) echo 'diagonal ' ;;
	command:sign) echo '' ;;
	command:clean) echo '' ;;
	esac
}

# The options of a table.
_pario_options()
{
	case $1 in
	test_beff) echo '--phases --memory_per_process --release --short --rmax --order_seed --budget' ;;
	run) echo '--dir --output --clients --np --spread --repetitions --until --seed --time_limit --wear_out --pause --gap --rest --run_limit --deadline --keep_files --drop_caches --stripe_count --stripe_size --plan --resume --label --dry_run --show_config --json --quiet --verbose --print_sbatch --csv --sign --print_path --progress --color' ;;
	test_beff_io) echo '--minutes --release --memory_per_node --shared_pointers --durable --rewrite_all --partitions --hints_file --short' ;;
	access) echo '--api --collective --direct --sync --queue_depth --reuse_buffers --preallocate --durability --fdatasync --cache --file_view --read_shift --verify --mpiio_impl --hint --access_style --cb_block_size --cb_buffer_size --cb_config_list --cb_nodes --collective_buffering --direct_read --direct_write --ind_rd_buffer_size --ind_wr_buffer_size --ind_write_buffer_size --mpiio_coll_contiguous --mpiio_concurrency --nb_proc --num_io_nodes --pfs_svr_buf --romio_cb_alltoall --romio_cb_ds_threshold --romio_cb_fr_alignment --romio_cb_fr_types --romio_cb_pfr --romio_cb_read --romio_cb_write --romio_ds_read --romio_ds_write --romio_no_indep_rw --romio_synchronized_flush --start_iodevice --striping_factor --striping_unit --ibm_io_buffer_size --ibm_largeblock_io --ibm_sparse_access' ;;
	test_find) echo '--path --name --size --newer --files --directories --file_size' ;;
	test_interactive) echo '--phases --files --directories --file_size --rounds' ;;
	test_madbench2) echo '--mode --no_pix --no_bin --no_gang --sblocksize --fblocksize --r_mod --w_mod --iomethod --iomode --filetype --remap --bwexp' ;;
	hint) echo '--mpiio_impl --hint --access_style --cb_block_size --cb_buffer_size --cb_config_list --cb_nodes --collective_buffering --direct_read --direct_write --ind_rd_buffer_size --ind_wr_buffer_size --ind_write_buffer_size --mpiio_coll_contiguous --mpiio_concurrency --nb_proc --num_io_nodes --pfs_svr_buf --romio_cb_alltoall --romio_cb_ds_threshold --romio_cb_fr_alignment --romio_cb_fr_types --romio_cb_pfr --romio_cb_read --romio_cb_write --romio_ds_read --romio_ds_write --romio_no_indep_rw --romio_synchronized_flush --start_iodevice --striping_factor --striping_unit --ibm_io_buffer_size --ibm_largeblock_io --ibm_sparse_access' ;;
	test_memory_copy) echo '--transfer_size --buffer_size --rounds' ;;
	test_metadata) echo '--phases --items --items_per_directory --depth --branch --unique --leaf_only --write_bytes --read_bytes --fsync --syncfs --verify --order --shift --looks --steady --data_sets --steps' ;;
	test_nht1) echo '--fraction --calibration --method --direct --request_size --queue_depth --command --direction --port' ;;
	test_nht1_application) echo '--class --mode --layout --api --collective --write_interval --best_of --t_c --recompute' ;;
	test_nht1_network) echo '--method --direction --port --fraction' ;;
	test_nht1_peak) echo '--fraction --calibration --method --direct --request_size --queue_depth' ;;
	test_noncontig) echo '--operations --filename --memory --file --type --element_size --veclen --fsize --veccount --loops --offset --buffer_size' ;;
	test_noncontig_array) echo '--operations --type --element_size --veclen --veccount' ;;
	hdf5) echo '--hdf5_alignment --hdf5_collective_metadata' ;;
	mpiio) echo '--pointer' ;;
	null) echo '--delay --delay_per_mib --delay_open --slow_below --slow_unaligned --slow_clients --slow_random --slow_client --slow_factor --fail_at --fail_client --fail_on --fail_errno --short_at' ;;
	uring) echo '--uring_fixed --uring_sqpoll --uring_iopoll' ;;
	test_overlap) echo '--routine --direct --channels --order --compute --phases --buffer_sizes --sector --file_size --passes --study_time --pass_time --loop --cached --rpm --null_delay --null_delay_per_mib --null_cpu --null_cpu_per_mib --null_track' ;;
	test_smallfiles) echo '--phases --files --file_size --io_size --accesses --open_files --fsync' ;;
	test_tile) echo '--operations --filename --nr_tiles_x --nr_tiles_y --sz_tile_x --sz_tile_y --sz_element --overlap_x --overlap_y --header_bytes' ;;
	test_trace_replay) echo '--trace --think --speed --layer --order --ballast' ;;
	test_transfer) echo '--operations --pattern --layout --order --transfer_size --block_size --segment_count --random_size --stride_padding --header_bytes --same_data --filename' ;;
	test_visibility) echo '--changes --rounds --bytes --look --finish --patience' ;;
	glance) echo '--minutes --space --parts' ;;
	survey) echo '--minutes --focus --smallest --largest --skew --volume --threshold --ask' ;;
	report) echo '--out --label --title --csv --openmetrics --allowed_signers --anonymize --force' ;;
	compare) echo '--threshold --run --until --time_limit --seed --output --across --history --out --csv --json --label --allowed_signers --per --highlight --anonymize --force --color' ;;
	history) echo '--recent --least --across --index --rebuild --out --csv --title --force --color' ;;
	import) echo '--output --label --system --site --time' ;;
	rank) echo '--against --per --file_system --csv --force --color' ;;
	doctor) echo '--seconds --color --json' ;;
	trace) echo '--output --stack --live --ptrace --force --quiet --join' ;;
	profile) echo '--rows --from --to --classes --verbose --symbols --storage --html --journal --csv --perfetto --folded --context --weight --force' ;;
	predict) echo '--reference --target --model --actual --replay --replay_reference --background --think --initial --rows --explain --html --journal --force --seed_tables' ;;
	characterize) echo '--minutes --system --from --force' ;;
	top) echo '--rounds' ;;
	io500) echo '--stonewall' ;;
	diagonal) echo '--class --grid --vectors' ;;
	esac
}

# What the value of TABLE:OPTION is made of; / is a directory, . a file.
_pario_words()
{
	case $1 in
	test_beff:phases) echo 'exchange hpcc' ;;
	test_beff:release) echo 'paper 3.6' ;;
	test_beff:short) echo '0 1' ;;
	run:dir) echo '/' ;;
	run:output) echo '/' ;;
	run:spread) echo 'numbers nodes cores' ;;
	run:keep_files) echo '0 1' ;;
	run:drop_caches) echo '0 1' ;;
	run:plan) echo '.' ;;
	run:resume) echo '/' ;;
	run:dry_run) echo '0 1' ;;
	run:show_config) echo '0 1' ;;
	run:json) echo '0 1' ;;
	run:quiet) echo '0 1' ;;
	run:verbose) echo '0 1' ;;
	run:print_sbatch) echo '0 1' ;;
	run:print_path) echo '0 1' ;;
	run:color) echo 'auto always never' ;;
	test_beff_io:release) echo 'paper 2.0' ;;
	test_beff_io:shared_pointers) echo '0 1' ;;
	test_beff_io:durable) echo '0 1' ;;
	test_beff_io:rewrite_all) echo '0 1' ;;
	test_beff_io:short) echo '0 1' ;;
	access:api) echo 'hdf5 mmap mpiio null pnetcdf posix uring' ;;
	access:collective) echo '0 1' ;;
	access:direct) echo '0 1' ;;
	access:sync) echo '0 1' ;;
	access:reuse_buffers) echo '0 1' ;;
	access:preallocate) echo '0 1' ;;
	access:durability) echo 'sustained cached' ;;
	access:fdatasync) echo '0 1' ;;
	access:cache) echo 'auto cold warm' ;;
	access:file_view) echo '0 1' ;;
	access:verify) echo '0 1' ;;
	access:mpiio_impl) echo 'default ompio romio' ;;
	test_interactive:phases) echo 'cp ls_l ls_lR find tar_create tar_extract du compile rm' ;;
	test_madbench2:mode) echo 'io full' ;;
	test_madbench2:iomethod) echo 'posix mpi stdio' ;;
	test_madbench2:iomode) echo 'sync async none' ;;
	test_madbench2:filetype) echo 'unique shared' ;;
	test_madbench2:remap) echo 'custom scalapack' ;;
	hint:mpiio_impl) echo 'default ompio romio' ;;
	test_metadata:phases) echo 'tree_create dir_create dir_stat dir_rename dir_fsync dir_remove file_create file_stat file_absent file_open file_lock file_content file_close file_read file_link file_rename file_remove tree_remove' ;;
	test_metadata:unique) echo '0 1' ;;
	test_metadata:leaf_only) echo '0 1' ;;
	test_metadata:fsync) echo '0 1' ;;
	test_metadata:syncfs) echo 'never create change' ;;
	test_metadata:verify) echo '0 1' ;;
	test_metadata:order) echo 'sequential random' ;;
	test_metadata:steady) echo '0 1' ;;
	test_nht1:method) echo 'auto uring threads' ;;
	test_nht1:direct) echo 'auto 0 1' ;;
	test_nht1:command) echo 'ftp scp' ;;
	test_nht1:direction) echo 'put get' ;;
	test_nht1_application:class) echo 'S W A B C D E F' ;;
	test_nht1_application:mode) echo 'sync async' ;;
	test_nht1_application:layout) echo 'full simple epio' ;;
	test_nht1_application:api) echo 'posix uring mpiio' ;;
	test_nht1_application:collective) echo '0 1' ;;
	test_nht1_application:recompute) echo '0 1' ;;
	test_nht1_network:method) echo 'ftp scp' ;;
	test_nht1_network:direction) echo 'put get' ;;
	test_nht1_peak:method) echo 'auto uring threads' ;;
	test_nht1_peak:direct) echo 'auto 0 1' ;;
	test_noncontig:operations) echo 'write read' ;;
	test_noncontig:memory) echo 'contiguous noncontiguous' ;;
	test_noncontig:file) echo 'contiguous noncontiguous' ;;
	test_noncontig:type) echo 'vector indexed subarray nested' ;;
	test_noncontig_array:operations) echo 'write read' ;;
	test_noncontig_array:type) echo 'vector subarray nested' ;;
	hdf5:hdf5_collective_metadata) echo '0 1' ;;
	mpiio:pointer) echo 'explicit individual shared' ;;
	null:slow_random) echo 'never shared always' ;;
	null:fail_on) echo 'any write read sync open close' ;;
	null:fail_errno) echo 'eio enospc' ;;
	uring:uring_fixed) echo '0 1' ;;
	uring:uring_sqpoll) echo '0 1' ;;
	uring:uring_iopoll) echo '0 1' ;;
	test_overlap:routine) echo 'pread readv stdio_quarter stdio_half stdio stdio_double mmap aio uring uring_sqpoll uring_fixed mpi_read_at mpi_iread_at mpi_read_all thread null' ;;
	test_overlap:direct) echo '0 1' ;;
	test_overlap:order) echo 'sequential random' ;;
	test_overlap:compute) echo 'scalar vector' ;;
	test_overlap:phases) echo 'read write both' ;;
	test_overlap:cached) echo '0 1' ;;
	test_smallfiles:phases) echo 'create write read destroy' ;;
	test_smallfiles:fsync) echo 'never end each' ;;
	test_tile:operations) echo 'write read' ;;
	test_trace_replay:speed) echo 'original max' ;;
	test_trace_replay:layer) echo 'program posix' ;;
	test_trace_replay:order) echo '0 1' ;;
	test_trace_replay:ballast) echo '0 1' ;;
	test_transfer:operations) echo 'write rewrite read random_read' ;;
	test_transfer:pattern) echo 'auto segmented strided random general' ;;
	test_transfer:layout) echo 'shared per_client' ;;
	test_transfer:order) echo 'sequential random' ;;
	test_transfer:same_data) echo '0 1' ;;
	test_visibility:changes) echo 'write rewrite extend create rename unlink' ;;
	test_visibility:look) echo 'open held' ;;
	test_visibility:finish) echo 'close fsync nothing' ;;
	glance:parts) echo 'memory direct large large_cached shared_mpiio shared_strided small_random collective independent metadata small_files interactive beff beff_io' ;;
	survey:focus) echo 'write read independent collective segmented strided random aligned unaligned shared per_client small large all' ;;
	report:anonymize) echo '0 1' ;;
	report:force) echo '0 1' ;;
	compare:run) echo '0 1' ;;
	compare:output) echo '/' ;;
	compare:json) echo '0 1' ;;
	compare:per) echo 'auto node client whole' ;;
	compare:anonymize) echo '0 1' ;;
	compare:force) echo '0 1' ;;
	compare:color) echo 'auto always never' ;;
	history:rebuild) echo '0 1' ;;
	history:force) echo '0 1' ;;
	history:color) echo 'auto always never' ;;
	import:output) echo '/' ;;
	rank:per) echo 'auto node client whole' ;;
	rank:force) echo '0 1' ;;
	rank:color) echo 'auto always never' ;;
	doctor:color) echo 'auto always never' ;;
	doctor:json) echo '0 1' ;;
	trace:output) echo '/' ;;
	trace:live) echo '0 1' ;;
	trace:ptrace) echo '0 1' ;;
	trace:force) echo '0 1' ;;
	trace:quiet) echo '0 1' ;;
	profile:classes) echo '0 1' ;;
	profile:verbose) echo '0 1' ;;
	profile:weight) echo 'time bytes calls' ;;
	profile:force) echo '0 1' ;;
	predict:model) echo 'all ratio model hybrid replay' ;;
	predict:initial) echo 'reference cold warm' ;;
	predict:explain) echo '0 1' ;;
	predict:force) echo '0 1' ;;
	predict:seed_tables) echo '0 1' ;;
	characterize:force) echo '0 1' ;;
	diagonal:class) echo 'S W A B C D E F' ;;
	esac
}

# The tables of the command line so far, none where no option belongs.
_pario_context()
{
	case $(_pario_kind "${COMP_WORDS[1]}") in
	test) [ "$COMP_CWORD" -lt 3 ] || _pario_tables "test:${COMP_WORDS[2]}" ;;
	*) _pario_tables "command:${COMP_WORDS[1]}" ;;
	esac
}

# Completes the last element of a comma list.
_pario_list()
{
	local lead=
	case $2 in *,*) lead=${2%,*}, ;; esac
	mapfile -t COMPREPLY < <(compgen -P "$lead" -W "$1" -- "${2#"$lead"}")
}

_pario_paths()
{
	compopt -o filenames
	mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

# Completes the value of an option; false when it has no value to offer.
_pario_value()
{
	local name=${1#--} table words
	name=${name//-/_}
	for table in $(_pario_context); do
		words=$(_pario_words "$table:$name")
		case $words in
		'') continue ;;
		/) _pario_paths -d "$2" ;;
		.) _pario_paths -f "$2" ;;
		*) _pario_list "$words" "$2" ;;
		esac
		return 0
	done
	return 1
}

_pario()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} table words=
	COMPREPLY=()
	if [ "$cur" = = ]; then
		cur=
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if [[ $prev == --* && $cur != -* ]]; then
		_pario_value "$prev" "$cur" && return
		for table in $(_pario_context); do # a value that nobody can guess
			[[ " $(_pario_options "$table") " != *" $prev "* ]] || return
		done
	fi
	if [ "$COMP_CWORD" -eq 1 ]; then
		words="$_pario_commands --help --version"
	elif [[ $cur == -* || $(_pario_kind "${COMP_WORDS[1]}"):$COMP_CWORD == test:[!2]* ]]; then
		for table in $(_pario_context); do
			words+=" $(_pario_options "$table")"
		done
	else
		case $(_pario_kind "${COMP_WORDS[1]}"):$COMP_CWORD in
		test:2) words=$_pario_tests ;;
		name:2) words="$_pario_commands $_pario_tests" ;;
		directory:*) _pario_paths -d "$cur"; return ;;
		file:*) _pario_paths -f "$cur"; return ;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _pario pario
