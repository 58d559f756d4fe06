#!/usr/bin/env bats
# shellcheck disable=SC2016 # the programs that stand in expand their variables themselves
# Does packaging/install-deps do what it says on machines that lack everything? Programs of the same names stand in for
# the system's: nothing is installed, and no network is asked.
load lib

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	export FAKE=$PWD USER_ID=1000 SUDO=0 INSTALL=0 POLICY_RC_D=$PWD/policy
	mkdir bin
	fake dpkg-query 'exit 1'
	fake apt-cache 'exit 0'
	fake id 'echo $USER_ID'
	fake sudo '[ "$1" != -n ] || shift; [ "$SUDO" = 0 ] || { echo "sudo: a password is required" >&2; exit 1; }; "$@"'
	fake apt-get 'echo "apt-get $DEBIAN_FRONTEND $*" >>"$FAKE/calls"
case " $* " in
*" install "*)
	cp "$POLICY_RC_D" "$FAKE/policy.then" 2>/dev/null
	[ "$INSTALL" != hang ] || { echo >"$FAKE/hangs"; sleep 300 & echo $! >"$FAKE/sleeper"; wait; }
	exit "$INSTALL" ;;
esac'
}

teardown() { return 0; }

# fake NAME TEXT: a program that does no more than that.
fake()
{
	printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}

deps()
{
	PATH=$PWD/bin:$PATH timeout -k 5 "$LIMIT_S" "$PARIO_SOURCE/packaging/install-deps" "$@" </dev/null
}

@test "what is missing is named, the lists are fetched, and then it is installed without recommendations" {
	run -0 deps build optional test
	[[ $output == *"will install with sudo -n apt-get: "*cmake*liblapack-dev*procps* ]]
	[ "$(wc -l <calls)" -eq 2 ]
	[[ $(sed -n 1p calls) == "apt-get noninteractive "*" update" ]]
	[[ $(sed -n 2p calls) == "apt-get noninteractive "*" install -y --no-install-recommends "*cmake* ]]
	[[ $(sed -n 2p calls) != *" hpcc"* ]]
}

@test "no server is started while packages are installed, and nothing of that stays" {
	run -0 deps build
	[ "$(tail -n 1 policy.then)" = "exit 101" ]
	[ ! -e policy ]
	INSTALL=1 run -0 deps build # the tools to build with are here
	[[ $output == *"could not be installed"*"going on with what is here"* ]]
	[ ! -e policy ]
	cp policy.then policy # of a call that was killed
	run -0 deps build
	[ ! -e policy ]
}

@test "a policy of the system's own stays as it is" {
	echo "mine" >policy
	run -0 deps build
	[ "$(cat policy)" = mine ]
}

@test "an interrupted installation leaves no policy behind" {
	local pid

	INSTALL=hang PATH=$PWD/bin:$PATH "$PARIO_SOURCE/packaging/install-deps" build >said 2>&1 </dev/null 3>&- &
	pid=$!
	until_true "$LIMIT_S" test -s sleeper
	[ -e policy ]
	kill -TERM $pid
	kill "$(cat sleeper)" || true
	wait $pid || true
	[ ! -e policy ]
}

@test "without the rights it says what root would have to install" {
	SUDO=1 run -0 deps build
	[[ $output == *"to be installed by root: apt-get install "*cmake* ]]
	[ ! -e calls ]
	[ ! -e policy ]
	rm bin/sudo
	mkdir empty
	for name in bash awk dirname env grep sed cat id timeout apt-get dpkg-query apt-cache cc cmake pkg-config mpicc; do
		[ -e "bin/$name" ] || ln -s "$(command -v $name)" bin/
	done
	PATH=$PWD/bin run -0 "$PARIO_SOURCE/packaging/install-deps" build
	[[ $output == *root*sudo* ]]
	rm bin/cmake
	PATH=$PWD/bin run -1 "$PARIO_SOURCE/packaging/install-deps" build
	[[ $output == *"without cmake pario cannot be built"* ]]
}

@test "where nothing is missing, nothing is asked" {
	fake dpkg-query 'echo ii'
	run -0 deps build optional test bench
	[[ $output == *"nothing to install"* ]]
	[ ! -e calls ]
}

@test "where there is no apt it says where the names are" {
	rm bin/*
	for name in bash awk dirname env; do ln -s "$(command -v $name)" bin/; done
	PATH=$PWD/bin run -1 "$PARIO_SOURCE/packaging/install-deps" build
	[[ $output == *"no Debian system"*debian-packages*"without cc cmake pkg-config mpicc"* ]]
}
