#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# Nothing outside a run's own workspace is changed, and what cannot work is refused before the first byte.

load lib

# stops CODE ARGUMENTS...: the run ends with the code and one sentence, and has written nothing.
stops()
{
	run -"$1" --separate-stderr transfer "${SMALL[@]}" "${@:2}"
	echo "$stderr"
	one_sentence
	untouched
}

# Runs a command as a user who may do little; needs root.
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }

need_nobody()
{
	[ "$(id -u)" -eq 0 ] || skip "needs root, to become another user"
	as_nobody true 2>/dev/null || skip "another user cannot be assumed here"
	as_nobody test -x "$PARIO" || skip "the user nobody cannot reach the program in $PARIO"
}

# A place that everybody can reach: TMPDIR may lie in somebody's home.
open_place()
{
	PLACE=$(mktemp -d /tmp/pario-cli.XXXXXX)
	chmod 755 "$PLACE"
	DATA=$PLACE/data OUT=$PLACE/out
	mkdir "$DATA"
}

# A dead workspace as a killed run leaves it.
leftover()
{
	mkdir -m 0700 "$DATA/$1"
	printf 'pario workspace 1\ndata.0.1\ndata.0.2\n' >"$DATA/$1/manifest"
	echo data >"$DATA/$1/data.0.1"
}

# Files of others, of every kind.
foreign()
{
	mkdir -p "$DATA/deep/er" "$DATA/pario-notes"
	echo one >"$DATA/data.0.1"
	echo two >"$DATA/deep/er/data.0.2"
	echo three >"$DATA/manifest"
	echo four >"$DATA/pario-notes/manifest"
	ln -s /nonexistent "$DATA/dangling"
	ln -s deep "$DATA/pario-link"
	mkfifo "$DATA/fifo"
	chmod 400 "$DATA/data.0.1"
}

# ---- where data go ----

@test "a directory that is not there is refused" {
	stops 3 --dir nowhere
	says "ENOENT"
	says "nowhere"
	[ ! -e nowhere ]
}

@test "a file in place of a directory is refused and not touched" {
	echo precious >file
	stops 3 --dir file
	says "is not a directory"
	[ "$(cat file)" = precious ]
}

@test "a device is refused" {
	stops 2 --dir /dev/null
	says "/dev/null is a device"
}

@test "a block device is refused" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to make a device node"
	mknod disk b 7 250 2>/dev/null || skip "device nodes cannot be made here"
	stops 2 --dir disk
	says "is a device"
}

@test "an empty name is refused" {
	stops 2 --dir ''
}

@test "a name of 5000 characters is refused" {
	stops 2 --dir "$(printf 'x%.0s' {1..5000})"
}

@test "a link to a directory is fine" {
	ln -s data link
	run -0 pario run transfer --dir link --output "$OUT" "${SMALL[@]}" --operations write
	[ "$(field bytes)" = 131072 ]
	[ -z "$(ls -A "$DATA")" ]
}

@test "a dangling link is refused" {
	ln -s nowhere link
	stops 3 --dir link
	[ ! -e nowhere ]
}

@test "a directory with spaces, quotes and a newline in its name works" {
	local odd=$'da ta\'s "x"\n$(touch planted)'

	mkdir "$odd"
	run -0 pario run transfer --dir "$odd" --output "$OUT" "${SMALL[@]}" --operations write --api posix,mpiio
	[ -z "$(ls -A "$odd")" ]
	[ ! -e planted ]
}

@test "a directory that cannot be written to is refused" {
	need_nobody
	open_place
	chmod 755 "$DATA"
	cd "$PLACE"
	run -3 --separate-stderr as_nobody env TMPDIR=/tmp timeout "$LIMIT_S" "$PARIO" run transfer \
		--dir "$DATA" "${SMALL[@]}"
	one_sentence
	says "EACCES"
	[ -z "$(ls -A "$DATA")" ]
	rm -rf "$PLACE"
}

