#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# What pario does on several nodes, as far as one machine can show it.

load lib

programs()
{
	echo "$PARIO"
	if [ -x "$PARIO_MPICH" ]; then echo "$PARIO_MPICH"; fi
}

@test "with a file view each client reads its partner's data, through the partner's view" {
	local program

	for program in $(programs); do
		rm -rf "$OUT"
		run -0 --separate-stderr timeout "$LIMIT_S" "$program" run transfer --dir "$DATA" --output "$OUT" --np 3 --api mpiio \
			--file_view 1 --read_shift 1 --transfer_size 4k --block_size 8k --segment_count 3 --repetitions 1
		[ "$(field phase outcome | grep -c fail)" -eq 0 ]
		[ "$(field phase | xargs)" = "write read" ]
	done
}

# ---- batch systems ----

@test "tasks that srun started without PMI are refused, and one of them says so" {
	local rank

	export SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=4 SLURM_NNODES=2
	for rank in 0 1 3; do
		SLURM_PROCID=$rank run -2 --separate-stderr transfer "${SMALL[@]}"
		[ -z "$output" ]
		untouched
		if [ $rank -eq 0 ]; then
			one_sentence
			says "srun started 4 tasks that do not know of each other"
			says "--mpi=pmix"
		else
			[ -z "$stderr" ]
		fi
	done
	need_mpich
	PARIO=$PARIO_MPICH SLURM_PROCID=0 run -2 --separate-stderr transfer "${SMALL[@]}"
	says "--mpi=pmi2"
}

@test "in the script of a job all tasks of the allocation are used" {
	export SLURM_JOB_ID=7 SLURM_NTASKS=6 SLURM_NNODES=3 SLURM_PROCID=0
	run -0 --separate-stderr transfer --transfer_size 16k --block_size 64k --dry_run
	[[ $output == *" 6 clients "* ]]
	# an interactive shell is a step too, with a number of its own
	SLURM_STEP_ID=4294967290 SLURM_STEP_NUM_TASKS=1 run -0 --separate-stderr transfer --dry_run
	[[ $output == *" 6 clients "* ]]
	run -0 --separate-stderr transfer --np 2 --dry_run
	[[ $output == *" 2 clients "* ]]
}

@test "the only task of a step has its own cores, and says what it leaves" {
	export SLURM_JOB_ID=7 SLURM_NTASKS=600 SLURM_NNODES=3 SLURM_STEP_ID=2 SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0
	# the launcher itself must not look for the job
	export OMPI_MCA_ras=^slurm OMPI_MCA_plm=rsh OMPI_MCA_ess=^slurm HYDRA_BOOTSTRAP=fork
	measure --transfer_size 16k --block_size 64k --repetitions 1 --operations write
	[ "$(field clients)" -eq "$(nproc)" ]
	says "one task of an allocation of 600 on 3 nodes"
}

# ---- which clients ----

@test "--spread chooses clients; on one node every choice is the same" {
	local spread

	for spread in numbers nodes cores; do
		measure --transfer_size 16k --block_size 64k --repetitions 1 --operations write --np 3 --clients 1,3 \
			--spread $spread
		[ "$(field clients | xargs)" = "1 3" ]
	done
	refuse --spread racks
	says "numbers, nodes, cores"
}
