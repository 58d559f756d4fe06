/*
 * set: the parts, the most important first, since a short run may not reach the last.
 *
 * Blocks are small: a cost of calls needs many calls, not many bytes, and each cold block has to be made first. Buffers
 * are used again, as programs do.
 */
#include "characterize/set.h"

#include <string.h>

#define MIB	 ((uint64_t)1 << 20)
#define OWN	 "layout=per_client "
#define TRANSFER "verify=0 wear_out=0 reuse_buffers=1 "
#define CACHED	 TRANSFER "durability=cached "
/* Programs do something between their calls; what the kernel needs for the next one is not in the caches then. */
#define COMPUTING "gap=20 "
#define COLD	  TRANSFER "cache=cold operations=read "
#define NAMES                                                                                  \
	"items=400 time_limit=0.25 "                                                           \
	"phases=dir_create,dir_rename,dir_remove,file_create,file_stat,file_absent,file_open," \
	"file_lock,file_link,file_rename,file_remove "
#define LATER	     "items=40 time_limit=0 verify=0 write_bytes=10000 unique=1 rest=1.5 "
#define DIRECTORIES  "items=4 time_limit=0 unique=1 phases=dir_fsync "
#define ALL_SIZES    "transfer_size=1,512,4k,16k,64k,256k,1m "
#define WOVEN	     CACHED "layout=shared pattern=strided operations=write,read "
#define ONCE	     "time_limit=0 repetitions=1"
#define RANDOM_SIZES "transfer_size=4k,64k,1m "
#define DEPTHS	     "queue_depth=1,2,4,8,16 "

/* Written in large calls and read in small ones: where writing is slow, making the data would take most of the time. */
#define PIECES TRANSFER "cache=cold operations=random_read transfer_size=1m random_size=4k,64k,1m "

#define READ(path)                                             \
	{                                                      \
		"read", PARIO_SYSTEM_READ, PARIO_SYSTEM_##path \
	}
#define PIECE(path)                                                   \
	{                                                             \
		"random_read", PARIO_SYSTEM_READ, PARIO_SYSTEM_##path \
	}
#define WRITE(path)                                              \
	{                                                        \
		"write", PARIO_SYSTEM_WRITE, PARIO_SYSTEM_##path \
	}
#define NAME(name, op)                                    \
	{                                                 \
		name, PARIO_SYSTEM_##op, PARIO_SYSTEM_ANY \
	}
#define NAME_PHASES                                                                                \
	{                                                                                          \
		NAME("dir_create", MKDIR), NAME("dir_rename", RENAME_DIRECTORY),                   \
			NAME("dir_remove", RMDIR), NAME("file_create", CREATE),                    \
			NAME("file_stat", STAT), NAME("file_absent", ABSENT),                      \
			NAME("file_open", OPEN), NAME("file_lock", LOCK), NAME("file_link", LINK), \
			NAME("file_rename", RENAME), NAME("file_remove", UNLINK)                   \
	}

