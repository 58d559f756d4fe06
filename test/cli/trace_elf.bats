#!/usr/bin/env bats
# pario trace: looks at program files, and never starts what a file names.

load lib

# Says with which libraries it was started.
said()
{
	cat >said.c <<-END
		#include <stdio.h>
		#include <stdlib.h>
		int main(void) { puts(getenv("LD_PRELOAD")); return 0; }
	END
	gcc "$@" -o said said.c
}

# A loader that tells that it ran.
plant_loader()
{
	cat >loader.c <<-END
		#include <fcntl.h>
		int main(void) { return creat("$PWD/started", 0600) < 0; }
	END
	gcc -static -o ld-linux-x86-64.so.2 loader.c
	echo 'int main(void) { return 0; }' >sample.c
	gcc -Wl,--dynamic-linker="$PWD/ld-linux-x86-64.so.2" -o sample sample.c
}

@test "the loader that an input file names is not started" {
	plant_loader
	run -0 pario trace -o x.trace -- timeout 120 md5sum ./sample
	run -0 pario trace -o y.trace -- env cat "$PWD/sample"
	[ ! -e started ]
}

# shellcheck disable=SC2016 # the loader expands it
@test "libraries are found as the loader finds them: what a library of the program's own needs" {
	mkdir deep
	echo 'int MPI_Initialized(int *); int mid(void) { int is; return MPI_Initialized(&is); }' >mid.c
	gcc -shared -fPIC -o deep/libmid.so mid.c -l:libmpi.so.40
	said -Wl,--no-as-needed -Ldeep -lmid '-Wl,-rpath,$ORIGIN/deep' -Wl,-rpath-link,/usr/lib
	run -0 pario trace -o x.trace -- ./said
	[[ $output == *libpario-trace-openmpi.so* ]]
	run -0 pario trace -o x.trace -- timeout 120 ./said
	[[ $output == *libpario-trace-openmpi.so* ]]
	said -Wl,--no-as-needed -Ldeep -lmid -Wl,-rpath-link,/usr/lib
	LD_LIBRARY_PATH=$PWD/deep run -0 pario trace -o x.trace -- ./said
	[[ $output == *libpario-trace-openmpi.so* ]]
	said
	run -0 pario trace -o x.trace -- ./said
	[[ $output != *libpario-trace-openmpi.so* ]]
}

@test "files with broken headers are looked at without harm" {
	said
	for at in 32 40 54 56; do
		cp said broken
		printf '\377\377\377\377\377\377\377\377' | dd of=broken bs=1 seek=$at conv=notrunc status=none
		run -0 pario trace -o x.trace -- timeout 120 cat broken
	done
	head -c 100 said >short && chmod +x short
	run -0 pario trace -o x.trace -- timeout 120 cat short
}
