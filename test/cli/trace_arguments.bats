#!/usr/bin/env bats
# pario trace: what calls were told, as the columns fd and arguments of the CSV give it back.

load lib

# seen OPERATION: descriptor, result and arguments of each such call of the program itself, in order.
seen()
{
	awk -F, -v op="$1" '$7 == 0 && $8 == op { gsub(/"/, "", $17); sub(/address=.*/, "address", $17); print $16, $12, $17 }' calls.csv
}

@test "flags, modes, ranges, second names, descriptors and statuses are what the program passed" {
	gcc -w -O1 -pthread -o arguments "$PARIO_SOURCE/test/trace/arguments.c"
	run -5 pario trace -o x.trace -- ./arguments
	pario profile x.trace --csv calls.csv >profile.txt
	head -1 calls.csv | grep -q ',fd,arguments$'
	diff - <(seen openat) <<-END
		-100 3 flags=O_RDWR|O_CREAT|O_TRUNC mode=0640
		-100 -1 flags=O_RDONLY
	END
	diff - <(seen fopen) <<<"-100 7 flags=O_WRONLY|O_CREAT|O_APPEND"
	diff - <(seen lseek) <<-END
		3 3 whence=SEEK_END by=-2
		3 0 whence=SEEK_SET by=0
	END
	diff - <(seen fallocate) <<<"3 0 value=1"
	diff - <(seen posix_fadvise) <<<"3 0 value=3"
	diff - <(seen fcntl) <<-END
		3 0 command=6 type=F_WRLCK whence=SEEK_SET from=3 length=7
		3 0 command=2 argument=1
	END
	diff - <(seen flock) <<<"3 0 command=8"
	diff - <(seen mmap) <<<"3 0 protection=PROT_READ|PROT_WRITE flags=MAP_SHARED address"
	diff - <(seen msync) <<<"-1 0 flags=4 address"
	diff - <(seen rename) <<<"-100 0 second=$PWD/newer flags=0"
	diff - <(seen symlink) <<<"-100 0 second=../somewhere else flags=0"
	diff - <(seen linkat) <<<"4 0 second=$PWD/hard flags=0"
	diff - <(seen mkdir) <<<"-100 0 value=488"
	diff - <(seen dup2) <<<"3 77 wanted=77 flags=0"
	diff - <(seen pipe) <<<"5 0 write_end=6 flags=524288"
	diff - <(seen readv) <<<"3 4 buffers=2"
	# where a directory goes on: as many places as entries, all different
	[ "$(awk -F, '$8 == "readdir" && $12 == 1 { print $10 }' calls.csv | sort -u | wc -l)" = \
		"$(awk -F, '$8 == "readdir" && $12 == 1' calls.csv | wc -l)" ]
	[ "$(seen seekdir | wc -l)" = 1 ]
	child=$(awk -F, '$8 == "fork" { print $12 }' calls.csv)
	diff - <(seen wait) <<<"-1 $child status=768"
	[ "$(seen pthread_create)" = "$(seen pthread_join)" ]
}

@test "the same by ptrace" {
	gcc -w -O1 -static -pthread -o arguments "$PARIO_SOURCE/test/trace/arguments.c" 2>build.log || skip "no static libraries"
	run -5 pario trace --ptrace -o x.trace -- ./arguments
	pario profile x.trace --csv calls.csv >profile.txt
	diff - <(seen openat | grep CREAT) <<-END
		-100 3 flags=O_RDWR|O_CREAT|O_TRUNC mode=0640
		-100 7 flags=O_WRONLY|O_CREAT|O_APPEND mode=0666
	END
	[[ $(seen lseek) == *"3 3 whence=SEEK_END by=-2"* ]]
	diff - <(seen fallocate) <<<"3 0 value=1"
	[[ $(seen fcntl) == *"type=F_WRLCK whence=SEEK_SET from=3 length=7"* ]]
	[[ $(seen rename) == *"second=$PWD/newer flags=0" ]]
	[[ $(seen symlink) == *"second=../somewhere else flags=0" ]]
	[[ $(seen pipe) == *"write_end=6 flags=524288" ]]
}

