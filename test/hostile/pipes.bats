#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# Something else where a file to be read should be: a pipe that nobody writes to, a socket, a device, a directory.

bats_require_minimum_version 1.5.0
load lib

# Every reader that takes a file, as its words; FILE is what is in the file's place, RUN a directory with that for a journal.
READERS=(
	'report FILE' 'report RUN' 'report FILE --csv -' 'compare FILE FILE' 'compare good RUN' 'compare RUN good'
	'profile FILE' 'history RUN' 'import FILE'
	'predict FILE' 'predict good.trace --reference FILE --target FILE' 'replay FILE --dir data'
	'trace --join all FILE' 'characterize data --from FILE -o S' 'characterize data --from RUN -o S' 'run transfer --plan FILE'
	'run transfer --resume RUN' 'run transfer --resume FILE' 'survey data --resume RUN' 'run transfer --operations read --file FILE --dir data'
	'io500 FILE' 'ior -f FILE' 'ior -a MPIIO -U FILE' 'diagonal FILE' 'top FILE' 'doctor FILE'
	'rank FILE' 'rank RUN' 'sign RUN FILE' 'sign good FILE' 'run transfer --api null --np 1 --sign FILE --dir data' 'report good --allowed_signers FILE'
	'survey RUN --ask read' 'run beff_io --hints_file FILE --dir data' 'run nht1_application --t_c FILE --dir data'
	'compare good FILE --allowed_signers FILE'
)

setup_file()
{
	cd "$BATS_FILE_TMPDIR" || return
	mkdir data
	"$PARIO" run transfer --api null --np 1 --transfer_size 64k --block_size 64k --repetitions 1 --quiet --output good
	"$PARIO" trace -o good.trace -- cat /etc/hostname
}

# planted KIND: something of that kind is FILE, and the journal in RUN.
planted()
{
	local at

	rm -rf FILE RUN
	mkdir RUN
	for at in FILE RUN/journal.jsonl; do
		case $1 in
		pipe) mkfifo $at ;;
		socket) "$PYTHON" -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' $at ;;
		device) mknod $at c 1 5 ;;
		directory) mkdir $at ;;
		esac
	done
}

# all_readers KIND: each ends by itself, within its limit and with a sentence, or has no use for it.
all_readers()
{
	local reader words n=0

	for reader in "${READERS[@]}"; do
		if [[ $1 == directory && $reader =~ ^(io500|top|doctor) ]]; then continue; fi # they are asked about one
		read -ra words <<<"$reader"
		planted "$1"
		run timeout -k 5 60 "$PARIO" "${words[@]}" </dev/null
		echo "$reader: $status $output" | head -n 5
		[ "$status" -ne 124 ] && [ "$status" -ne 137 ] && [ "$status" -lt 128 ]
		if [ "$status" -ne 0 ]; then grep -q '[.?]$' <<<"$output"; fi
		n=$((n + 1))
	done
	tried $n
}

setup()
{
	cd "$BATS_FILE_TMPDIR" || return
	DATA=$BATS_FILE_TMPDIR/data OUT=$BATS_TEST_TMPDIR/out PIDS=() MOUNTS=()
}

@test "a pipe in place of each file that is read: a sentence, and nobody waits for a writer" { all_readers pipe; }

@test "a socket in place of each file that is read: a sentence" { all_readers socket; }

@test "a device without end in place of each file that is read: a sentence" {
	need_root
	all_readers device
}

@test "a directory in place of each file that is read: a sentence" { all_readers directory; }

@test "what a pipe holds is named, and that a copy of it can be read" {
	planted pipe
	tried 4
	for words in 'report RUN' 'profile FILE' 'import FILE' 'run transfer --plan FILE'; do
		read -ra words <<<"$words"
		run timeout -k 5 60 "$PARIO" "${words[@]}"
		[ "$status" -ge 2 ]
		[[ $output == *" is a pipe; name a regular file, into which its content can be copied first."* ]]
	done
}

@test "a pipe in place of one journal of a history: the others are read, and it is named" {
	planted pipe
	for words in 'history good RUN' 'history good FILE'; do
		read -ra words <<<"$words"
		run timeout -k 5 60 "$PARIO" "${words[@]}"
		[ "$status" -eq 0 ]
		[[ $output == *" is a pipe; name a regular file"* ]]
	done
}
