#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# NHT-1's verification program, from outside: its lines, its errors, its memory.

load lib

# make FILE GRID VECTORS: component m of point (x,y,z) of vector s is s + x/1000 + y/10^5 + z/10^7 + m/10^9.
make()
{
	"$PYTHON" - "$@" <<'END'
import struct, sys
name, n, vectors = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(name, "wb") as f:
    for s in range(vectors):
        for z in range(n):
            f.write(b"".join(struct.pack("=5d", *(s + x / 1e3 + y / 1e5 + z / 1e7 + m / 1e9 for m in range(5)))
                             for y in range(n) for x in range(n)))
END
}

# spoil FILE INDEX VALUE: one number of it.
spoil()
{
	"$PYTHON" -c 'import struct, sys
f = open(sys.argv[1], "r+b"); f.seek(8 * int(sys.argv[2])); f.write(struct.pack("=d", float(sys.argv[3])))' "$@"
}

# refused CODE ARGUMENTS...: nothing but one sentence.
refused()
{
	local code=$1

	shift
	run "-$code" --separate-stderr pario diagonal "$@"
	one_sentence
	[ -z "$output" ]
}

@test "class S: 720 lines of 16 bytes, in the order of vectors, points and components" {
	make u 12 12
	pario diagonal u --class S >lines
	[ "$(wc -lc <lines | xargs)" = "720 11520" ]
	"$PYTHON" -c 'print("\n".join("%15.10f" % (s + d / 1e3 + d / 1e5 + d / 1e7 + m / 1e9)
		for s in range(12) for d in range(12) for m in range(5)))' >expected
	cmp lines expected
}

@test "class B is the default: 20400 lines, 326400 bytes, in constant memory" {
	truncate -s 1697932800 u # a hole: 40 vectors of zeros
	(
		ulimit -v 400000 # all of MPI's libraries are mapped; a vector is 41 MiB, the file 1.6 GiB
		pario diagonal u >lines
	)
	[ "$(wc -lc <lines | xargs)" = "20400 326400" ]
	[ "$(sort -u lines)" = "   0.0000000000" ]
	peak=$(command time -f %M "$PARIO" diagonal u 2>&1 >/dev/null) || skip "GNU time is not installed"
	small=$(truncate -s 69120 s && command time -f %M "$PARIO" diagonal s --grid 12 2>&1 >/dev/null)
	[ $((peak - small)) -lt 4096 ]
}

@test "standard input and a pipe are read to their end" {
	make u 4 3
	pario diagonal u --grid 4 >lines
	pario diagonal /dev/stdin --grid 4 < <(cat u) | cmp - lines
	run -4 --separate-stderr pario diagonal /dev/stdin --grid 4 < <(head -c 2600 u)
	says "vector 2 ends after 40 bytes"
}

@test "what does not fit becomes asterisks" {
	make u 3 1
	spoil u 0 12345.6
	spoil u 1 -1000
	[ "$(pario diagonal u --grid 3 | head -n 3)" = $'***************\n***************\n   0.0000000020' ]
}

@test "a truncated file, one of the wrong size and one that is no multiple: which vector" {
	make u 12 12
	head -c 829439 u >cut_off
	refused 4 cut_off --class S
	says "vector 12 ends after 69119 bytes"
	head -c 552960 u >short
	refused 4 short --class S
	says "it has 8 solution vectors, and vector 9 of 12 is missing"
	cat u u >long
	refused 4 long --class S
	says "vector 13 is one more than the 12"
	refused 4 u
	says "not a multiple of the 42448320 bytes"
	: >empty
	refused 4 empty --grid 12
	says "vector 1 of 1 is missing"
	run -0 pario diagonal short --class S --vectors 8
	run -0 pario diagonal long --grid 12
}

@test "NaN and infinity anywhere in the file are found, with their place" {
	make u 12 12
	spoil u $((5 * (1728 * 6 + (3 * 12 + 1) * 12 + 2) + 4)) nan # vector 7, x=3 y=2 z=4, component 5
	run -4 --separate-stderr pario diagonal u --class S
	one_sentence
	says "vector 7 holds a number that is not finite"
	says "component 5 of point x=3 y=2 z=4"
	make u 12 12
	spoil u 0 inf
	refused 4 u --class S
	says "component 1 of point x=1 y=1 z=1"
}

@test "files that are not there, directories, options" {
	refused 3 nowhere
	refused 3 .
	says "is a directory"
	refused 2
	refused 2 a b
	refused 2 u --class Q
	refused 2 u --grid 200000
	refused 2 u --nonsense 1
}

@test "it runs without MPI: no launcher, no MPI call" {
	command -v strace >/dev/null || skip "strace is not installed"
	make u 4 1
	PATH=/nonexistent "$PARIO" diagonal u --grid 4 >lines
	[ "$(wc -l <lines)" -eq 20 ]
	strace -f -o calls "$PARIO" diagonal u --grid 4 >/dev/null
	[ "$(grep -cE '(execve|clone|clone3|vfork|socket)\(' calls)" -eq 1 ] # its own execve
}

@test "a full standard output is an error" {
	[ -w /dev/full ] || skip "no /dev/full"
	make u 12 12
	full() { pario diagonal u --class S >/dev/full; }
	run -3 --separate-stderr full
	says "standard output"
}