# mpi COMPILER LAUNCHER PARIO
mpi()
{
	"$1" -w -O1 -o comms "$PARIO_SOURCE/test/trace/comms.c"
	export OMPI_MCA_rmaps_base_oversubscribe=1
	timeout "$LIMIT_S" "$2" -n 3 "$3" trace -o x.trace -- ./comms viewed
	"$3" profile x.trace --csv calls.csv >profile.txt
	diff - <(awk -F, '$3 == 0 && $7 == 0 && $8 ~ /^MPI_(B|R|S|W|Is|Ir|File_(o|se))/ { gsub(/"/, "", $17); print $8, $16, $17 }' calls.csv) <<-END
		MPI_Wait -1 given=1 done=1 first=1
		MPI_Barrier -1 comm=4
		MPI_Barrier -1 comm=7
		MPI_Bcast 2 comm=2 root=2
		MPI_Reduce 0 comm=4 root=0
		MPI_Recv 1 comm=0 peer=1 tag=11
		MPI_Recv 2 comm=0 peer=2 tag=12
		MPI_Irecv -3 comm=0 peer=-3 tag=5 request=2
		MPI_Irecv 2 comm=0 peer=2 tag=6 request=3
		MPI_Isend 1 comm=0 peer=1 tag=5 request=4
		MPI_Isend 1 comm=0 peer=1 tag=6 request=5
		MPI_Waitall -1 given=4 done=4 first=2
		MPI_Sendrecv 1 comm=2 peer=1 tag=8 from=2 from_tag=8
		MPI_Send_init 1 comm=2 peer=1 tag=9 request=6
		MPI_Recv_init 2 comm=2 peer=2 tag=9 request=7
		MPI_Startall -1 given=2 done=2 first=6
		MPI_Waitall -1 given=2 done=2 first=6
		MPI_Startall -1 given=2 done=2 first=6
		MPI_Waitall -1 given=2 done=2 first=6
		MPI_Request_free -1 given=1 done=1 first=6
		MPI_Request_free -1 given=1 done=1 first=7
		MPI_File_open 1 amode=9 comm=2 hints=1
		MPI_File_set_view 1 view=1 etype=4 hints=1
		MPI_File_set_view 1 view=2 etype=8 hints=0
		MPI_File_set_view 1 view=3 etype=4 hints=0
		MPI_File_seek 1 whence=SEEK_SET by=1
		MPI_Wait -1 given=1 done=1 first=8
		MPI_File_set_atomicity 1 value=1
		MPI_Barrier -1 comm=10
	END
	"$3" profile x.trace --context context.json >profile.txt
	"${PYTHON:-python3}" - <<-END
		import collections, json
		t = json.load(open("context.json"))
		assert t["pario_trace"] == 2 and t["lacks"] == [], t["lacks"]
		def ranks(runs):
		    return [f + i * s for f, s, n in runs for i in range(n)]
		comms = collections.defaultdict(list)
		for c in t["communicators"]:
		    comms[c["id"]].append(c)
		rank = {p["process"]: p["rank"] for p in t["processes"]}
		for found in comms.values():
		    # known to all its members and to nobody else, with the same members in the same order
		    sides = {frozenset([tuple(ranks(c["members"])), tuple(ranks(c.get("remote", [])))]) for c in found}
		    assert len(sides) == 1, found
		    members = sorted(r for side in sides.pop() for r in side)
		    assert members == sorted(rank[c["process"]] for c in found), found
		    for c in found:
		        assert ranks(c["members"])[c["rank"]] == rank[c["process"]] and c["whole"], c
		# world, self of each rank, dup, idup, two halves, node, inter, merged, cart, group, and the second dup
		assert len(comms) == 1 + 3 + 10, len(comms)
		of = {p["process"]: p["rank"] for p in t["processes"]}
		views = {(of[v["process"]], v["number"]): v for v in t["views"]}
		for r in range(3):
		    assert views[r, 1]["runs"] == [[0, 8, 16, 3]] and views[r, 1]["extent"] == 40
		    assert views[r, 2]["runs"] == [[152, 16, 64, 4]] and views[r, 2]["extent"] == 512
		assert [views[r, 3]["runs"] for r in range(3)] == [[[0, 64, 192, 2]], [[64, 64, 0, 1]], [[128, 64, 0, 1]]]
		assert all("cb_nodes=1\\n" in h["hints"] for h in t["hints"]) and len(t["hints"]) == 3
	END
}

@test "messages, requests, communicators, views and hints under Open MPI" { mpi mpicc.openmpi mpirun.openmpi "$PARIO"; }
@test "messages, requests, communicators, views and hints under MPICH" {
	need_mpich
	mpi mpicc.mpich mpiexec.mpich "$PARIO_MPICH"
}

@test "files before they were opened, gaps, memory and the status are in the trace" {
	cat >gaps.c <<-END
		#include <fcntl.h>
		#include <sys/wait.h>
		#include <time.h>
		#include <unistd.h>
		int main(void)
		{
			struct timespec pause = { 0, 30000000 };
			int fd = open("old", O_WRONLY | O_TRUNC);
			open("made", O_WRONLY | O_CREAT, 0600);
			open("missing", O_RDONLY);
			write(fd, "x", 1);
			nanosleep(&pause, NULL);
			write(fd, "x", 1);
			if (fork() == 0)
				execl("/bin/sh", "sh", "-c", "exit 9", (char *)0);
			wait(0);
			return 4;
		}
	END
	gcc -w -o gaps gaps.c
	head -c 1234 /dev/zero >old
	run -4 pario trace -o x.trace -- ./gaps
	pario profile x.trace --context context.json >profile.txt
	"${PYTHON:-python3}" - <<-END
		import json, os
		t = json.load(open("context.json"))
		files = {os.path.basename(f["name"]): f for f in t["files"]}
		assert files["old"]["existed"] and files["old"]["size"] == 1234, files["old"]
		assert files["made"]["existed"] is False and files["missing"]["existed"] is False
		assert int(files["old"]["fs_type"], 16) == int(os.popen("stat -f -c %t .").read(), 16)
		first = t["processes"][0]
		assert first["status"] == 4 and first["peak_bytes"] > 100000 and first["memory_bytes"] > 1 << 20, first
		second = [p for p in t["processes"] if p["before_exec"]]
		assert len(second) == 1 and second[0]["parent"] == first["process"], t["processes"]
		assert second[0]["program"].endswith("exit 9")
	END
}

@test "a trace of version 1 is read, and says what it does not have" {
	pario profile "$PARIO_SOURCE/test/trace/version1.trace" --csv calls.csv --context context.json >profile.txt
	grep -q '^calls ' profile.txt
	[ "$(awk -F, '$8 == "pwrite" { print $10, $11, $12, $16 }' calls.csv)" = "4096 100 100 -1" ]
	"${PYTHON:-python3}" - <<-END
		import json
		t = json.load(open("context.json"))
		assert t["pario_trace"] == 1 and "version 1" in t["lacks"][0] and "descriptors" in t["lacks"][0]
	END
}
