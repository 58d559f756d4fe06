/*
 * mount: which file system a directory lies on, and what is below it.
 *
 * The line of /proc/self/mountinfo is found by the device number of the directory, and among lines of the same
 * device by the longest mount point; file systems that give their files other device numbers (btrfs) are found
 * by the mount point alone. The disk's properties come from /sys/dev/block. They mislead where a hypervisor or
 * a RAID controller stands before the disk: many of them say of every disk that it rotates.
 */
#include "machine/machine_private.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/room.h"
#include "base/units.h"
#include "machine/proc.h"

static bool octal(char c, char most)
{
	return c >= '0' && c <= most;
}

/* Blanks, tabs, line ends and backslashes stand in mountinfo as three octal digits. */
static void decode(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && octal(s[1], '3') && octal(s[2], '7') && octal(s[3], '7')) {
			*to++ = (char)(((s[1] - '0') << 6) | ((s[2] - '0') << 3) | (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

bool pario_mountinfo_parse(char *line, struct pario_mountinfo *mount)
{
	char *rest = line, *fields[6], *tail[3], *word;
	unsigned major_number, minor_number;

	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 0; i < 6; i++) {
		fields[i] = strsep(&rest, " ");
		if (!fields[i])
			return false;
	}
	do {
		word = strsep(&rest, " ");
	} while (word && strcmp(word, "-") != 0);
	for (size_t i = 0; i < 3; i++) {
		tail[i] = strsep(&rest, " ");
		if (!tail[i])
			return false;
	}
	if (sscanf(fields[2], "%u:%u", &major_number, &minor_number) != 2)
		return false;
	for (size_t i = 3; i < 6; i++)
		decode(fields[i]);
	for (size_t i = 0; i < 3; i++)
		decode(tail[i]);
	*mount = (struct pario_mountinfo){
		.device = makedev(major_number, minor_number),
		.root = fields[3],
		.point = fields[4],
		.options = fields[5],
		.type = tail[0],
		.source = tail[1],
		.super = tail[2],
	};
	return true;
}

bool pario_mountinfo_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, word, length) == 0 && (at[length] == ',' || !at[length]))
			return true;
	}
	return false;
}

static bool lies_below(const char *path, const char *point)
{
	size_t length = strlen(point);

	if (strcmp(point, "/") == 0)
		return true;
	return strncmp(path, point, length) == 0 && (path[length] == '/' || !path[length]);
}

/* Adds the options that are not there yet; what has no room is left out whole and marked. */
static void add_options(char *to, size_t capacity, char *from)
{
	static const char more[] = ",...";

	for (char *word; (word = strsep(&from, ","));) {
		size_t used = strlen(to);

		if (!*word || strcmp(word, "rw") == 0 || strcmp(word, "ro") == 0 ||
		    pario_mountinfo_has(to, word))
			continue;
		if (used + 1 + strlen(word) + sizeof(more) > capacity) {
			snprintf(to + used, capacity - used, "%s", more);
			return;
		}
		snprintf(to + used, capacity - used, ",%s", word);
	}
}

static void take_line(struct pario_mount *mount, struct pario_mountinfo *line)
{
	bool read_only =
		pario_mountinfo_has(line->options, "ro") || pario_mountinfo_has(line->super, "ro");

	pario_proc_copy(mount->type, sizeof(mount->type), line->type);
	pario_proc_copy(mount->device, sizeof(mount->device), line->source);
	pario_proc_copy(mount->point, sizeof(mount->point), line->point);
	pario_proc_copy(mount->options, sizeof(mount->options), read_only ? "ro" : "rw");
	add_options(mount->options, sizeof(mount->options), line->options);
	if (!strstr(mount->options, ",..."))
		add_options(mount->options, sizeof(mount->options), line->super);
}

int pario_mount_find(const char *mountinfo, const char *path, dev_t device,
		     struct pario_mount *mount, dev_t *backing)
{
	FILE *file = fopen(mountinfo, "re");
	size_t capacity = 0, longest = 0;
	bool found = false, same_device = false;
	char *text = NULL;

	while (file && getline(&text, &capacity, file) > 0) {
		struct pario_mountinfo line;
		bool same;
		size_t length;

		if (!pario_mountinfo_parse(text, &line) || !lies_below(path, line.point))
			continue;
		same = line.device == device;
		length = strlen(line.point);
		/* Of two on the same point the later one covers the earlier one. */
		if (same_device > same || (same_device == same && length < longest))
			continue;
		found = true;
		same_device = same;
		longest = length;
		*backing = line.device;
		take_line(mount, &line);
	}
	free(text);
	if (file)
		fclose(file);
	return found ? 0 : -1;
}