/* clang-format off */
const struct pario_set_part pario_set[] = {
	{ "engine", "the cost of pario itself", "transfer",
	  OWN CACHED "api=null delay=0 delay_per_mib=0 operations=read transfer_size=4k block_size=64m",
	  PARIO_SET_ENGINE, PARIO_SET_ONE, PARIO_SYSTEM_SEQUENTIAL, 0, false, { READ(HIT) } },
	{ "cached", "sequential calls that the page cache answers", "transfer",
	  OWN CACHED COMPUTING ALL_SIZES "block_size=64m operations=write,read",
	  PARIO_SET_CALLS, PARIO_SET_SWEEP, PARIO_SYSTEM_SEQUENTIAL, 0, false, { WRITE(ABSORBED), READ(HIT) } },
	{ "cold", "sequential reads of data that are not in memory", "transfer",
	  OWN COLD "transfer_size=64k,256k block_size=32m",
	  PARIO_SET_CALLS, PARIO_SET_SWEEP, PARIO_SYSTEM_SEQUENTIAL, 0, false, { READ(MISS) } },
	{ "cold_small", "small sequential reads of data that are not in memory", "transfer",
	  OWN COLD "transfer_size=4k,16k block_size=4m",
	  PARIO_SET_CALLS, PARIO_SET_SWEEP, PARIO_SYSTEM_SEQUENTIAL, 0, false, { READ(MISS) } },
	{ "cold_large", "sequential reads that last, of data that are not in memory", "transfer",
	  OWN COLD "transfer_size=1m block_size=64m time_limit=2",
	  PARIO_SET_CALLS, PARIO_SET_SWEEP, PARIO_SYSTEM_SEQUENTIAL, 0, false, { READ(MISS) } },
	{ "fsync_small", "fsync after a few writes", "transfer",
	  OWN TRANSFER "durability=sustained operations=write transfer_size=4k block_size=4k,64k time_limit=0",
	  PARIO_SET_FSYNC, PARIO_SET_SWEEP, PARIO_SYSTEM_ANYWHERE, 0, false,
	  { { "write", PARIO_SYSTEM_FSYNC, PARIO_SYSTEM_SYNC } } },
	{ "fsync", "fsync after many bytes", "transfer",
	  OWN TRANSFER "durability=sustained operations=write transfer_size=1m block_size=1m,8m,32m time_limit=0",
	  PARIO_SET_FSYNC, PARIO_SET_SWEEP, PARIO_SYSTEM_ANYWHERE, 0, false,
	  { { "write", PARIO_SYSTEM_FSYNC, PARIO_SYSTEM_SYNC } } },
	{ "fsync_again", "fsync after bytes were written over", "transfer",
	  OWN TRANSFER "durability=sustained operations=rewrite transfer_size=4k block_size=4k,64k time_limit=0",
	  PARIO_SET_FSYNC, PARIO_SET_SWEEP, PARIO_SYSTEM_ANYWHERE, 0, false,
	  { { "rewrite", PARIO_SYSTEM_FSYNC_AGAIN, PARIO_SYSTEM_SYNC } } },
	{ "small", "files of one call, written, closed, opened and read again", "transfer",
	  OWN CACHED "operations=write,read transfer_size=4k block_size=4k time_limit=0",
	  PARIO_SET_SMALL, PARIO_SET_SWEEP, PARIO_SYSTEM_ANYWHERE, 0, false,
	  { NAME("write", CLOSE), NAME("read", CLOSE) } },
	{ "closing", "closing files of 4 KiB that were read", "metadata",
	  COMPUTING "items=100 time_limit=0 write_bytes=4k read_bytes=4k verify=0 unique=1 phases=file_close",
	  PARIO_SET_NAMES, PARIO_SET_SWEEP, PARIO_SYSTEM_ANYWHERE, 0, false, { NAME("file_close", CLOSE) } },
	{ "names", "operations on names, a directory each", "metadata", NAMES COMPUTING "unique=1",
	  PARIO_SET_NAMES, PARIO_SET_SWEEP, PARIO_SYSTEM_ANYWHERE, 0, false, NAME_PHASES },
	{ "names_full", "removing files of 64 KiB", "metadata",
	  "items=100 time_limit=0 write_bytes=64k unique=1 phases=file_create,file_remove",
	  PARIO_SET_NAMES, PARIO_SET_ONE, PARIO_SYSTEM_ANYWHERE, MIB / 16, false, { NAME("file_remove", UNLINK) } },
	{ "names_large", "removing files of 16 MiB", "metadata",
	  "items=2 time_limit=0 write_bytes=16m verify=0 unique=1 phases=file_create,file_remove",
	  PARIO_SET_NAMES, PARIO_SET_ONE, PARIO_SYSTEM_ANYWHERE, 16 * MIB, false, { NAME("file_remove", UNLINK) } },
	{ "later_names", "asking for names of files that are older than a second", "metadata",
	  LATER "phases=file_stat",
	  PARIO_SET_NAMES, PARIO_SET_ONE, PARIO_SYSTEM_ANYWHERE, 0, false, { NAME("file_stat", LOOKUP) } },
	{ "later_content", "the first read of files that are older than a second", "metadata",
	  LATER "read_bytes=10000 phases=file_content",
	  PARIO_SET_FOUND, PARIO_SET_ONE, PARIO_SYSTEM_ANYWHERE, 0, false, { { "file_content", PARIO_SYSTEM_READ, PARIO_SYSTEM_HIT } } },
	{ "cached_large", "writes of 8 MiB after a rest, which need new memory", "transfer",
	  OWN CACHED "operations=write transfer_size=8m block_size=64m rest=2.5 time_limit=0",
	  PARIO_SET_CALLS, PARIO_SET_ONE, PARIO_SYSTEM_SEQUENTIAL, 0, false, { WRITE(ABSORBED) } },
	{ "fdatasync_again", "fdatasync after bytes were written over", "transfer",
	  OWN TRANSFER "durability=sustained fdatasync=1 operations=rewrite transfer_size=4k block_size=4k,64k time_limit=0",
	  PARIO_SET_FSYNC, PARIO_SET_SWEEP, PARIO_SYSTEM_ANYWHERE, 0, false,
	  { { "rewrite", PARIO_SYSTEM_FDATASYNC_AGAIN, PARIO_SYSTEM_SYNC } } },
	{ "fsync_directory", "fsync of a directory after a file was made in it", "metadata",
	  DIRECTORIES "fsync=0",
	  PARIO_SET_NAMES, PARIO_SET_SWEEP, PARIO_SYSTEM_ANYWHERE, 0, false,
	  { { "dir_fsync", PARIO_SYSTEM_FSYNC_DIRECTORY, PARIO_SYSTEM_SYNC } } },
	{ "fsync_directory_again", "fsync of a directory after a file was made in it and synced", "metadata",
	  DIRECTORIES "fsync=1",
	  PARIO_SET_NAMES, PARIO_SET_SWEEP, PARIO_SYSTEM_ANYWHERE, 0, false,
	  { { "dir_fsync", PARIO_SYSTEM_FSYNC_DIRECTORY_AGAIN, PARIO_SYSTEM_SYNC } } },
	{ "rewritten", "sequential writes over pages that are in memory", "transfer",
	  OWN CACHED COMPUTING "operations=rewrite transfer_size=4k,64k,1m block_size=4m",
	  PARIO_SET_CALLS, PARIO_SET_SWEEP, PARIO_SYSTEM_SEQUENTIAL, 0, false,
	  { { "rewrite", PARIO_SYSTEM_WRITE, PARIO_SYSTEM_REWRITTEN } } },
	{ "direct", "direct I/O, sequential", "transfer",
	  OWN CACHED "direct=1 operations=write,read transfer_size=4k,16k,64k,256k,1m,4m block_size=32m",
	  PARIO_SET_CALLS, PARIO_SET_SWEEP, PARIO_SYSTEM_SEQUENTIAL, 0, false, { WRITE(DIRECT), READ(DIRECT) } },
	{ "sync", "writes with O_SYNC", "transfer",
	  OWN CACHED "sync=1 operations=write transfer_size=512,4k,64k,1m,16m block_size=16m",
	  PARIO_SET_CALLS, PARIO_SET_SWEEP, PARIO_SYSTEM_SEQUENTIAL, 0, false, { WRITE(SYNC) } },
	{ "cold_near", "random reads within 8 MiB, not in memory", "transfer",
	  OWN PIECES "block_size=8m",
	  PARIO_SET_CALLS, PARIO_SET_SWEEP, PARIO_SYSTEM_RANDOM, 8 * MIB, false, { PIECE(MISS) } },
	{ "cold_far", "random reads within 128 MiB, not in memory", "transfer",
	  OWN PIECES "block_size=128m",
	  PARIO_SET_CALLS, PARIO_SET_ONE, PARIO_SYSTEM_RANDOM, 128 * MIB, false, { PIECE(MISS) } },
	{ "cold_strided_4k", "reads of 4 KiB every 256 KiB, not in memory", "transfer",
	  OWN COLD "pattern=strided transfer_size=4k block_size=4k stride_padding=252k segment_count=128",
	  PARIO_SET_CALLS, PARIO_SET_ONE, PARIO_SYSTEM_STRIDED, MIB / 4, false, { READ(MISS) } },
	{ "cold_strided_64k", "reads of 64 KiB every 256 KiB, not in memory", "transfer",
	  OWN COLD "pattern=strided transfer_size=64k block_size=64k stride_padding=192k segment_count=128",
	  PARIO_SET_CALLS, PARIO_SET_ONE, PARIO_SYSTEM_STRIDED, MIB / 4, false, { READ(MISS) } },
	{ "cached_random", "random calls that the page cache answers", "transfer",
	  OWN CACHED COMPUTING RANDOM_SIZES "order=random block_size=32m operations=write,read",
	  PARIO_SET_CALLS, PARIO_SET_SWEEP, PARIO_SYSTEM_RANDOM, 32 * MIB, false, { WRITE(ABSORBED), READ(HIT) } },
	{ "cached_shared", "sequential calls in one file, answered by the page cache", "transfer",
	  CACHED RANDOM_SIZES "layout=shared pattern=segmented block_size=32m operations=write,read",
	  PARIO_SET_CALLS, PARIO_SET_SEVERAL, PARIO_SYSTEM_SEQUENTIAL, 0, true, { WRITE(ABSORBED), READ(HIT) } },
	{ "cached_woven_4k", "interleaved 4 KiB in one file, answered by the page cache", "transfer",
	  WOVEN "transfer_size=4k block_size=4k segment_count=2048",
	  PARIO_SET_CALLS, PARIO_SET_SEVERAL, PARIO_SYSTEM_STRIDED, 0, true, { WRITE(ABSORBED), READ(HIT) } },
	{ "cached_woven_64k", "interleaved 64 KiB in one file, answered by the page cache", "transfer",
	  WOVEN "transfer_size=64k block_size=64k segment_count=256",
	  PARIO_SET_CALLS, PARIO_SET_SEVERAL, PARIO_SYSTEM_STRIDED, 0, true, { WRITE(ABSORBED), READ(HIT) } },
	{ "cold_shared", "sequential reads in one file, not in memory", "transfer",
	  COLD RANDOM_SIZES "layout=shared pattern=segmented block_size=4m",
	  PARIO_SET_CALLS, PARIO_SET_SEVERAL, PARIO_SYSTEM_SEQUENTIAL, 0, true, { READ(MISS) } },
	{ "cold_woven", "interleaved reads in one file, not in memory", "transfer",
	  COLD "layout=shared pattern=strided transfer_size=64k block_size=64k segment_count=256",
	  PARIO_SET_CALLS, PARIO_SET_SEVERAL, PARIO_SYSTEM_STRIDED, 0, true, { READ(MISS) } },
	{ "names_shared", "operations on names in one directory", "metadata", NAMES "unique=0",
	  PARIO_SET_NAMES, PARIO_SET_SEVERAL, PARIO_SYSTEM_ANYWHERE, 0, true, NAME_PHASES },
	{ "direct_random", "direct I/O at random places within 32 MiB", "transfer",
	  OWN CACHED "direct=1 order=random operations=write,read transfer_size=4k,64k block_size=32m",
	  PARIO_SET_CALLS, PARIO_SET_SWEEP, PARIO_SYSTEM_RANDOM, 32 * MIB, false, { WRITE(DIRECT), READ(DIRECT) } },
	{ "device", "throughput of the device over requests in flight", "transfer",
	  OWN CACHED DEPTHS "api=uring direct=1 operations=write,read transfer_size=1m block_size=32m",
	  PARIO_SET_DEVICE_BYTES, PARIO_SET_ONE, PARIO_SYSTEM_SEQUENTIAL, 0, false, { WRITE(DIRECT), READ(DIRECT) } },
	{ "device_small", "operations of the device over requests in flight", "transfer",
	  OWN CACHED DEPTHS "api=uring direct=1 order=random operations=write,read transfer_size=4k block_size=32m",
	  PARIO_SET_DEVICE_OPS, PARIO_SET_ONE, PARIO_SYSTEM_RANDOM, 32 * MIB, false, { WRITE(DIRECT), READ(DIRECT) } },
	{ "messages", "messages between clients", "beff",
	  "phases=hpcc short=1 budget=2 memory_per_process=64m " ONCE,
	  PARIO_SET_MESSAGES, PARIO_SET_SEVERAL, PARIO_SYSTEM_ANYWHERE, 0, false, { { 0 } } },
	{ "fill", "writes beyond what memory holds", "transfer",
	  OWN CACHED "operations=write,read transfer_size=1m block_size=" PARIO_SET_FILL_SIZE " " ONCE,
	  PARIO_SET_FILL, PARIO_SET_ONE, PARIO_SYSTEM_SEQUENTIAL, 0, false, { WRITE(THROTTLED) } },
};
/* clang-format on */

const size_t pario_set_count = sizeof(pario_set) / sizeof(pario_set[0]);

const struct pario_set_part *pario_set_find(const char *name)
{
	for (size_t i = 0; i < pario_set_count; i++) {
		if (strcmp(pario_set[i].name, name) == 0)
			return &pario_set[i];
	}
	return NULL;
}