@test "results that cannot be written are an error, and no data stay behind" {
	need_nobody
	open_place
	chmod 777 "$DATA"
	cd "$PLACE"
	run -3 --separate-stderr as_nobody env TMPDIR=/tmp timeout "$LIMIT_S" "$PARIO" run transfer \
		--dir "$DATA" "${SMALL[@]}"
	says "pario-results cannot be made here"
	[ -z "$(ls -A "$DATA")" ]
	rm -rf "$PLACE"
}

@test "an ordinary user can measure" {
	need_nobody
	open_place
	chmod 777 "$DATA" "$PLACE"
	cd "$PLACE"
	run -0 --separate-stderr as_nobody env TMPDIR=/tmp timeout "$LIMIT_S" "$PARIO" run transfer \
		--dir "$DATA" --output "$OUT" "${SMALL[@]}"
	[ "$(field phase | xargs)" = "write read" ]
	[ -z "$(ls -A "$DATA")" ]
	rm -rf "$PLACE"
}

# ---- space and memory ----

@test "a plan that needs more space than there is is refused, with both numbers" {
	stops 3 --block_size 1p
	says "this plan needs 2 PiB in $DATA and "
	says "are free"
}

@test "the space of a small file system is seen" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to mount a small file system"
	mount -t tmpfs -o size=1m none "$DATA" 2>/dev/null || skip "a tmpfs cannot be mounted here"
	MOUNTED=$DATA
	run -3 --separate-stderr transfer "${SMALL[@]}" --block_size 1m
	one_sentence
	says "this plan needs 2 MiB"
	untouched
	measure "${SMALL[@]}" --operations write
}

@test "the inodes of a small file system are seen" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to mount a small file system"
	mount -t tmpfs -o size=10m,nr_inodes=4 none "$DATA" 2>/dev/null || skip "a tmpfs cannot be mounted here"
	MOUNTED=$DATA
	run -3 --separate-stderr transfer "${SMALL[@]}" --layout per_client --clients 2
	one_sentence
	says "inodes"
	untouched
}

@test "a plan that needs more memory than there is is refused" {
	stops 3 --api null --transfer_size 1t --block_size 1t
	says "up to 1 TiB each"
	stops 3 --api uring --transfer_size 1g --block_size 1g --queue_depth 4096
	says "up to 4 TiB each"
}

# Of four clients that were started one measures: what four would need is not needed.
@test "what few clients need of memory is not asked for of many" {
	local there
	there=$(awk '$1 == "MemAvailable:" { printf "%.0f", $2 * 1024 }' /proc/meminfo)
	run -0 transfer "${SMALL[@]}" --api null --layout per_client --block_size $((there / 3)) --transfer_size $((there / 3)) --clients 1 --np 4 --dry_run
	stops 3 --api null --layout per_client --block_size $((there / 3)) --transfer_size $((there / 3)) --clients 4 --np 4 --dry_run
	says "up to"
}

# ---- the workspace ----

@test "the workspace is for its owner only, whatever the umask" {
	umask 000
	measure "${SMALL[@]}" --operations write --keep_files --api posix,mpiio,mmap
	[ "$(stat -c %a "$DATA"/pario-*)" = 700 ]
	[ "$(find "$DATA" -mindepth 1 -maxdepth 1 | wc -l)" -eq 1 ]
}

@test "nothing stays behind after success" {
	measure "${SMALL[@]}" --api posix,mpiio,mmap --layout shared,per_client --clients 1,2
	[ -z "$(ls -A "$DATA")" ]
	[ "$(end removed)" = true ]
	[ -z "$(end kept)" ]
}

@test "nothing stays behind after a failure" {
	run -3 transfer "${SMALL[@]}" --api posix,null --operations write --fail_at 2
	[ -z "$(ls -A "$DATA")" ]
	[ "$(end removed)" = true ]
}

@test "no temporary file stays behind" {
	mkdir tmp
	TMPDIR=$PWD/tmp OMPI_MCA_orte_tmpdir_base=/tmp run -0 transfer "${SMALL[@]}"
	[ -z "$(ls -A tmp)" ]
	TMPDIR=$PWD/tmp OMPI_MCA_orte_tmpdir_base=/tmp run -3 transfer "${SMALL[@]}" --api null --fail_at 1
	[ -z "$(ls -A tmp)" ]
}