/* By the number that statfs gives; `remote`: other nodes may change what lies there. */
static const struct kind {
	unsigned long magic;
	const char *name;
	bool remote;
} kinds[] = {
	{ 0xef53, "ext", false },	   { 0x58465342, "xfs", false },
	{ 0x9123683e, "btrfs", false },	   { 0x01021994, "tmpfs", false },
	{ 0x858458f6, "ramfs", false },	   { 0x794c7630, "overlay", false },
	{ 0x2fc12fc1, "zfs", false },	   { 0xf2f52010, "f2fs", false },
	{ 0x4d44, "vfat", false },	   { 0x2011bab0, "exfat", false },
	{ 0x73717368, "squashfs", false }, { 0xe0f5e1e2, "erofs", false },
	{ 0xca451a4e, "bcachefs", false }, { 0x6969, "nfs", true },
	{ 0x0bd00bd0, "lustre", true },	   { 0x47504653, "gpfs", true },
	{ 0x00c36400, "ceph", true },	   { 0x65735546, "fuse", true },
	{ 0xfe534d42, "smb3", true },	   { 0xff534d42, "cifs", true },
	{ 0x01021997, "9p", true },	   { 0x19830326, "beegfs", true },
	{ 0x20030528, "orangefs", true },  { 0x5346414f, "afs", true },
	{ 0xaad7aaea, "panfs", true },	   { 0x01161970, "gfs2", true },
	{ 0x7461636f, "ocfs2", true },
};

static const struct kind *kind_of(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return NULL;
	/* The number's type is signed on some machines: only its 32 bits mean something. */
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].magic == ((unsigned long)fs.f_type & 0xffffffffUL))
			return &kinds[i];
	return NULL;
}

bool pario_machine_remote(const char *directory)
{
	const struct kind *kind = kind_of(directory);

	return kind && kind->remote;
}

/* These types say who mounted, not what lies there. */
static bool says_little(const char *type)
{
	static const char *const types[] = { "", "none", "rootfs", "autofs" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	return false;
}

static void ask_file_system(const char *path, struct pario_mount *mount)
{
	struct pario_room room;
	const struct kind *kind = says_little(mount->type) ? kind_of(path) : NULL;

	if (kind)
		pario_proc_copy(mount->type, sizeof(mount->type), kind->name);
	pario_room_at(path, &room);
	mount->free_inodes = room.free_files;
	mount->free_bytes = room.free_bytes;
	mount->total_bytes = room.total_bytes;
}

/* The deepest part of the path that exists, without links. A directory may be named before it is made. */
static bool existing(const char *directory, char path[PATH_MAX])
{
	char part[PATH_MAX];

	if (strlen(directory) >= sizeof(part))
		return false;
	strcpy(part, *directory ? directory : ".");
	while (!realpath(part, path)) {
		char *slash = strrchr(part, '/');

		if (errno != ENOENT && errno != ENOTDIR)
			return false;
		if (slash && slash != part)
			*slash = '\0';
		else if (strcmp(part, ".") == 0 || strcmp(part, "/") == 0)
			return false;
		else
			strcpy(part, slash ? "/" : ".");
	}
	return true;
}

static bool disk_text(const char *disk, const char *file, char *text, size_t capacity)
{
	char path[PATH_MAX];

	*text = '\0';
	if (snprintf(path, sizeof(path), "%s/%s", disk, file) >= (int)sizeof(path))
		return false;
	return pario_proc_text(path, text, capacity);
}

/* "none [mq-deadline] kyber": the one in brackets is at work. */
static void active_word(char *text)
{
	char *open = strchr(text, '['), *end = open ? strchr(open, ']') : NULL;

	if (!end)
		return;
	*end = '\0';
	memmove(text, open + 1, strlen(open + 1) + 1);
}

static void list_parts(const char *disk, char *text, size_t capacity)
{
	char path[PATH_MAX];
	struct pario_text list = { 0 };
	DIR *directory = NULL;

	if (snprintf(path, sizeof(path), "%s/slaves", disk) < (int)sizeof(path))
		directory = opendir(path);
	for (struct dirent *e; directory && (e = readdir(directory));)
		if (e->d_name[0] != '.')
			pario_text_add(&list, "%s%s", list.length ? ", " : "", e->d_name);
	if (directory)
		closedir(directory);
	pario_proc_copy(text, capacity, pario_text_string(&list));
	pario_text_release(&list);
}

void pario_disk_read(const char *directory, struct pario_disk *disk)
{
	char own[PATH_MAX], word[64], *slash;
	uint64_t sectors;

	pario_proc_copy(own, sizeof(own), directory);
	slash = strrchr(own, '/');
	pario_proc_copy(disk->name, sizeof(disk->name), slash ? slash + 1 : own);
	if (disk_text(own, "size", word, sizeof(word))) {
		sectors = strtoull(word, NULL, 10);
		if (!pario_mul(sectors, 512, &disk->size_bytes))
			disk->size_bytes = 0;
	}
	/* A partition has no queue of its own; its disk is the directory above. */
	if (slash && disk_text(own, "partition", word, sizeof(word)))
		*slash = '\0';
	disk_text(own, "device/model", disk->model, sizeof(disk->model));
	disk_text(own, "queue/scheduler", disk->scheduler, sizeof(disk->scheduler));
	active_word(disk->scheduler);
	if (disk_text(own, "queue/rotational", word, sizeof(word)))
		disk->rotational = *word == '1';
	list_parts(own, disk->parts, sizeof(disk->parts));
}

static bool describe_disk(dev_t device, struct pario_disk *disk)
{
	char link[64], directory[PATH_MAX];

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(device), minor(device));
	if (major(device) == 0 || !realpath(link, directory))
		return false;
	pario_disk_read(directory, disk);
	return true;
}

