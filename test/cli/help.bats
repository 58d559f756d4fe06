#!/usr/bin/env bats
# --help and -h, wherever they stand.

load lib

@test "every command takes --help and -h" {
	for command in $("$PARIO" help | awk '/^  pario / && $2 != "help" { print $2 }'); do
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

@test "help names every command once, in groups, within 80 columns" {
	pario help >said
	[ "$(wc -L <said)" -le 80 ]
	[ "$(grep -c '^  pario ' said)" -eq "$(awk '/^  pario / { print $2 }' said | sort -u | wc -l)" ]
	for group in measure trace predict look "keep house"; do
		[ "$(grep -cx "$group" said)" -eq 1 ]
	done
	[ "$(grep -c '^  pario ' said)" -ge 23 ]
}

@test "help of a word says where it occurs: options, backends, hints, findings, documents" {
	run -0 pario help queue_depth
	grep -q '^  --queue_depth ' <<<"$output"
	run -0 pario help mpiio
	grep -qx backends <<<"$output"
	grep -q '^  mpiio ' <<<"$output"
	run -0 pario help --np
	grep -q '^  --np ' <<<"$output"
	[ "$(grep -c -- '--np ' <<<"$output")" -eq 1 ]
	run -0 pario help stripe
	grep -q '^  --stripe_count ' <<<"$output"
	run -0 pario help small_requests
	grep -qx "findings of pario profile" <<<"$output"
	run -0 pario help b_eff
	grep -q '^  docs/beff.md ' <<<"$output"
	for file in $(pario help docs 2>/dev/null | grep -o 'docs/[a-z_0-9-]*\.md'); do
		[ -e "$PARIO_SOURCE/$file" ]
	done
}

@test "what only tests of pario need is shown when all is asked for" {
	run -0 pario help transfer
	[[ $output != *--fail_errno* && $output != *18446744073709551615* && $output == *"--all shows them"* ]]
	run -0 pario help transfer --all
	[[ $output == *--fail_errno* && $output == *"[no limit]"* ]]
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