@test "--keep_files keeps the data, and the journal lists them" {
	measure "${SMALL[@]}" --operations write --layout shared,per_client --keep_files --clients 2
	[ "$(end kept | wc -l)" -eq 3 ]
	end kept | xargs -d '\n' ls
	[ "$(end removed)" = false ]
	[[ $output == *"$(end kept | head -n 1)"* ]]
}

@test "a name with a line break is kept whole" {
	local odd=$DATA/two$'\n'lines

	mkdir "$odd"
	run -0 pario run transfer --dir "$odd" --output "$OUT" "${SMALL[@]}" --operations write --keep_files --json
	[ "$(jq 'select(.kind == "end") | .kept | length' <<<"$output")" -eq 1 ]
	[ -f "$(jq -r 'select(.kind == "end") | .kept[0]' <<<"$output")" ]
}

@test "files of others are not touched by a run that succeeds" {
	foreign
	sums "$DATA" >before
	measure "${SMALL[@]}" --api posix,mpiio,mmap --layout shared,per_client
	sums "$DATA" | grep -v '^\. d' >after
	diff <(grep -v '^\. d' before) after
}

@test "files of others are not touched by a run that fails" {
	foreign
	sums "$DATA" >before
	run -3 transfer "${SMALL[@]}" --api null --fail_at 1
	run -3 transfer "${SMALL[@]}" --block_size 1p
	run -2 transfer "${SMALL[@]}" --transfer_size 0
	sums "$DATA" | grep -v '^\. d' >after
	diff <(grep -v '^\. d' before) after
}

@test "results that are there already are never overwritten" {
	measure "${SMALL[@]}" --operations write
	sums "$OUT" >before
	run -3 --separate-stderr pario run transfer --dir "$DATA" --output "$OUT" "${SMALL[@]}"
	one_sentence
	says "EEXIST"
	sums "$OUT" | diff before -
	[ -z "$(ls -A "$DATA")" ]
}

@test "results may go to a directory that exists and holds other things" {
	mkdir "$OUT.there"
	echo mine >"$OUT.there/note"
	run -0 pario run transfer --dir "$DATA" --output "$OUT.there" "${SMALL[@]}" --operations write
	[ "$(cat "$OUT.there/note")" = mine ]
	[ -s "$OUT.there/journal.jsonl" ]
}

@test "results in a directory that cannot be made are an error" {
	touch no
	run -3 --separate-stderr pario run transfer --dir "$DATA" --output no/where "${SMALL[@]}"
	one_sentence
	says "no/where"
	untouched
}

@test "eight runs at once in one directory do not disturb each other" {
	local i pids=()

	foreign
	sums "$DATA" | grep -v '^\. d' >before
	for i in 1 2 3 4 5 6 7 8; do
		pario run transfer --dir "$DATA" --output "out$i" --transfer_size 16k --block_size 64k --repetitions 2 \
			--np 1 --quiet &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i"; done
	for i in 1 2 3 4 5 6 7 8; do
		OUT=out$i
		[ "$(end exit_code)" = 0 ]
		[ "$(end removed)" = true ]
		[ "$(field phase | xargs)" = "write read write read" ]
	done
	sums "$DATA" | grep -v '^\. d' | diff before -
}

# ---- clean ----

@test "clean removes the workspace of a dead run" {
	leftover pario-0123abcd
	run -0 pario clean "$DATA"
	[[ $output == *removed*pario-0123abcd* ]]
	[ -z "$(ls -A "$DATA")" ]
}

@test "clean leaves what a run was asked to keep, unless it is told otherwise" {
	local file

	measure "${SMALL[@]}" --operations write --keep_files
	file=$(end kept)
	run -0 pario clean "$DATA"
	[[ $output == *"left (kept"* ]]
	[ -f "$file" ]
	run -0 pario run transfer --dir "$DATA" --output "$OUT.2" "${SMALL[@]}"
	[[ $output != *"earlier runs"* ]]
	run -0 pario clean --kept "$DATA"
	[[ $output == *removed* ]]
	[ -z "$(ls -A "$DATA")" ]
}

