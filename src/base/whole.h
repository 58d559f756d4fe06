/*
 * whole: transfers at an offset that go on until all bytes are moved.
 */
#ifndef PARIO_BASE_WHOLE_H
#define PARIO_BASE_WHOLE_H

#include <stdint.h>

/*
 * Bytes that were moved. Fewer than `length`: errno says why, and is 0 where the file ends (reading) or takes no more
 * (writing).
 */
uint64_t pario_whole_read(int fd, void *to, uint64_t length, uint64_t offset);
uint64_t pario_whole_write(int fd, const void *from, uint64_t length, uint64_t offset);

#endif
