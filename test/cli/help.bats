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

@test "help of an unknown word proposes the nearest command or test" {
	run -2 pario help tracee
	[[ $output == *"did you mean \`pario help trace\`?" ]]
	run -2 pario help transfr
	[[ $output == *"did you mean \`pario help transfer\`?" ]]
	run -2 pario help zzzzzz
	[[ $output == *"\`pario list\` the tests." ]]
}

@test "an unknown option names the command whose help lists them" {
	for words in "report" "compare" "doctor" "glance" "survey" "profile" "run transfer"; do
		# shellcheck disable=SC2086 # words
		run -2 pario $words --zzzzzz
		[ "$output" = "pario: unknown option --zzzzzz; \`pario help ${words#run }\` lists the options." ]
	done
}