@test "clean leaves directories of others alone, whatever their name" {
	foreign
	mkdir "$DATA/pario-01234567" "$DATA/pario-89abcdef"
	echo precious >"$DATA/pario-01234567/file"
	printf 'pario workspace 9\nfile\n' >"$DATA/pario-89abcdef/manifest"
	echo precious >"$DATA/pario-89abcdef/file"
	echo precious >"$DATA/pario-file"
	sums "$DATA" >before
	run -0 pario clean "$DATA"
	sums "$DATA" | diff before -
}

@test "clean leaves files in a workspace that pario did not make" {
	leftover pario-0123abcd
	echo precious >"$DATA/pario-0123abcd/other"
	run -0 pario clean "$DATA"
	[ "$(cat "$DATA/pario-0123abcd/other")" = precious ]
}

@test "clean follows no link and no path out of the workspace" {
	leftover pario-0123abcd
	echo precious >"$DATA/precious"
	printf '%s\n' ../precious "$PWD/data/precious" .. . link ../ tree/ linked/ >>"$DATA/pario-0123abcd/manifest"
	ln -s ../precious "$DATA/pario-0123abcd/link"
	mkdir elsewhere "$DATA/pario-0123abcd/tree"
	ln -s ../../../elsewhere "$DATA/pario-0123abcd/tree/inside"
	ln -s ../../elsewhere "$DATA/pario-0123abcd/linked"
	printf 'pario workspace 1\nfile\n' >elsewhere/manifest
	echo precious >elsewhere/file
	ln -s ../elsewhere "$DATA/pario-fedcba98"
	run -0 pario clean "$DATA"
	[ "$(cat "$DATA/precious")" = precious ]
	[ "$(cat elsewhere/file)" = precious ]
}

@test "clean leaves the workspace of a run that is alive" {
	local there=no run

	# not by the function: what is started in the background must be what gets the signal
	timeout -k 5 "$LIMIT_S" "$PARIO" run transfer --dir "$DATA" --output "$OUT" "${SMALL[@]}" --api null --delay 20000 \
		--block_size 16g --quiet &
	run=$!
	until compgen -G "$DATA/pario-*/manifest" >/dev/null; do
		kill -0 $run
		sleep 0.05
	done
	pario clean "$DATA" >said
	! compgen -G "$DATA/pario-*/manifest" || there=yes
	kill -TERM $run
	wait $run || true
	cat said
	[ $there = yes ]
	grep -q '^left' said
	[ -z "$(ls -A "$DATA")" ]
	[ "$(end outcome)" = interrupted ]
}

@test "clean of a directory that is not there is an error" {
	run -3 --separate-stderr pario clean nowhere
	one_sentence
}

@test "a run points at what dead runs left, and leaves it" {
	leftover pario-0123abcd
	run -0 --separate-stderr transfer "${SMALL[@]}" --operations write
	says "pario clean"
	[ -e "$DATA/pario-0123abcd/data.0.1" ]
}

@test "each client removes its own file, once; client 0 does not look for the others' again" {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o probe true 2>/dev/null || skip "tracing is not allowed here"
	run -0 timeout -k 5 "$LIMIT_S" strace -ff -e trace=unlinkat -o calls "$PARIO" run transfer --dir "$DATA" \
		--output "$OUT" --quiet --layout per_client --np 3 --repetitions 2 --transfer_size 4k --block_size 4k
	[ "$(cat calls.* | grep -c 'data\.0\.3\.0000000')" -eq 6 ]
	[ -z "$(ls -A "$DATA")" ]
}

@test "libraries are not looked for in the current directory" {
	for name in $(ldd "$PARIO" | awk '$3 ~ /^\// { print $1 }'); do echo "not a library" >"$name"; done
	run -0 "$PARIO" --version
}
