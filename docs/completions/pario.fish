# Written by `pario help --completions' from the tables in src/; `make docs' writes it anew.

# The words before the cursor are exactly these.
function __pario_at
    set -l words (commandline -opc)
    test (count $words) -eq (math (count $argv) + 1); and test "$words[2..]" = "$argv"
end

# One of these commands.
function __pario_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv
end

# One of these tests is run.
function __pario_runs
    set -l words (commandline -opc)
    test (count $words) -ge 3; and test $words[2] = run; and contains -- $words[3] $argv
end

complete -c pario -f
complete -c pario -n __pario_at -l help -d 'the commands'
complete -c pario -n __pario_at -l version -d 'the version'

complete -c pario -n '__pario_at' -a glance -d 'the concise set: how does this storage behave?'
complete -c pario -n '__pario_command glance' -a '(__fish_complete_directories)'
complete -c pario -n '__pario_at' -a run -d 'one test; list values become a sweep'
complete -c pario -n '__pario_at run' -a transfer -d 'large contiguous and patterned reads and writes'
complete -c pario -n '__pario_at' -a list -d 'tests and backends, with the reason why one is unavailable'
complete -c pario -n '__pario_at' -a help -d 'what a command or test does and its options'
complete -c pario -n '__pario_at help' -a glance -d 'the concise set: how does this storage behave?'
complete -c pario -n '__pario_at help' -a run -d 'one test; list values become a sweep'
complete -c pario -n '__pario_at help' -a list -d 'tests and backends, with the reason why one is unavailable'
complete -c pario -n '__pario_at help' -a help -d 'what a command or test does and its options'
complete -c pario -n '__pario_at help' -a clean -d 'remove what killed runs left in a directory'
complete -c pario -n '__pario_at help' -a transfer -d 'large contiguous and patterned reads and writes'
complete -c pario -n '__pario_at' -a clean -d 'remove what killed runs left in a directory'
complete -c pario -n '__pario_command clean' -a '(__fish_complete_directories)'

complete -c pario -n '__pario_runs transfer' -l operations -x -a '(__fish_append , write rewrite read)' -d 'phases of a repetition, in the order write, rewrite, read'
complete -c pario -n '__pario_runs transfer' -l pattern -x -a '(__fish_append , auto segmented strided random general)' -d 'who accesses what; auto = segmented for one segment, else strided'
complete -c pario -n '__pario_runs transfer' -l layout -x -a '(__fish_append , shared per_client)' -d 'one file for all clients or one for each'
complete -c pario -n '__pario_runs transfer' -s F -d '--layout per_client'
complete -c pario -n '__pario_runs transfer' -l order -x -a '(__fish_append , sequential random)' -d 'random: every transfer once, in a seeded random order'
complete -c pario -n '__pario_runs transfer' -s z -d '--order random'
complete -c pario -n '__pario_runs transfer' -l transfer_size -s t -x -d 'bytes moved by one call; the upper bound in random patterns'
complete -c pario -n '__pario_runs transfer' -l block_size -s b -x -d 'contiguous bytes of one client in a segment'
complete -c pario -n '__pario_runs transfer' -l segment_count -s s -x -d 'how often the segment is repeated'
complete -c pario -n '__pario_runs transfer' -l stride_padding -x -d 'gap after each segment'
complete -c pario -n '__pario_runs transfer' -l header_bytes -x -d 'offset of the first segment, to skew alignment; general draws one when 0'

complete -c pario -n '__pario_runs transfer' -l api -s a -x -a '(__fish_append , hdf5 mmap mpiio null pnetcdf posix uring)' -d 'backend; see pario list'
complete -c pario -n '__pario_runs transfer' -l collective -x -a '(__fish_append , 0 1)' -d 'all clients make each transfer together (mpiio, hdf5, pnetcdf)'
complete -c pario -n '__pario_runs transfer' -s c -d '--collective 1'
complete -c pario -n '__pario_runs transfer' -l direct -x -a '(__fish_append , 0 1)' -d 'bypass the page cache (O_DIRECT)'
complete -c pario -n '__pario_runs transfer' -l sync -x -a '(__fish_append , 0 1)' -d 'every write is durable when it returns (O_SYNC)'
complete -c pario -n '__pario_runs transfer' -s Y -d '--sync 1'
complete -c pario -n '__pario_runs transfer' -l queue_depth -x -d 'transfers in flight per client'
complete -c pario -n '__pario_runs transfer' -l preallocate -x -a '(__fish_append , 0 1)' -d 'reserve the file\'s space before it is written'
complete -c pario -n '__pario_runs transfer' -l durability -x -a '(__fish_append , sustained cached)' -d 'sustained: writes end with fsync, reads start with nothing cached; cached: neither'
complete -c pario -n '__pario_runs transfer' -l file_view -x -a '(__fish_append , 0 1)' -d 'mpiio: each client sees only its own blocks through a file view'
complete -c pario -n '__pario_runs transfer' -l read_shift -x -d 'read the data of the client this many numbers on; auto = a client of another node, where there is one'
complete -c pario -n '__pario_runs transfer' -l verify -x -a '(__fish_append , 0 1)' -d 'read back and compare everything that was written, in a pass of its own that is not timed'
complete -c pario -n '__pario_runs transfer' -l hint -x -d 'MPI-IO hint as key=value, any number of times'
complete -c pario -n '__pario_runs transfer' -l access_style -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l cb_block_size -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l cb_buffer_size -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l cb_config_list -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l cb_nodes -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l collective_buffering -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l direct_read -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l direct_write -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l ind_rd_buffer_size -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l ind_wr_buffer_size -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l ind_write_buffer_size -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l mpiio_coll_contiguous -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l mpiio_concurrency -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l nb_proc -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l num_io_nodes -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l pfs_svr_buf -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l romio_cb_alltoall -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l romio_cb_ds_threshold -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l romio_cb_fr_alignment -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l romio_cb_fr_types -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l romio_cb_pfr -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l romio_cb_read -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l romio_cb_write -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l romio_ds_read -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l romio_ds_write -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l romio_no_indep_rw -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l romio_synchronized_flush -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l start_iodevice -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l striping_factor -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l striping_unit -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l ibm_io_buffer_size -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l ibm_largeblock_io -x -d 'MPI-IO hint'
complete -c pario -n '__pario_runs transfer' -l ibm_sparse_access -x -d 'MPI-IO hint'

