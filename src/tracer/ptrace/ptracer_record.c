/*
 * ptracer_record: what the arguments of a system call say: file, offset, bytes; and where the program is mapped.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <xxhash.h>

#include "tracer/elf_reader.h"
#include "tracer/ptrace/ptracer.h"

/* ---- the program's memory ---- */

static size_t peek(pid_t pid, uint64_t address, void *to, size_t length)
{
	struct iovec local = { to, length }, remote = { (void *)(uintptr_t)address, length };
	ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	return n > 0 ? (size_t)n : 0;
}

/* A string, page by page: the one behind its end may not be there. */
static void peek_string(pid_t pid, uint64_t address, char to[4096])
{
	size_t have = 0;

	while (have < 4095) {
		size_t want = 4096 - (address + have) % 4096, n;

		if (want > 4095 - have)
			want = 4095 - have;
		n = peek(pid, address + have, to + have, want);
		if (n == 0)
			break;
		if (memchr(to + have, 0, n))
			return;
		have += n;
	}
	to[have] = '\0';
}

static uint64_t iov_bytes(pid_t pid, uint64_t address, uint64_t count)
{
	struct iovec v[1024]; /* more are refused */
	uint64_t bytes = 0;
	size_t n = peek(pid, address, v, (count < 1024 ? count : 0) * sizeof(v[0]));

	for (size_t i = 0; i < n / sizeof(v[0]); i++)
		bytes += v[i].iov_len;
	return bytes;
}

/* A return address follows a call: E8 and four bytes, or FF with two to seven. */
bool pario_ptracer_returns(pid_t pid, uint64_t address)
{
	static struct {
		uint64_t address;
		pid_t pid;
		bool is;
	} known[1024];
	size_t at = (address >> 2) % 1024;
	unsigned char b[7];
	bool is = false;

	if (known[at].address == address && known[at].pid == pid)
		return known[at].is;
	if (address > 4096 && peek(pid, address - 7, b, 7) == 7) {
		is = b[2] == 0xe8;
		for (int i = 0; i < 6; i++)
			is |= b[i] == 0xff && (b[i + 1] >> 3 & 7) == 2;
	}
	known[at].address = address;
	known[at].pid = pid;
	known[at].is = is;
	return is;
}

/* ---- files ---- */

static uint32_t file_number(struct pario_ptracer_thread *t, const char *name)
{
	size_t length = strlen(name);
	struct pario_map_key key = { XXH64(name, length, 0), XXH64(name, length, 1), 0 };
	struct pario_trace_record note = { .op = PARIO_TRACE_FILE, .t0 = t->record.t0 };
	bool is_new;

	t->process->names.limit = 1u << 20;
	note.file = pario_map_add(&t->process->names, key, &is_new);
	if (is_new)
		pario_ptracer_segment_put(&t->segment, &note, name, length < 4096 ? length : 4096);
	return note.file;
}

static uint32_t file_of_link(struct pario_ptracer_thread *t, const char *what, int number)
{
	char path[64], name[4096];
	ssize_t n;

	if (number >= 0)
		snprintf(path, sizeof(path), "/proc/%d/%s/%d", (int)t->process->pid, what, number);
	else
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)t->process->pid, what);
	n = readlink(path, name, sizeof(name) - 1);
	if (n <= 0)
		return 0;
	name[n] = '\0';
	return file_number(t, name);
}

static uint32_t file_of_fd(struct pario_ptracer_thread *t, int fd)
{
	uint32_t *file;

	if (fd < 0)
		return 0;
	if (fd >= PARIO_PTRACER_FDS)
		return file_of_link(t, "fd", fd);
	file = &t->process->files[fd];
	if (!*file) {
		*file = file_of_link(t, "fd", fd);
		t->process->at[fd] = -1;
	}
	return *file;
}

static uint32_t file_of_path(struct pario_ptracer_thread *t, int dir, uint64_t address)
{
	char given[4096], base[64], name[8300];
	ssize_t n = 0;

	peek_string(t->tid, address, given);
	if (given[0] == '/')
		return file_number(t, given);
	if (dir == AT_FDCWD)
		snprintf(base, sizeof(base), "/proc/%d/cwd", (int)t->tid);
	else
		snprintf(base, sizeof(base), "/proc/%d/fd/%d", (int)t->tid, dir);
	n = readlink(base, name, 4096);
	if (n < 0)
		n = 0;
	snprintf(name + n, sizeof(name) - (size_t)n, "%s%s", *given ? "/" : "", given);
	return file_number(t, name);
}

