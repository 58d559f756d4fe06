#!/usr/bin/env bats
# shellcheck disable=SC2154 # variables that bats sets
# What needs a large library is loaded when it is used, and what cannot be loaded is told.

load lib

# copy MODULE...: the program alone with these modules.
copy()
{
	mkdir -p bin
	cp "$PARIO" bin/
	for name; do cp "$(dirname "$PARIO")/libpario-$name.so" bin/; done
}

need_module()
{
	[ -e "$(dirname "$PARIO")/libpario-$1.so" ] || skip "this pario has no module $1"
}

arrays()
{
	timeout -k 5 "$LIMIT_S" bin/pario run noncontig_array --dir "$DATA" --output "$OUT" --np 2 --repetitions 1 "$@"
}

@test "the program itself loads none of the large libraries" {
	run -0 ldd "$PARIO"
	[[ $output == *libmpi* ]]
	[[ $output != *libhdf5* && $output != *libpnetcdf* && $output != *libscalapack* && $output != *libcurl* ]]
}

@test "a run that does not need a module does not look for it" {
	copy
	strace -f -e trace=openat -o calls bin/pario run transfer --dir "$DATA" --output "$OUT" "${SMALL[@]}" >/dev/null
	grep -q libmpi calls
	run -1 grep -E 'libpario-|libhdf5|libpnetcdf|libscalapack' calls
}

@test "pario list loads no module that is whole" {
	need_module hdf5
	run -0 env LD_DEBUG=files "$PARIO" list
	[[ $output == *"calling init: "*libmpi* ]]
	[[ $output != *"calling init: "*/libpario-* && $output != *"calling init: "*/libhdf5* ]]
	[[ $output == *"(HDF5 "[0-9]* ]]
}

@test "pario list names what a module lacks" {
	need_module hdf5
	copy
	echo 'int gone;' | gcc -x c -shared -fPIC -o libgone.so -
	echo "const char pario_module_build_hdf5[] = \"$("$PARIO" --version | sed 's/pario \(.*\) (\(.*\))/\1 for \2/')\";" |
		gcc -x c -shared -fPIC -o bin/libpario-hdf5.so - -Wl,--no-as-needed -L. -lgone
	rm libgone.so
	run -0 bin/pario list
	[[ $output == *"unavailable: "*libgone.so* ]]
	echo 'const char pario_module_build_hdf5[] = "0.0.1 for openmpi";' | gcc -x c -shared -fPIC -o bin/libpario-hdf5.so -
	run -0 bin/pario list
	[[ $output == *"pario 0.0.1 for openmpi"* ]]
}

@test "the versions of libraries are in the journal whether they were loaded or not" {
	need_module hdf5
	measure "${SMALL[@]}"
	plain=$(jq -r 'select(.kind == "begin") | .machine.libraries.hdf5' "$OUT"/journal.jsonl)
	[[ $plain == "HDF5 "[0-9]* ]]
	measure "${SMALL[@]}" --api hdf5
	[ "$(jq -r 'select(.kind == "begin") | .machine.libraries.hdf5' "$OUT"/journal.jsonl)" = "$plain" ]
}

@test "a module that is not there is told, and all else goes on" {
	need_module hdf5
	copy
	run -3 arrays --api hdf5
	[[ $output == *hdf5*"not available: "*libpario-hdf5.so* ]]
	run -0 bin/pario list
	[[ $output == *"unavailable: "* ]]
	run -0 bin/pario run transfer --dir "$DATA" --output "$OUT" "${SMALL[@]}"
}

@test "a module beside the program is used, and so is an installed one" {
	need_module hdf5
	copy hdf5
	run -0 arrays --api hdf5
	mkdir -p "bin/$(from_bin)"
	mv bin/libpario-hdf5.so "bin/$(from_bin)/"
	rm -rf "$OUT"
	run -0 arrays --api hdf5
}

# Where modules are installed, seen from the program.
from_bin() { sed -n 's/^#define PARIO_TRACE_FROM_BIN *"\(.*\)".*/\1/p' "$PARIO_BUILD/generated/version.h"; }

@test "a file that is no module, and one of another pario, are told" {
	need_module hdf5
	copy
	echo "not a library" >bin/libpario-hdf5.so
	run -3 arrays --api hdf5
	[[ $output == *"its module cannot be loaded ("*"libpario-hdf5.so: "* ]]
	echo 'const char pario_module_build_hdf5[] = "0.0.1 for openmpi";' | gcc -x c -shared -fPIC -o bin/libpario-hdf5.so -
	run -3 arrays --api hdf5
	[[ $output == *"pario 0.0.1 for openmpi"* ]]
	echo 'int other;' | gcc -x c -shared -fPIC -o bin/libpario-hdf5.so -
	run -3 arrays --api hdf5
	[[ $output == *"unknown version"* ]]
}

@test "madbench2 without ScaLAPACK's module says so" {
	need_module scalapack
	copy
	run -2 bin/pario run madbench2 --dir "$DATA" --output "$OUT" --np 1 --no_pix 64 --no_bin 2 --mode full --repetitions 1
	[[ $output == *"--mode full is not available: "*libpario-scalapack.so* ]]
	run -0 bin/pario run madbench2 --dir "$DATA" --output "$OUT" --np 1 --no_pix 64 --no_bin 2 --mode io --repetitions 1
}