complete -c pario -n '__pario_runs transfer' -l hdf5_alignment -x -d 'objects of this size or more start at a multiple'
complete -c pario -n '__pario_runs transfer' -l hdf5_collective_metadata -x -a '(__fish_append , 0 1)' -d 'read and write HDF5\'s metadata collectively'

complete -c pario -n '__pario_runs transfer' -l pointer -x -a '(__fish_append , explicit individual shared)' -d 'who keeps the position: the call, the client\'s or the shared pointer'
complete -c pario -n '__pario_runs transfer' -l mpiio_impl -x -a '(__fish_append , default ompio romio)' -d 'Open MPI\'s implementation of MPI-IO'

complete -c pario -n '__pario_runs transfer' -l delay -x -d 'planted time of every read and write'
complete -c pario -n '__pario_runs transfer' -l delay_per_mib -x -d 'planted time of every MiB read or written'
complete -c pario -n '__pario_runs transfer' -l fail_at -x -d 'the operation on a file, from 1, that fails; 0 = none'
complete -c pario -n '__pario_runs transfer' -l fail_client -x -d 'the only client that fails; the default means all'
complete -c pario -n '__pario_runs transfer' -l fail_on -x -a '(__fish_append , any write read sync open close)' -d 'the operations that fail_at counts; any = reads and writes'
complete -c pario -n '__pario_runs transfer' -l fail_errno -x -a '(__fish_append , eio enospc)' -d 'the error that fail_at gives'
complete -c pario -n '__pario_runs transfer' -l short_at -x -d 'the read or write, from 1, that first moves half its bytes; 0 = none'

complete -c pario -n '__pario_runs transfer' -l uring_fixed -x -a '(__fish_append , 0 1)' -d 'register file and buffers with the kernel'
complete -c pario -n '__pario_runs transfer' -l uring_sqpoll -x -a '(__fish_append , 0 1)' -d 'a kernel thread watches the queue, at the cost of one core'
complete -c pario -n '__pario_runs transfer' -l uring_iopoll -x -a '(__fish_append , 0 1)' -d 'poll the device instead of waiting for it; only with direct'

complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l dir -x -a '(__fish_complete_directories)' -d 'directory to measure; a workspace of its own is made inside and removed afterwards'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l output -x -a '(__fish_complete_directories)' -d 'directory for the results; default pario-results/<time>-<test>-<id>'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l clients -x -d 'client counts to measure with, as a list such as 1,2,4; default all that were started'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l np -x -d 'processes to start when started plainly; 0 = one per core or the largest of --clients'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l repetitions -s i -x -d 'how often each point is measured'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l seed -x -d 'seed of data, sizes and orders; 0 = a new one for every run, recorded in the journal'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l time_limit -s D -x -d 'end each phase after this time; the rate counts what was moved; 0 = no limit'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l wear_out -x -d 'after the time limit, clients may go on for this many times the limit to reach the fastest one\'s amount; 0 = stop at once'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l deadline -x -d 'end the run with a reason when one phase takes longer than this; 0 = never'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l keep_files -x -a '(__fish_append , 0 1)' -d 'keep the data; the journal\'s end line lists the paths'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -s k -d '--keep_files 1'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l drop_caches -x -a '(__fish_append , 0 1)' -d 'before cold phases drop the caches of the whole machine too (root)'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l plan -r -F -d 'file with option values (INI); environment and command line win over it'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l label -x -d 'name of this run in reports'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l dry_run -x -a '(__fish_append , 0 1)' -d 'print the points and what they need, measure nothing'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l show_config -x -a '(__fish_append , 0 1)' -d 'print every option with its value and where it came from, measure nothing'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l json -x -a '(__fish_append , 0 1)' -d 'print the journal instead of tables'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l quiet -x -a '(__fish_append , 0 1)' -d 'print nothing but what --json asks for'
complete -c pario -n '__pario_runs transfer; or __pario_command glance' -l color -x -a '(__fish_append , auto always never)' -d 'colour in tables; auto = on a terminal unless NO_COLOR is set'

complete -c pario -n '__pario_runs; or __pario_command glance' -l minutes -x -d 'about how long the whole may take'