void pario_ptracer_exec_path(const struct pario_ptracer_thread *t, char *to, size_t capacity)
{
	bool at = t->number == SYS_execveat;
	char given[4096];

	peek_string(t->tid, t->arguments[at ? 1 : 0], given);
	if (given[0] == '/') /* as it is below its root */
		snprintf(to, capacity, "/proc/%d/root%s", (int)t->tid, given);
	else if (at && (int)t->arguments[0] != AT_FDCWD)
		snprintf(to, capacity, "/proc/%d/fd/%d%s%s", (int)t->tid, (int)t->arguments[0],
			 *given ? "/" : "", given);
	else
		snprintf(to, capacity, "/proc/%d/cwd/%s", (int)t->tid, given);
}

static int64_t *place(struct pario_ptracer_thread *t, int fd)
{
	static int64_t nowhere;

	nowhere = -1;
	return fd >= 0 && fd < PARIO_PTRACER_FDS ? &t->process->at[fd] : &nowhere;
}

/* ---- before and after ---- */

/* A lock's range, and what kind of lock it is. */
static void lock(const struct pario_ptracer_thread *t, struct pario_trace_record *r)
{
	struct flock f = { 0 };

	if (peek(t->tid, t->arguments[2], &f, sizeof(f)) != sizeof(f))
		return;
	r->offset = (uint64_t)f.l_start;
	r->size = (uint64_t)f.l_len;
	r->more = pario_lock_kind(f.l_type, f.l_whence);
}

static void enter_arguments(struct pario_ptracer_thread *t)
{
	struct pario_argument_places p = pario_argument_places[t->number];
	struct pario_trace_record *r = &t->record;
	const uint64_t *a = t->arguments;
	uint64_t how[PARIO_HOW];
	char text[4096];

	r->fd = pario_shape_fd(t->call->shape, a);
	if (p.arg)
		r->arg = (uint32_t)a[p.arg - 1];
	if (p.more)
		r->more = a[p.more - 1];
	if (p.size)
		r->size = a[p.size - 1];
	if (p.name)
		r->more = file_of_path(t, p.dir ? (int)a[p.dir - 1] : AT_FDCWD, a[p.name - 1]);
	if (p.text) {
		peek_string(t->tid, a[p.text - 1], text);
		r->more = file_number(t, text);
	}
	pario_open_arguments(t->number, &r->arg, &r->more);
	if (t->number == SYS_openat2 && peek(t->tid, a[2], how, sizeof(how)) == sizeof(how)) {
		r->arg = (uint32_t)how[0];
		r->more = how[1];
	}
	if (t->number == SYS_fcntl && pario_locks((uint32_t)a[1]))
		lock(t, r);
	if (t->number == SYS_mmap)
		r->arg = pario_map_kind((int)a[2], (int)a[3]);
	if (t->number == SYS_pipe2)
		r->arg = (uint32_t)a[1];
}

/* What is known only afterwards. */
static void leave_arguments(struct pario_ptracer_thread *t, int64_t result)
{
	struct pario_argument_places p = pario_argument_places[t->number];
	struct pario_trace_record *r = &t->record;
	int ends[2];

	if (p.size)
		r->size = t->arguments[p.size - 1];
	if (t->number == SYS_mmap)
		r->more = (uint64_t)result;
	if (t->call->op == PARIO_OP_pipe && result == 0 &&
	    peek(t->tid, t->arguments[0], ends, sizeof(ends)) == sizeof(ends)) {
		for (int i = 0; i < 2; i++) {
			if (ends[i] >= 0 && ends[i] < PARIO_PTRACER_FDS)
				t->process->files[ends[i]] = 0;
		}
		r->fd = ends[0];
		r->more = (uint64_t)ends[1];
		r->file = file_of_fd(t, ends[0]);
	}
}

void pario_ptracer_enter(struct pario_ptracer_thread *t)
{
	struct pario_trace_record *r = &t->record;
	const uint64_t *a = t->arguments;

	switch (t->call->shape) {
	case PARIO_SHAPE_PATH:
	case PARIO_SHAPE_OPEN:
		r->file = file_of_path(t, AT_FDCWD, a[0]);
		break;
	case PARIO_SHAPE_AT_PATH:
	case PARIO_SHAPE_OPENAT:
		r->file = file_of_path(t, (int)a[0], a[1]);
		break;
	case PARIO_SHAPE_PATH_2:
		r->file = file_of_path(t, AT_FDCWD, a[1]);
		break;
	case PARIO_SHAPE_AT_PATH_2:
		r->file = file_of_path(t, (int)a[1], a[2]);
		break;
	case PARIO_SHAPE_EXEC:
		r->file = t->number == SYS_execve ? file_of_path(t, AT_FDCWD, a[0])
						  : file_of_path(t, (int)a[0], a[1]);
		break;
	case PARIO_SHAPE_CLOSE:
		r->file = file_of_fd(t, (int)a[0]);
		if (a[0] < PARIO_PTRACER_FDS)
			t->process->files[a[0]] = 0;
		break;
	case PARIO_SHAPE_CLOSE_RANGE:
		for (uint64_t fd = a[0]; fd <= a[1] && fd < PARIO_PTRACER_FDS; fd++) {
			if (!(a[2] & CLOSE_RANGE_CLOEXEC))
				t->process->files[fd] = 0;
		}
		break;
	case PARIO_SHAPE_NONE:
	case PARIO_SHAPE_LENGTH:
	case PARIO_SHAPE_MMAP:
	case PARIO_SHAPE_NEW:
	case PARIO_SHAPE_COPY:
	case PARIO_SHAPE_TEE:
		break;
	default:
		r->file = file_of_fd(t, (int)a[0]);
	}
	enter_arguments(t);
}

