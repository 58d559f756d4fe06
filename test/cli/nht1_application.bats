#!/usr/bin/env bats
# NHT-1's application: the solver, its files, zeta and what it refuses.
# shellcheck disable=SC2030,SC2031,SC2154 # variables that bats and lib.bash set and use

load lib
load ops

application() { done_well nht1_application --repetitions 1 --best_of 1 "$@"; }

# metric PHASE NAME
metric() { results "select(.phase == \"$1\") | .metrics.\"$2\".value"; }

# diagonal FILE N: components of u(d,d,d) of all vectors in C order [vector][z][y][x][5], straight from the bytes
diagonal()
{
	python3 - "$1" "$2" <<-'END'
		import struct, sys
		data, n = open(sys.argv[1], "rb").read(), int(sys.argv[2])
		size = 40 * n ** 3
		assert len(data) % size == 0
		for s in range(len(data) // size):
		    for d in range(n):
		        at = s * size + 40 * d * (n * n + n + 1)
		        print(s + 1, d + 1, *("%.10f" % v for v in struct.unpack_from("5d", data, at)))
	END
}

@test "every interface, layout and mode writes the solution" {
	local api layout mode

	for mode in sync async; do
		for api in posix uring mpiio; do
			for layout in full simple epio; do
				application --class S --np 2 --api $api --layout $layout --mode $mode
				[ "$(metric application verified_bytes)" -eq $((12 * 40 * 12 * 12 * 12)) ]
			done
		done
		application --class S --np 2 --api mpiio --collective --mode $mode
	done
}

@test "the same on 1, 3, 4 and 7 clients, with both MPIs" {
	application --class S --np 7 --clients 1,3,4,7
	application --class S --np 3 --api mpiio --collective
	PROGRAM=$PARIO_MPICH application --class S --np 2 --clients 1,2
	PROGRAM=$PARIO_MPICH application --class S --np 2 --api mpiio --collective --mode sync,async
}

@test "the file holds the published numbers, in canonical order, whoever wrote it" {
	local how

	for how in "--np 1" "--np 3" "--np 2 --api mpiio --collective" "--np 4 --api uring --layout simple"; do
		# shellcheck disable=SC2086
		run -0 operate nht1_application --repetitions 1 --best_of 1 --class S $how --keep_files
		sound
		diagonal "$(end kept)" 12 >lines
		[ "$(wc -l <lines)" -eq 144 ]
		grep -qx '1 1 2.0000000000 1.0000000000 2.0000000000 2.0000000000 5.0000000000' lines
		grep -q '^1 3 14.7276019366 -0.5604775558 3.6003272644 3.6172725518 56.4190907952' lines
		grep -q '^1 7 205.2375255379 11.5659201197 52.0424043665 48.6336772397 478.1184846522' lines
		grep -q '^12 7 6.8278157303 2.9010986601 4.7043252676 4.6512207796 10.2217805977' lines
		rm -r "$(dirname "$(end kept)")"
	done
}

@test "zeta, R_IO and the times are those of the definitions" {
	application --class W --np 2
	results . | jq -es '[.[] | select(.phase == "application") | .metrics | map_values(.value)][0] as $m
		| ([.[] | select(.phase == "compute") | .metrics.T_C.value][0] == $m.T_C)
		and (($m.T_T / $m.T_C - 1 - $m.zeta) | fabs < 1e-12)
		and ((40 * 24 * 24 * 24 * 40 / $m.T_T - $m.R_IO) | fabs < 1e-3)
		and $m.conforms == 0'
	grep -q zeta "$OUT/nht1_application.sum"
	grep -q 'lines with "no" are not' "$OUT/nht1_application.sum"
	grep -q 'every byte is that of another run' "$OUT/nht1_application.sum"
	# 60 steps, a vector every 7: eight are written, and eight count
	application --class S --np 1 --best_of 1 --write_interval 7
	results . | jq -es '[.[] | select(.phase == "application") | .metrics | map_values(.value)][0] |
		(.R_IO * .T_T / (8 * 40 * 12 * 12 * 12) - 1 | fabs) < 1e-12'
}

@test "the timeline tells when each vector was computed, handed over and done" {
	application --class S --np 2 --mode async
	results . | jq -es '.[] | select(.phase == "application")
		| .metrics.T_T.value >= .sheets.timeline.rows[11][4]
		and .metrics.T_T.value <= .seconds.total + 1
		and .metrics.R_IO.value <= .bytes / .sheets.timeline.rows[11][4]'
	results . | jq -es '[.[] | select(.phase == "application") | .sheets.timeline][0]
		| .columns == ["vector", "step", "computed_s", "put_s", "done_s"] and (.rows | length) == 12
		and (.rows | all(.[2] <= .[3] and .[3] <= .[4])) and .rows[11][1] == 60'
}

# The lowest byte of one number within a vector, far below what norms can see.
@test "a byte that is damaged on its way is found, with its place" {
	local once=(--repetitions 1 --best_of 1 --class S)

	# number 3500 of 12^3 points with 5 components: the first of point 700, (4,10,4) counted from 0
	spoiled corrupt=pwrite@3:28000,path=.solution 4 nht1_application "${once[@]}" --np 1 --mode sync
	[[ $(results 'select(.phase == "application") | .reason') == *"is not the solution: in vector 3 component 1 of point (5,11,5) is "*", at byte $((2 * 69120 + 28000))."* ]]
	spoiled corrupt=pwrite@12:28000,path=.solution,rank=1 4 nht1_application "${once[@]}" --np 2 --mode async
	[[ $(results 'select(.phase == "application") | .reason') == *"in vector 12 "* ]]
	spoiled skip=pwrite@5,path=.solution,rank=2 4 nht1_application "${once[@]}" --np 3 --layout epio
	spoiled shift=pwrite@5:8,path=.solution 4 nht1_application "${once[@]}" --np 1 --layout simple
}

# found WORDS: the reason of the run that wrote holds them, and no document claims anything of it.
found()
{
	results 'select(.phase == "application") | .reason' >reason
	grep -qF -- "$1" reason || { cat reason; return 1; }
	run ! grep -q 'read back' "$OUT/nht1_application.sum"
	[ ! -e "$OUT/nht1_diagonal_1.txt" ]
}

# The lowest byte of a number, at every interval: no norm sees that, and most intervals have none.
@test "without another run of the solver checksums find what was damaged, with its place" {
	local once=(--repetitions 1 --best_of 1 --class S --recompute 0)

	# 7 steps: vector 3 of 8; the line of byte 28000 is y = 11 of z = 5
	spoiled corrupt=pwrite@3:28000,path=.solution 4 nht1_application "${once[@]}" --np 1 --mode sync --write_interval 7
	found "in vector 3 a number of the points (1..12,11,5), bytes $((2 * 69120 + 58 * 480)) to $((2 * 69120 + 59 * 480 - 1)),"
	found "the vector of step 21."
	spoiled corrupt=pwrite@12:8,path=.solution,rank=1 4 nht1_application "${once[@]}" --np 2 --mode async
	found "in vector 12 a number of the points (1..12,1,7)"
	spoiled corrupt=pwrite@1:479,path=.solution,rank=2 4 nht1_application "${once[@]}" --np 4 --layout simple --write_interval 60
	found "in vector 1 a number of the points (1..12,1,7)"
	spoiled skip=pwrite@2,path=.solution,rank=2 4 nht1_application "${once[@]}" --np 3 --layout epio --write_interval 30
	spoiled corrupt=pwrite@2:8,path=.solution 4 nht1_application "${once[@]}" --np 2 --api mpiio --write_interval 20 --mode sync
	found "in vector "
	spoiled corrupt=pwrite@2:8,path=.solution 4 nht1_application "${once[@]}" --np 3 --api mpiio --collective --write_interval 13 --mode sync
	found "in vector "
	# io_uring and the nonblocking calls of MPI-IO write past the injector; what is read back does not
	spoiled corrupt=pread@3:8,path=.solution,rank=1 4 nht1_application "${once[@]}" --np 3 --api mpiio --collective --write_interval 13
	found "in vector 1 a number of the points (1..12,1,7)"
	spoiled corrupt=pread@3:8,path=.solution 4 nht1_application "${once[@]}" --np 1 --api uring --write_interval 11
	found "in vector 1 a number of the points (1..12,1,3)"
}

@test "the summary says what was checked and no more" {
	run -0 operate nht1_application --class S --np 2 --best_of 1 --repetitions 1 --recompute 0,1 --write_interval 5,6,7
	sound
	[ "$(metric application norms_checked | paste -sd,)" = 2,2,1,1,0,0 ]
	grep -q ' sums, norms  .* write_interval=5' "$OUT/nht1_application.sum"
	grep -q ' bytes, last norm  .* write_interval=6' "$OUT/nht1_application.sum"
	grep -q ' sums  .* write_interval=7' "$OUT/nht1_application.sum"
	[ "$(results 'select(.metrics.checksums_s) | .metrics.recomputed.value' | sort -u)" = 0 ]
	application --class S --np 1 --recompute 0 --write_interval 7
	run ! grep -qE 'norm|another run' "$OUT/nht1_application.sum"
	grep -q 'every line of points has the checksum' "$OUT/nht1_application.sum"
}

@test "the numbers on the diagonals go with every result, as the verification program prints them" {
	run -0 operate nht1_application --class S --np 3 --best_of 1 --repetitions 2 --write_interval 5 --keep_files
	sound
	run -0 pario diagonal --class S "$(end kept | tail -1)"
	[ "$(wc -l <"$OUT/nht1_diagonal_2.txt")" -eq $((5 * 12 * 12)) ]
	diff <(echo "$output") "$OUT/nht1_diagonal_2.txt"
	diff "$OUT/nht1_diagonal_1.txt" "$OUT/nht1_diagonal_2.txt"
	[ ! -e "$OUT/nht1_diagonal_3.txt" ]
	grep -q '^ *3 *2 .* 2  as given' "$OUT/nht1_application.sum"
	rm -r "${DATA:?}"/*
	application --class S --np 2 --layout epio
	[ ! -e "$OUT/nht1_diagonal_1.txt" ] # not one file
	grep -q '^ *2 *1 .* -  as given' "$OUT/nht1_application.sum"
}

@test "T_C is the best verified time of all repetitions" {
	run -0 operate nht1_application --class S --np 2 --best_of 2 --repetitions 3
	sound
	results . | jq -es '[.[] | select(.phase == "compute") | .metrics.T_C.value] as $own
		| [.[] | select(.phase == "application") | .metrics.T_C.value] as $best
		| [range(3) | $best[.] == ($own[:. + 1] | min)] | all'
	# the summary knows all of them: one T_C for the three lines
	[ "$(awk '$1 == 2 && NF > 10 { print $4 }' "$OUT/nht1_application.sum" | sort -u | wc -l)" -eq 1 ]
	[ "$(awk '$1 == 2 && NF > 10 { print $2 }' "$OUT/nht1_application.sum" | paste -sd,)" = 1,2,3 ]
}

@test "the time of a result is T_T, and that of the compute phase T_C" {
	application --class S --np 2 --best_of 3
	results . | jq -es '[.[] | select(.phase == "application")][0] as $a | [.[] | select(.phase == "compute")][0] as $c
		| $a.seconds.total == $a.metrics.T_T.value and $c.seconds.total == $c.metrics.T_C.value
		and (($a.metrics.R_IO.value / 1048576 / $a.rate_mib_s - 1) | fabs < 1e-9)'
}

@test "one T_C for all ways to write the same class on as many clients" {
	run -0 operate nht1_application --class S --np 2 --clients 1,2 --mode sync,async --layout full,simple --repetitions 1 \
		--best_of 1
	sound
	for clients in 1 2; do
		best=$(results "select(.clients == $clients and .phase == \"compute\") | .metrics.T_C.value" | sort -g | head -1)
		# the summary, and every line that comes after the best one, has that
		[ "$(awk -v n=$clients '$1 == n && NF > 10 { print $4, $5 }' "$OUT/nht1_application.sum" | sort -u)" = \
			"$(printf '%.3f run' "$best")" ]
		results . | jq -es --argjson n $clients '[.[] | select(.clients == $n)] as $r
			| [$r[] | select(.phase == "compute") | .metrics.T_C.value] as $own
			| [$r[] | select(.phase == "application") | .metrics.T_C.value] as $best
			| ($own | length) == 4 and ([range(4) | $best[.] == ($own[:. + 1] | min)] | all)'
	done
}

@test "a better T_C may be given, as seconds or as a journal, and its origin is said" {
	local best

	application --class S --np 2
	[ "$(metric application nodes) $(metric application nodes_left_out)" = "1 0" ]
	best=$(metric compute T_C)
	mv "$OUT" before
	application --class S --np 2 --t_c 0.000001
	[ "$(metric application T_C) $(metric application T_C_given)" = "1e-06 1e-06" ]
	[ "$(awk '$1 == 2 && NF > 10 { print $5 }' "$OUT/nht1_application.sum")" = --t_c ]
	application --class S --np 2 --t_c 1000
	[ "$(awk '$1 == 2 && NF > 10 { print $5 }' "$OUT/nht1_application.sum")" = run ]
	[ "$(results 'select(.metrics.T_C_given)')" = "" ]
	application --class S --np 2 --t_c before
	results . | jq -es --argjson before "$best" '[.[] | select(.phase == "compute") | .metrics.T_C.value][0] as $own
		| [.[] | select(.phase == "application") | .metrics.T_C.value][0] == ([$own, $before] | min)'
	run -2 pario run nht1_application --dir "$DATA" --class W --np 2 --t_c before
	[[ $output == *"before has no verified time of class W on 2 clients"* ]]
	run -2 pario run nht1_application --dir "$DATA" --class S --np 2 --t_c -1
	[[ $output == *"--t_c -1 is no time"* ]]
	run -3 pario run nht1_application --dir "$DATA" --class S --np 2 --t_c nowhere
	[[ $output == *nowhere* ]]
}

@test "a write that fails ends the run with its reason on every client" {
	spoiled fail=pwrite@2:ENOSPC,path=.solution,rank=1 3 nht1_application --repetitions 1 --best_of 1 --class S --np 3 --mode async
	[[ $(results 'select(.phase == "application") | .reason') == *ENOSPC* ]]
	spoiled fail=pwrite@2:EIO,path=.solution,rank=0 3 nht1_application --repetitions 1 --best_of 1 --class S --np 2 --mode sync
}

@test "contradictions get a sentence" {
	run -2 pario run nht1_application --dir "$DATA" --class S --collective
	[[ $output == *"--api mpiio"* ]]
	run -2 pario run nht1_application --dir "$DATA" --class S --write_interval 61
	[[ $output == *"nothing would be written"* ]]
	run -2 pario run nht1_application --dir "$DATA" --class G
	[[ $output == *class* ]]
	run -2 pario run nht1_application --dir "$DATA" --class S --np 13 --dry_run
	[[ $output == *"more than the grid"* ]]
}
