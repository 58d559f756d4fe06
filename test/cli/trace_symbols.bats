#!/usr/bin/env bats
# libpario-trace.so and its shims: every name of test/trace/symbols is there, and each wrapper has a function to call.

load lib

libraries() { dirname "$PARIO"; }

# exported LIBRARY: names of functions
exported() { nm -D --defined-only "$(libraries)/$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u; }

# wanted KIND: names that a kind of library must have
wanted()
{
	grep "^$1 " "$PARIO_SOURCE/test/trace/symbols" | cut -d' ' -f2- | while read -r line; do
		eval "printf '%s\n' $line"
	done | sort -u
}

# complete KIND LIBRARY
complete()
{
	[ -e "$(libraries)/$2" ] || skip "this pario has no $2"
	wanted "$1" >wanted
	exported "$2" >exported
	[ "$(wc -l <wanted)" -gt "$3" ]
	diff /dev/null <(comm -23 wanted exported)
}

@test "all names of the C library, libaio and liburing are wrapped" { complete libc libpario-trace.so 400; }
@test "all names of HDF5 are wrapped" { complete hdf5 libpario-trace-hdf5.so 50; }
@test "all names of PnetCDF are wrapped" { complete pnetcdf libpario-trace-pnetcdf.so 600; }

@test "all names of MPI are wrapped that this MPI has, also as PMPI" {
	[ -e "$(libraries)/libpario-trace-openmpi.so" ] || skip "this pario has no shim for Open MPI"
	wanted mpi >names
	echo 'int main(void) { return 0; }' >empty.c
	mpicc.openmpi -Wl,--no-as-needed -o empty empty.c
	nm -D --defined-only "$(ldd ./empty | awk '/libmpi\.so/ { print $3 }')" | awk '{ print $3 }' | sort -u >theirs
	comm -12 <(sort names) theirs >wanted
	[ "$(wc -l <wanted)" -gt 100 ]
	exported libpario-trace-openmpi.so >exported
	diff /dev/null <(comm -23 wanted exported)
	grep '^MPI_File' wanted | sed 's/^/P/' | sort >pwanted
	diff /dev/null <(comm -23 pwanted exported)
}

@test "the tracer shows nothing but wrappers and its own names" {
	wanted libc >wanted
	exported libpario-trace.so >exported
	# twins the list does not have, each a name of the C library, of libaio or of liburing
	comm -13 wanted exported | grep -v pario >more || true
	nm -D --defined-only "$(ldd "$PARIO" | awk '$1 == "libc.so.6" { print $3 }')" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >libc
	diff /dev/null <(comm -23 more libc | grep -vE '^(io|io_uring)_')
}
