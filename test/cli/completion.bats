#!/usr/bin/env bats
# Completion in bash as a user meets it, and the manual pages. The functions are asked directly, with what readline would
# hand them; one test presses Tab on a terminal.
load lib

setup_file()
{
	export SHELF=$PARIO_SOURCE/docs/completions
}

# offered WORD...: what is offered for the last word, one per line.
offered()
{
	(
		# shellcheck disable=SC2317 # called by what is read below; the real one knows only real completions
		compopt() { :; }
		# shellcheck source=/dev/null
		. "$SHELF/pario.bash"
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_pario
		[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
	)
}

@test "commands and tests" {
	[ "$(offered pario doc)" = doctor ]
	[ "$(offered pario run trans)" = transfer ]
	for test in $("$PARIO" list | sed -n '/^tests/,/^$/s/^  \([a-z0-9_]*\) .*/\1/p'); do
		offered pario run "" | grep -qx "$test"
		offered pario help "" | grep -qx "$test"
	done
}

@test "options of a test, of a command, and none where none belong" {
	[ "$(offered pario run transfer --transfer)" = --transfer_size ]
	offered pario run madbench2 --no | grep -qx -- --no_pix
	[ "$(offered pario compare --thr)" = --threshold ]
	[ -z "$(offered pario run madbench2 --transfer)" ]
	[ -z "$(offered pario bogus --)" ]
}

@test "values of choices, switches, backends and lists" {
	[ "$(offered pario run transfer --pattern str)" = strided ]
	[ "$(offered pario run transfer --pattern = str)" = strided ]
	[ "$(offered pario run transfer --collective "" | xargs)" = "0 1" ]
	offered pario run transfer --api "" | grep -qx mpiio
	offered pario run transfer --operations write,re | grep -qx write,read
	[ "$(offered pario doctor --color al)" = always ]
	[ "$(offered pario run nht1_application --class "" | xargs)" = "S W A B C D E F" ]
}

@test "a value that nobody can guess is not guessed" {
	[ -z "$(offered pario run transfer --transfer_size "")" ]
	[ -z "$(offered pario run transfer --label "")" ]
}

@test "directories, plans, journals and programs by their names" {
	mkdir place
	touch plan.ini
	[ "$(offered pario run transfer --dir pl)" = place ]
	offered pario run transfer --plan pl | grep -qx plan.ini
	offered pario report pla | grep -qx place
	[ "$(offered pario trace pla | xargs -n 1 | sort | xargs)" = "place plan.ini" ]
	[ "$(offered pario doctor pla)" = place ]
}

# tab SHELL LOAD: types half words and Tab into an interactive shell that has read its completion by the command LOAD.
tab()
{
	"$PYTHON" - "$SHELF" "$(dirname "$PARIO")" "$@" <<-'END'
		import os, pty, select, sys, time
		shelf, programs, load, shell = map(os.fsencode, (sys.argv[1], sys.argv[2], sys.argv[-1], sys.argv[3]))
		pid, fd = pty.fork()
		if pid == 0:
		    os.environ.update(PS1="ready> ", TERM="dumb", PATH=sys.argv[2] + ":" + os.environ["PATH"])
		    os.execvp(shell, sys.argv[3:-1])
		def until(text, seconds=60):
		    said, end = b"", time.monotonic() + seconds
		    while text not in said and time.monotonic() < end:
		        if select.select([fd], [], [], 0.2)[0]:
		            said += os.read(fd, 4096)
		    assert text in said, said
		until(b"ready> ")
		os.write(fd, load.replace(b"SHELF", shelf) + b"; echo loa'ded'\n")
		until(b"loaded\r\n")
		os.write(fd, b"pario run tran\t")
		until(b"transfer ")
		os.write(fd, b"--patt\t")
		until(b"--pattern")
		os.write(fd, b"\x03exit\n")
	END
}

@test "Tab in a bash on a terminal" {
	tab bash --norc --noprofile -i ". SHELF/pario.bash"
}

@test "Tab in a zsh on a terminal" {
	command -v zsh >/dev/null || skip "zsh is not installed"
	zsh -n "$SHELF/_pario"
	tab zsh -f -i "fpath=(SHELF \$fpath); autoload -Uz compinit; compinit -D -u"
}

@test "fish offers commands, tests, options and values" {
	command -v fish >/dev/null || skip "fish is not installed"
	fish --no-execute "$SHELF/pario.fish"
	export HOME=$PWD
	# shellcheck disable=SC2016 # fish expands
	PATH=$(dirname "$PARIO"):$PATH fish -c 'source $argv[1]; for line in $argv[2..]; complete -C $line; end' "$SHELF/pario.fish" "pario ru" "pario run tran" \
		"pario run transfer --patt" "pario run transfer --pattern seg" >offered
	for word in run transfer --pattern segmented; do cut -f 1 offered | grep -qx -e "$word"; done
}

@test "a manual page for every command and test, clean for mandoc" {
	command -v mandoc >/dev/null || skip "mandoc is not installed"
	mkdir man
	"$PYTHON" "$PARIO_SOURCE/tools/man.py" "$PARIO" man
	for name in $("$PARIO" list | sed -n '/^tests/,/^$/s/^  \([a-z0-9_]*\) .*/\1/p') \
		$("$PARIO" help | sed -n 's/^  pario \([a-z]*\) .*/\1/p'); do
		[ -s "man/pario-$name.1" ]
	done
	# Whether this machine's index of pages is fresh is no matter of ours.
	[ -s man/pario-options.7 ]
	run -0 mandoc -Tlint man/*.[17]
	run ! grep -v -e 'outdated mandoc.db' -e '^$' <<<"$output"
}