static void find_disk(dev_t device, dev_t backing, const char *source, struct pario_disk *disk)
{
	struct stat node;

	if (describe_disk(device, disk) || describe_disk(backing, disk))
		return;
	if (*source == '/' && stat(source, &node) == 0 && S_ISBLK(node.st_mode))
		describe_disk(node.st_rdev, disk);
}

static void add_disk(struct pario_text *text, const struct pario_disk *disk)
{
	char size[PARIO_UNITS_CAPACITY];

	if (!*disk->name)
		return;
	pario_text_add(text, "%s", disk->name);
	if (*disk->parts)
		pario_text_add(text, " (%s)", disk->parts);
	if (*disk->model)
		pario_text_add(text, ", %s", disk->model);
	if (disk->size_bytes)
		pario_text_add(text, ", %s", pario_units_size(size, disk->size_bytes));
	if (*disk->scheduler)
		pario_text_add(text, ", scheduler %s", disk->scheduler);
	if (disk->rotational >= 0)
		pario_text_add(text, ", %s", disk->rotational ? "rotating" : "not rotating");
}

/*
 * The header of a layout as Lustre's clients hand it out, in the byte order of this machine: 32 bits magic,
 * 32 bits pattern, 128 bits object, 32 bits stripe size, 16 bits stripe count, 16 bits generation; version 3 has
 * the name of a pool behind it. Composite layouts are only counted: 16 bits at 14.
 */
void pario_mount_layout(struct pario_text *text, const void *layout, size_t length)
{
	enum { V1 = 0x0bd10bd0, V3 = 0x0bd30bd0, COMPOSITE = 0x0bd60bd0, HEADER = 32, POOL = 16 };
	const char *bytes = layout;
	char size[PARIO_UNITS_CAPACITY], pool[POOL + 1] = "";
	uint32_t magic, stripe_size;
	uint16_t count;

	if (length < HEADER)
		return;
	memcpy(&magic, bytes, sizeof(magic));
	memcpy(&stripe_size, bytes + 24, sizeof(stripe_size));
	memcpy(&count, bytes + (magic == COMPOSITE ? 14 : 28), sizeof(count));
	if (magic == COMPOSITE)
		pario_text_add(text, "composite layout of %u components", count);
	if (magic != V1 && magic != V3)
		return;
	if (count == UINT16_MAX)
		pario_text_add(text, "stripe count all");
	else if (count == 0)
		pario_text_add(text, "stripe count default");
	else
		pario_text_add(text, "stripe count %u", count);
	if (stripe_size)
		pario_text_add(text, ", stripe size %s", pario_units_size(size, stripe_size));
	if (magic == V3 && length >= HEADER + POOL)
		memcpy(pool, bytes + HEADER, POOL);
	if (*pool)
		pario_text_add(text, ", pool %s", pool);
}

static void add_striping(struct pario_text *text, const char *path)
{
	char layout[4096];
	ssize_t length = getxattr(path, "lustre.lov", layout, sizeof(layout));

	if (length > 0)
		pario_mount_layout(text, layout, (size_t)length);
}

int pario_mount_describe(const char *directory, struct pario_mount *mount, struct pario_disk *disk)
{
	struct pario_text detail = { 0 };
	char path[PATH_MAX];
	dev_t backing = 0;
	struct stat st;
	int status;

	*mount = (struct pario_mount){ 0 };
	*disk = (struct pario_disk){ .rotational = -1 };
	if (!existing(directory, path) || stat(path, &st) < 0)
		return -1;
	status = pario_mount_find(PARIO_MOUNTINFO, path, st.st_dev, mount, &backing);
	ask_file_system(path, mount);
	find_disk(st.st_dev, backing, mount->device, disk);
	if (strcmp(mount->type, "lustre") == 0)
		add_striping(&detail, path);
	else
		add_disk(&detail, disk);
	pario_proc_copy(mount->detail, sizeof(mount->detail), pario_text_string(&detail));
	pario_text_release(&detail);
	return status;
}

int pario_machine_mount(const char *directory, struct pario_mount *mount)
{
	struct pario_mount found;
	struct pario_disk disk;

	if (pario_mount_describe(directory, &found, &disk) < 0)
		return -1;
	*mount = found;
	return 0;
}
