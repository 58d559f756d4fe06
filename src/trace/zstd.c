/*
 * zstd: the compression of blocks, or its absence when pario was built without libzstd.
 */
#include "trace/pack.h"

#include <errno.h>
#include <string.h>

#ifdef PARIO_HAVE_ZSTD
#include <zstd.h>

/* Level 3 is zstd's own default; the columns leave little for higher ones. */
enum { LEVEL = 3 };

bool pario_pack_compresses(void)
{
	return true;
}

int pario_pack_compress(void *to, size_t capacity, const void *from, size_t length, size_t *packed)
{
	static _Thread_local ZSTD_CCtx
		*context; /* made once: most blocks of short processes are small */

	if (!context)
		context = ZSTD_createCCtx();
	if (!context)
		return -1;
	*packed = ZSTD_compressCCtx(context, to, capacity, from, length, LEVEL);
	return ZSTD_isError(*packed) ? -1 : 0;
}

bool pario_pack_expand(void *to, size_t plain, const void *from, size_t packed)
{
	size_t n = ZSTD_decompress(to, plain, from, packed);

	return !ZSTD_isError(n) && n == plain;
}

#else

bool pario_pack_compresses(void)
{
	return false;
}

int pario_pack_compress(void *to, size_t capacity, const void *from, size_t length, size_t *packed)
{
	(void)to, (void)capacity, (void)from, (void)length, (void)packed;
	return -1;
}

bool pario_pack_expand(void *to, size_t plain, const void *from, size_t packed)
{
	(void)to, (void)plain, (void)from, (void)packed;
	return false;
}

#endif
