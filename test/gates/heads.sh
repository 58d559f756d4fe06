#!/bin/bash
# Does each file begin with a comment "name: ..." that says in more than eight words what it is for, and what it leaves to others?
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC2016 # what awk reads

files 'src/*.c' 'src/*.h' | xargs -r -d '\n' awk '
	FNR == 1 {
		head = words = 0
		if ($0 !~ /^\/\*/) { print FILENAME ": does not begin with a comment"; bad = 1; nextfile }
	}
	{
		line = $0
		gsub(/^\/\*|^ \*\/?|\*\/.*/, "", line)
		words += split(line, unused, " ")
	}
	/\*\// {
		if (words < 10) { print FILENAME ": its head says too little: what is it for, what does it leave to others?"; bad = 1 }
		nextfile
	}
	END { exit bad }'