static void opened(struct pario_ptracer_thread *t, int64_t fd)
{
	uint64_t flags = t->arguments[t->call->shape == PARIO_SHAPE_OPENAT ? 2 : 1];

	if (fd < 0 || fd >= PARIO_PTRACER_FDS)
		return;
	t->process->files[fd] = 0;
	t->record.file = file_of_fd(t, (int)fd);
	t->process->at[fd] = flags & O_APPEND && t->number != SYS_openat2 ? -1 : 0;
}

static void moved_of(struct pario_ptracer_thread *t, struct pario_trace_record *r, int fd,
		     uint64_t asked, int64_t got, const int64_t *offset)
{
	int64_t *at = place(t, fd);

	r->size = asked;
	if (got >= 0 && (uint64_t)got == asked)
		r->flags |= PARIO_TRACE_WHOLE;
	if (offset) {
		r->offset = (uint64_t)*offset;
	} else if (*at >= 0) {
		r->offset = (uint64_t)*at;
		*at += got > 0 ? got : 0;
	}
}

static void moved(struct pario_ptracer_thread *t, uint64_t asked, int64_t got, int64_t offset,
		  bool here)
{
	moved_of(t, &t->record, (int)t->arguments[0], asked, got, here ? NULL : &offset);
}

/* One side of a transfer between descriptors; `address` is where its place stands, 0 = the descriptor's own. */
static void side(struct pario_ptracer_thread *t, struct pario_trace_record *r, int fd,
		 uint64_t address, uint64_t asked, int64_t got)
{
	int64_t at = 0;
	bool named = address && peek(t->tid, address, &at, sizeof(at)) == sizeof(at);

	r->file = file_of_fd(t, fd);
	if (got > 0)
		at -= got;
	moved_of(t, r, fd, asked, got, named ? &at : NULL);
}

static void transferred(struct pario_ptracer_thread *t, const int fds[2],
			const uint64_t addresses[2], uint64_t asked, int64_t got)
{
	struct pario_trace_record source = t->record;

	side(t, &t->record, fds[1], addresses[1], asked, got);
	t->record.fd = fds[1];
	t->record.more = (uint64_t)fds[0];
	if (got <= 0)
		return;
	source.fd = fds[0];
	source.more = (uint64_t)fds[1];
	source.op = pario_source_op(t->call->op);
	source.duration = 0;
	side(t, &source, fds[0], addresses[0], asked, got);
	pario_ptracer_segment_put(&t->segment, &source, NULL, 0);
}

static void copied(struct pario_ptracer_thread *t, int64_t fd)
{
	if (fd < 0 || fd >= PARIO_PTRACER_FDS)
		return;
	t->process->files[fd] = t->record.file;
	t->process->at[fd] = *place(t, (int)t->arguments[0]) = -1;
}

