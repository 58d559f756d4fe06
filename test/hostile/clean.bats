#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031 # WORKSPACE is set within one test
# Can another user, or what lies in the directory, make `pario clean` or a run touch files that are not pario's?

load lib

# workspace NAME...: a workspace that a dead run left, naming these files and trees.
workspace()
{
	WORKSPACE=$DATA/pario-0123abcd
	mkdir "$WORKSPACE"
	printf '%s\n' "pario workspace 1" "$@" >"$WORKSPACE/manifest"
}

clean()
{
	run timeout -k 5 "$LIMIT_S" "$PARIO" clean "$DATA"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "another user's workspace with a manifest that is right in every way: root's clean leaves it" {
	need_other
	chmod 1777 "$DATA"
	WORKSPACE=$DATA/pario-0123abcd
	as_other mkdir -p "$WORKSPACE/tree"
	as_other bash -c "printf '%s\n' 'pario workspace 1' file tree/ >'$WORKSPACE/manifest'
		echo his >'$WORKSPACE/file'; echo his >'$WORKSPACE/tree/file'"
	clean
	[[ $output == *"left (of another user"* ]]
	[ "$(cat "$WORKSPACE/file" "$WORKSPACE/tree/file")" = $'his\nhis' ]
	# Nor is root told that pario clean would remove it.
	measure "$PARIO" "${SMALL[@]}"
	[[ $status -eq 0 && $output != *"earlier runs"* ]]
}

@test "a directory of his exchanged for a link again and again while root cleans: nothing behind it goes" {
	local victim i

	need_other
	victim=$BATS_TEST_TMPDIR/victim
	tried 3
	chmod 777 "$DATA"
	mkdir -p "$victim"/d{1..300}
	touch "$victim"/d{1..300}/file
	as_other bash -c "cd '$DATA' && mkdir -p pario-0123abcd/tree/d{1..300} && touch pario-0123abcd/tree/d{1..300}/file &&
		printf '%s\n' 'pario workspace 1' file tree/ >pario-0123abcd/manifest"
	as_other ln -s "$victim" "$DATA/pario-0123abcd/link"
	attack "$SWAP" "$DATA/pario-0123abcd/tree" "$DATA/pario-0123abcd/link" >/dev/null
	for ((i = 0; i < 3; i++)); do clean; done
	[ "$(find "$victim" -name file | wc -l)" -eq 300 ]
}

@test "a link, a hard link and a mount inside a tree of one's own: none is entered, cut or emptied" {
	local victim=$BATS_TEST_TMPDIR/victim

	workspace tree/ link/
	mkdir "$victim" "$WORKSPACE/tree"
	head -c 2M /dev/zero >"$victim/large"
	echo precious >"$victim/file"
	ln "$victim/large" "$WORKSPACE/tree/large"
	ln -s "$victim" "$WORKSPACE/tree/inside"
	ln -s "$victim" "$WORKSPACE/link"
	if [ "$(id -u)" -eq 0 ]; then
		mkdir "$WORKSPACE/tree/mounted"
		if mount --bind "$victim" "$WORKSPACE/tree/mounted"; then MOUNTS+=("$WORKSPACE/tree/mounted"); fi
	fi
	clean
	[ "$(stat -c %s "$victim/large")" -eq 2097152 ]
	[ "$(cat "$victim/file")" = precious ]
	[ ! -e "$WORKSPACE/tree/large" ]
	[ ! -L "$WORKSPACE/link" ]
}

@test "a file of another user in a tree of one's own is left, and the tree with it" {
	need_other
	workspace tree/
	mkdir -m 777 "$WORKSPACE/tree"
	chmod 755 "$WORKSPACE"
	as_other bash -c "echo his >'$WORKSPACE/tree/his'"
	echo mine >"$WORKSPACE/tree/mine"
	clean
	[[ $output == left* ]]
	[ "$(ls "$WORKSPACE/tree")" = his ]
}

@test "a pipe, a link or a directory in the place of a manifest: neither clean nor a run waits for it" {
	local i=0 kind

	tried 6
	for kind in "mkfifo manifest" "ln -s /dev/zero manifest" "mkdir manifest"; do
		mkdir "$DATA/pario-0000000$i"
		(cd "$DATA/pario-0000000$i" && $kind)
		i=$((i + 1))
	done
	clean
	[ "$(grep -c ^left <<<"$output")" -eq 3 ]
	measure "$(quickest)" "${SMALL[@]}"
	[ "$status" -eq 0 ]
	[ "$(find "$DATA" -mindepth 1 -maxdepth 1 | wc -l)" -eq 3 ]
}

@test "what a killed trace and a killed launcher left in /tmp is removed or named, and what lives is let be" {
	local left dead alive

	tried 4
	left=$(mktemp -d /tmp/pario-others-XXXXXX)
	mkdir "$left/0123"
	echo x >"$left/0123/2024.1"
	clean
	[[ $output == *"removed $left"* ]]
	[ ! -e "$left" ]
	mkdir -p "$left/0123/of a stranger"
	clean
	[[ $output == *"left (holds what another user made there) $left"* ]]
	rmdir "$left/0123/of a stranger"
	exec 9<"$left"
	flock 9
	clean
	[[ $output != *"$left"* && -d $left ]]
	exec 9<&-
	clean
	[ ! -e "$left" ]

	export TMPDIR=$BATS_TEST_TMPDIR
	dead=$TMPDIR/ompi.$(hostname -s).$(id -u)/pid.4194305 alive=$TMPDIR/ompi.$(hostname -s).$(id -u)/pid.$$
	mkdir -p "$dead" "$alive"
	clean
	[[ $output == *"left (of an Open MPI launcher that was killed; rm -r removes it) $dead"* ]]
	[[ $output != *"$alive"* ]]
	[ -d "$dead" ]
}
