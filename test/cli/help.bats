#!/usr/bin/env bats
# --help and -h, wherever they stand.

load lib

@test "every command takes --help and -h" {
	for command in $("$PARIO" help | awk '$1 == "pario" && $2 != "help" { print $2 }' | grep -v '^[0-9]'); do
		pario help "$command" >wanted
		for word in --help -h; do
			run -0 --separate-stderr pario "$command" "$word"
			diff wanted - <<<"$output"
		done
	done
}

@test "help of run is that of the test it names" {
	pario help transfer >wanted
	run -0 pario run transfer --np 2 --help
	diff wanted - <<<"$output"
}

@test "a traced program's own --help is its own" {
	run -0 pario trace -o x.trace ls --help
	[[ $output == *"ls [OPTION]"* ]]
	run -0 pario trace -o x.trace -- ls -h
	run -0 pario trace --stack 2 --help
	[[ $output == "pario trace "* ]]
}