void pario_ptracer_leave(struct pario_ptracer_thread *t, int64_t result)
{
	struct pario_trace_record *r = &t->record;
	const uint64_t *a = t->arguments;

	if (result < 0 && result > -4096) {
		r->flags |= PARIO_TRACE_FAILED;
		r->result = (int32_t)-result;
	} else {
		r->result = result > INT32_MAX ? INT32_MAX : (int32_t)result;
	}
	switch (t->call->shape) {
	case PARIO_SHAPE_BYTES:
		moved(t, a[2], result, 0, true);
		break;
	case PARIO_SHAPE_AT:
		moved(t, a[2], result, (int64_t)a[3], false);
		break;
	case PARIO_SHAPE_IOV:
		moved(t, iov_bytes(t->tid, a[1], a[2]), result, 0, true);
		break;
	case PARIO_SHAPE_IOV_AT:
		moved(t, iov_bytes(t->tid, a[1], a[2]), result, (int64_t)a[3], false);
		break;
	case PARIO_SHAPE_IOV_AT2:
		moved(t, iov_bytes(t->tid, a[1], a[2]), result, (int64_t)a[3], (int64_t)a[3] == -1);
		break;
	case PARIO_SHAPE_SENDFILE:
		transferred(t, (int[]){ (int)a[1], (int)a[0] }, (uint64_t[]){ a[2], 0 }, a[3],
			    result);
		break;
	case PARIO_SHAPE_COPY:
		transferred(t, (int[]){ (int)a[0], (int)a[2] }, (uint64_t[]){ a[1], a[3] }, a[4],
			    result);
		break;
	case PARIO_SHAPE_TEE:
		transferred(t, (int[]){ (int)a[0], (int)a[1] }, (uint64_t[]){ 0, 0 }, a[2], result);
		break;
	case PARIO_SHAPE_SEEK:
		if (result >= 0)
			r->offset = (uint64_t)(*place(t, (int)a[0]) = result);
		break;
	case PARIO_SHAPE_RANGE:
		r->offset = a[1];
		r->size = a[2];
		break;
	case PARIO_SHAPE_OPEN:
	case PARIO_SHAPE_OPENAT:
		opened(t, result);
		break;
	case PARIO_SHAPE_DUP:
		copied(t, result);
		break;
	case PARIO_SHAPE_FCNTL:
		if (a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC)
			copied(t, result);
		break;
	case PARIO_SHAPE_NEW:
		if (result >= 0 && result < PARIO_PTRACER_FDS)
			t->process->files[result] = 0;
		r->file = result >= 0 ? file_of_fd(t, (int)result) : 0;
		break;
	case PARIO_SHAPE_RESIZE:
		r->size = a[1];
		break;
	case PARIO_SHAPE_ALLOCATE:
		r->offset = a[2];
		r->size = a[3];
		break;
	case PARIO_SHAPE_LENGTH:
		r->size = a[1];
		break;
	case PARIO_SHAPE_MMAP:
		r->size = a[1];
		r->offset = a[5];
		r->file = file_of_fd(t, (int)a[4]);
		break;
	default:
		break;
	}
	leave_arguments(t, result);
}

/* ---- mappings ---- */

static void hex(char *to, const unsigned char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		sprintf(to + 2 * i, "%02x", bytes[i]);
}

/* What is added to the file's addresses, and its build-id. */
static uint64_t look_at_file(const char *path, uint64_t start, char *id)
{
	struct pario_elf_bytes from = { .fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) };
	struct pario_elf_note note;
	struct pario_elf elf;
	uint64_t base = start;

	*id = '\0';
	if (from.fd < 0)
		return start;
	if (pario_elf_open(&elf, &from) == PARIO_ELF_OWN) {
		base = elf.moves ? start : 0;
		if (pario_elf_find_note(&elf, "GNU", NT_GNU_BUILD_ID, &note) && note.bytes <= 32)
			hex(id, note.content, note.bytes);
	}
	close(from.fd);
	return base;
}

static void put_mapping(struct pario_ptracer_thread *t, const char *path, uint64_t from,
			uint64_t to)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_MODULE, .offset = from, .site = to };
	char text[PARIO_TRACE_TEXT_MAX + 200], id[80];
	uint64_t base = look_at_file(path, from, id);
	int n = snprintf(text, sizeof(text), "%.4000s\n%s", path, id);

	note.file = (uint32_t)base;
	note.result = (int32_t)(base >> 32);
	pario_ptracer_segment_put(&t->segment, &note, text, (size_t)n);
}

static void put_mappings(struct pario_ptracer_thread *t)
{
	char name[64], line[4400], path[4096], last[4096] = "";
	unsigned long long from, to, first = 0, end = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)t->tid);
	file = fopen(name, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx-%llx %*s %*s %*s %*s %4095[^\n]", &from, &to, path) != 3 ||
		    path[0] != '/')
			continue;
		if (strcmp(path, last) != 0) {
			if (*last)
				put_mapping(t, last, first, end);
			memcpy(last, path, sizeof(last));
			first = from;
		}
		end = to;
	}
	if (*last)
		put_mapping(t, last, first, end);
	if (file)
		fclose(file);
}

void pario_ptracer_introduce(struct pario_ptracer_thread *t)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_PROGRAM };
	char path[64], text[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)t->tid);
	n = readlink(path, text, 2000);
	n = n > 0 ? n : 0;
	text[n++] = '\n';
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)t->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t more = read(fd, text + n, sizeof(text) - (size_t)n);

		n += more > 0 ? more : 0;
		close(fd);
	}
	pario_ptracer_segment_put(&t->segment, &note, text, (size_t)n);
	put_mappings(t);
}
