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

# solve CLASS: lines has the diagonals of what the solver itself writes.
solve()
{
	local file

	pario run nht1_application --dir "$DATA" --output "$OUT" --np 2 --class "$1" --repetitions 1 --keep_files 1 --quiet
	file=$(jq -r 'select(.kind == "end") | .kept[0]' "$OUT/journal.jsonl")
	pario diagonal "$file" --class "$1" >lines
	pario clean --kept "$DATA" >/dev/null
}

# golden GRID: from the table on standard input (step d values), each within 1e-9 of its line.
golden()
{
	awk -v n="$1" 'NR == FNR { value[NR - 1] = $1; next }
		{ for (m = 0; m < 5; m++) {
			is = value[5 * n * ($1 / 5 - 1) + 5 * ($2 - 1) + m]; off = is - $(3 + m); seen++
			if (off > 1e-9 || off < -1e-9) { print "step", $1, "d", $2, "component", m + 1, is, $(3 + m); bad = 1 }
		} }
		END { exit bad || seen == 0 }' lines -
}

@test "the golden lines of class S, from the solver itself" {
	solve S
	golden 12 <<'END'
5 1 2.0000000000 1.0000000000 2.0000000000 2.0000000000 5.0000000000
5 2 3.8826051512 0.8501302244 2.3920154392 2.3895067591 17.1164964928
5 3 14.7276019366 -0.5604775558 3.6003272644 3.6172725518 56.4190907952
5 7 205.2375255379 11.5659201197 52.0424043665 48.6336772397 478.1184846522
60 2 2.4340351917 1.0497143688 2.2233178750 2.2232780377 5.8250481967
60 3 3.0101095248 1.2000099875 2.5309793025 2.5303334841 6.6643843347
60 7 6.8278157303 2.9010986601 4.7043252676 4.6512207796 10.2217805977
60 12 15.76 8.26 10.32 9.72 15.52
END
}

@test "the golden lines of class W, from the solver itself" {
	solve W
	golden 24 <<'END'
5 2 2.5855263713 0.9033045790 2.1518429214 2.1488167526 15.8571436789
5 3 4.9467452415 0.6062082731 2.7656815404 2.7127454167 56.0618915683
5 13 272.4112462644 14.8220549545 72.2275075827 65.6927041445 771.9124118148
200 2 2.2161168979 1.0078572081 2.0992155283 2.1006263618 5.4488385493
200 3 2.6161495148 1.0172661174 2.2296549341 2.2395377397 6.2314841772
200 13 18.0242931545 3.0621705147 6.8947448003 6.7283161733 36.4512749027
END
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
	[ $((peak - small)) -lt 16384 ] # KiB; how much of the libraries is mapped differs by itself
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
