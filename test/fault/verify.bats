#!/usr/bin/env bats
# Is data that storage got wrong found, and told so that one can look for the cause? Exit 4 always.
load lib

# wrong OFFSET CLIENT TEXT: the sentence names file, first wrong byte, owner, both bytes and what was found.
wrong()
{
	local sentence expected found

	failed 4 "wrong data in $DATA/pario-"
	sentence=$(journal 'map(select(.outcome == "fail")) | first | .reason')
	echo "$sentence"
	[[ $sentence =~ "wrong data in $DATA/pario-"[0-9a-f]+"/"[0-9a-f]+".data.0.2" ]]
	[[ $sentence == *"the byte at offset $1, written by client $2, should be "* ]]
	[[ $sentence =~ "should be "(0x[0-9a-f]{2})" and is "(0x[0-9a-f]{2}) ]]
	expected=${BASH_REMATCH[1]} found=${BASH_REMATCH[2]}
	[ "$expected" != "$found" ]
	[[ $sentence == *"found there: "*$3* ]]
	[ "$(journal 'map(select(.outcome == "fail")) | length')" -ge 1 ]
}

@test "a byte that changes on its way to storage" {
	spoil corrupt=pwrite@2:1000,path=.data.,rank=0 "$(quickest)" "${SMALL[@]}"
	wrong 66536 0 "data that this run did not write"
	# The injector inverts: the two bytes complement each other.
	[[ $(phase write reason) =~ "should be "(0x..)" and is "(0x..) ]]
	[ $((BASH_REMATCH[1] ^ BASH_REMATCH[2])) -eq 255 ]
	[ "$(phase write rate_mib_s)" = null ]
}

@test "one bit of one transfer among many with the same data" {
	spoil corrupt=pwrite@3:1000,path=.data.,rank=0 "$(quickest)" "${SMALL[@]}" --same_data 1 --reuse_buffers 1
	wrong $((2 * 65536 + 1000)) 0 "data that this run did not write"
	spoil corrupt=pread@6,path=.data.,rank=0 "$(quickest)" "${SMALL[@]}" --same_data 1 --reuse_buffers 1
	wrong 65536 0 ""
	[ "$(phase write outcome)" != fail ]
}

@test "a byte that changes on its way back, seen by the verification" {
	spoil corrupt=pread@3:5,path=.data.,rank=1 "$(quickest)" "${SMALL[@]}"
	wrong $((262144 + 131072 + 5)) 1 ""
}

@test "a byte that changes on its way back, seen by the timed reading" {
	# Four reads verify what was written; the fifth is the first timed one.
	spoil corrupt=pread@6,path=.data.,rank=0 "$(quickest)" "${SMALL[@]}"
	wrong 65536 0 ""
	[ "$(phase write outcome)" != fail ]
	[ "$(phase read outcome)" = fail ]
}

@test "a write that went to another place" {
	spoil shift=pwrite@3:-65536,path=.data.,rank=0 "$(quickest)" "${SMALL[@]}"
	wrong 65536 0 "what client 0 wrote for offset 131072"
}

@test "a write into another client's part" {
	once_of 5 # client 0 makes its first write within half a second, or writes over it
	spoil shift=pwrite@4:-458752,path=.data.,rank=1,delay=pwrite@1:500ms "$(quickest)" "${SMALL[@]}"
	wrong 0 0 "what client 1 wrote for offset 458752"
}

@test "a write that was lost" {
	spoil skip=pwrite@3,path=.data.,rank=0 "$(quickest)" "${SMALL[@]}"
	wrong 131072 0 "zeros, as in a hole or a block that was never written"
}

@test "a rewrite that was lost" {
	spoil skip=pwrite@6,path=.data.,rank=0 "$(quickest)" "${SMALL[@]}" --operations write,rewrite
	wrong 65536 0 "what an earlier phase wrote there"
}

@test "a read that did not touch the buffer, in the verification" {
	spoil skip=pread@2,path=.data.,rank=0 "$(quickest)" "${SMALL[@]}"
	wrong 65536 0 "the mark of a buffer that the read did not fill"
}

@test "a read that did not touch the buffer, in the timed phase" {
	spoil skip=pread@6,path=.data.,rank=0 "$(quickest)" "${SMALL[@]}"
	wrong 65536 0 ""
	[ "$(phase read outcome)" = fail ]
}

@test "a read that did not touch a buffer that happened to hold the right data" {
	# One transfer per client: the verification before left the very data in the buffer.
	spoil skip=pread@2,path=.data.,rank=0 "$(quickest)" --np 2 --transfer_size 64k --block_size 64k --repetitions 1
	wrong 0 0 "the mark of a buffer that the read did not fill"
	[ "$(phase read outcome)" = fail ]
}

@test "the file of one client among several" {
	spoil corrupt=pwrite@4:3,path=.data.,rank=1 "$(quickest)" "${SMALL[@]}" --layout per_client
	wrong 196611 1 ""
	[[ $(phase write reason) == *".data.0.2.00000001: "* ]]
}

@test "MPI-IO, both MPIs" {
	local program

	for program in $(builds); do
		spoil corrupt=pwrite@2:7,path=.data.,rank=0 "$program" "${SMALL[@]}" --api mpiio
		failed 4 "wrong data in"
		[ "$(phase write outcome)" = fail ]
	done
}

# The points after it are points of their own: they keep all their repetitions, on every client.
@test "wrong data at one point of a sweep" {
	local np

	for np in 1 2 3; do
		spoil corrupt=pwrite@2:1000,path=.data.1.,rank=0 "$(quickest)" --np $np --transfer_size 64k,32k,16k \
			--block_size 128k --repetitions 3
		failed 4 "wrong data in $DATA/pario-"
		[ "$(journal 'map(select(.kind == "result")) | group_by(.point_index) |
			map(map(if .outcome == "fail" then "f" else "." end) | join("")) | join(" ")')" = "...... f ......" ]
	done
}

# 64 transfers of each client; the sample has every fifth.
@test "without verification the size and a sample are looked at, and nothing more is claimed" {
	local many=(--np 2 --transfer_size 4k --block_size 256k --repetitions 1 --verify 0 --operations write)

	spoil corrupt=pwrite@3:1000,path=.data.,rank=0 "$(quickest)" "${many[@]}"
	[ "$status" -eq 0 ]
	[ "$(phase write metrics.verified_bytes)" = null ]
	[ "$(phase write metrics.sampled_bytes.value)" -eq $((2 * 13 * 4096)) ]
	spoil corrupt=pwrite@6:1000,path=.data.,rank=0 "$(quickest)" "${many[@]}"
	wrong $((5 * 4096 + 1000)) 0 ""
	spoil skip=pwrite@64,path=.data.,rank=1 "$(quickest)" "${many[@]}"
	failed 4 "data are missing in $DATA/pario-"
	spoil corrupt=pread@3,path=.data.,rank=0 "$(quickest)" "${many[@]}" --operations read
	wrong 8192 0 ""
}
