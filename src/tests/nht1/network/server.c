/*
 * server: writes the configuration, starts vsftpd or sshd on a free loopback port, waits until it answers.
 */
#include "tests/nht1/network/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "engine/test.h"
#include "tests/common/command.h"

enum { TRIES = 5, READY_MS = 10000, STEP_MS = 20, CALM_MS = 1000 };

static const struct kind {
	const char *name;
	struct {
		const char *words, *package; /* words as pario_command_choose takes them */
	} programs[3];			     /* the server, the client, and what makes keys */
} kinds[] = {
	[PARIO_FTP] = { "FTP", { { "vsftpd", "vsftpd" }, { "ftp|tnftp|inetutils-ftp", "tnftp" } } },
	[PARIO_SCP] = { "SSH",
			{ { "sshd", "openssh-server" },
			  { "scp", "openssh-client" },
			  { "ssh-keygen", "openssh-client" } } },
};

static bool find(const char *words, char *path, size_t capacity)
{
	char name[64];

	for (const char *end; words; words = *end ? end + 1 : NULL) {
		end = strchrnul(words, '|');
		snprintf(name, sizeof(name), "%.*s", (int)(end - words), words);
		if (pario_process_find(name, path, capacity))
			return true;
	}
	return false;
}

const char *pario_server_missing(struct pario_server *server, enum pario_protocol protocol,
				 const char **package)
{
	const struct kind *kind = &kinds[protocol];
	char other[PARIO_SERVER_PATH] = "";

	memset(server, 0, sizeof(*server));
	server->protocol = protocol;
	server->dirfd = server->data = -1;
	for (int i = 0; i < 3 && kind->programs[i].words; i++) {
		char *path = i == 0 ? server->program : i == 1 ? server->client : other;

		*package = kind->programs[i].package;
		if (!find(kind->programs[i].words, path, PARIO_SERVER_PATH))
			return kind->programs[i].words;
	}
	return NULL;
}

int pario_server_file(const struct pario_server *server, const char *name, const char *text,
		      struct pario_err *err)
{
	int fd;

	unlinkat(server->dirfd, name, 0);
	fd = openat(server->dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return pario_run_file_error(server->dirfd, name, "creating", err);
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text) || lseek(fd, 0, SEEK_SET) < 0) {
		pario_run_file_error(server->dirfd, name, "writing", err);
		close(fd);
		return -1;
	}
	return fd;
}

static int put(const struct pario_server *server, const char *name, const char *text,
	       struct pario_err *err)
{
	int fd = pario_server_file(server, name, text, err);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? -1 : 0;
}

bool pario_server_line(const struct pario_server *server, const char *name, const char *word,
		       char *line, size_t capacity)
{
	int fd = openat(server->dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
	struct pario_text clean = { 0 };
	char *text = NULL;
	size_t size = 0;
	bool found = false;

	while (file && getline(&text, &size, file) > 0) {
		text[strcspn(text, "\r\n")] = '\0';
		if (!*text || !strstr(text, word))
			continue;
		pario_text_clear(&clean);
		pario_text_clean(&clean, text);
		snprintf(line, capacity, "%s", pario_text_string(&clean));
		found = true;
	}
	free(text);
	pario_text_release(&clean);
	if (file)
		fclose(file);
	else if (fd >= 0)
		close(fd);
	return found;
}

/* With the loopback address and this port, or any free one for 0; -1 with errno. */
static int bound_socket(uint64_t *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)*port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0)
		return -1;
	/* As servers do: connections of an earlier run that are not quite over do not count. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&address, length) < 0 || listen(fd, 1) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &length) < 0) {
		close(fd);
		return -1;
	}
	*port = ntohs(address.sin_port);
	return fd;
}

static int choose_port(struct pario_server *s, uint64_t port, struct pario_err *err)
{
	int fd;

	s->port = port;
	fd = bound_socket(&s->port);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno == EADDRINUSE)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"port %llu of 127.0.0.1 is taken by another program. Use another --port, or 0 "
			"for any that is free.",
			(unsigned long long)port);
	return pario_err_sys(err, errno, NULL, "port %llu of 127.0.0.1 cannot be used",
			     (unsigned long long)port);
}

static bool answers(uint64_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool there;

	there = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
	if (fd >= 0)
		close(fd);
	return there;
}

/*
 * run_as_launching_user keeps vsftpd from looking for rights it does not have, and allows anonymous logins only; the
 * list of passwords makes these as good as an account. The commands are those that a client needs for one transfer.
 */
static int configure_ftp(struct pario_server *s, struct pario_err *err)
{
	struct pario_text text = { 0 };
	int status;

	pario_text_add(
		&text,
		"listen=YES\nlisten_ipv6=NO\nlisten_address=127.0.0.1\nlisten_port=%llu\n"
		"background=NO\nrun_as_launching_user=YES\nseccomp_sandbox=NO\n"
		"anonymous_enable=YES\nlocal_enable=NO\nftp_username=%s\n"
		"no_anon_password=NO\nsecure_email_list_enable=YES\n"
		"email_password_file=%s/secret\nanon_root=%s\nwrite_enable=YES\n"
		"anon_upload_enable=YES\nanon_world_readable_only=NO\nanon_umask=077\nconnect_from_port_20=NO\n"
		"pasv_address=127.0.0.1\nmax_clients=8\nuse_localtime=NO\n"
		"xferlog_enable=YES\nlog_ftp_protocol=YES\nvsftpd_log_file=%s/log\n"
		"cmds_allowed=USER,PASS,SYST,FEAT,OPTS,TYPE,PASV,EPSV,PORT,EPRT,ALLO,STOR,"
		"RETR,SIZE,MDTM,PWD,NOOP,QUIT\n",
		(unsigned long long)s->port, s->user, s->home, s->files, s->home);
	status = put(s, "configuration", pario_text_string(&text), err);
	pario_text_release(&text);
	pario_text_add(&text, "%s\n", s->secret);
	if (status == 0)
		status = put(s, "secret", pario_text_string(&text), err);
	pario_text_release(&text);
	return status;
}

static int make_key(const struct pario_server *s, const char *name, struct pario_err *err)
{
	char path[PARIO_SERVER_PATH + 32];
	const char *const argv[] = { "ssh-keygen", "-q", "-t", "ed25519", "-N", "",
				     "-C",	   "",	 "-f", path,	  NULL };

	snprintf(path, sizeof(path), "%s/%s", s->home, name);
	if (faccessat(s->dirfd, name, F_OK, 0) == 0)
		return 0;
	return pario_command_run(-1, argv, err);
}

/* The host's key as the client will know it. */
static int know_host(const struct pario_server *s, struct pario_err *err)
{
	char key[1024], line[1200];

	if (!pario_server_line(s, "host_key.pub", "", key, sizeof(key)))
		return pario_run_file_error(s->dirfd, "host_key.pub", "reading", err);
	snprintf(line, sizeof(line), "[127.0.0.1]:%llu %s\n", (unsigned long long)s->port, key);
	return put(s, "known_hosts", line, err);
}

static int configure_ssh(struct pario_server *s, struct pario_err *err)
{
	struct pario_text text = { 0 };
	int status;

	if (make_key(s, "host_key", err) < 0 || make_key(s, "key", err) < 0 ||
	    know_host(s, err) < 0)
		return -1;
	pario_text_add(&text,
		       "Port %llu\nListenAddress 127.0.0.1\nAddressFamily inet\nPidFile none\n"
		       "HostKey \"%s/host_key\"\nAuthorizedKeysFile \"%s/key.pub\"\n"
		       "StrictModes no\nUsePAM no\nPubkeyAuthentication yes\n"
		       "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
		       "PermitRootLogin prohibit-password\nAllowUsers %s\nLogLevel VERBOSE\n"
		       "Subsystem sftp internal-sftp\nForceCommand internal-sftp\n"
		       "AllowTcpForwarding no\nX11Forwarding no\nPermitTTY no\nPrintMotd no\n",
		       (unsigned long long)s->port, s->home, s->home, s->user);
	status = put(s, "configuration", pario_text_string(&text), err);
	pario_text_release(&text);
	return status;
}

/* As root, sshd wants an empty directory that some systems make only when they start theirs. */
static bool made_directory(struct pario_server *s)
{
	static const char missing[] = "Missing privilege separation directory: ";
	char line[512];
	const char *path;

	if (s->made[0] || !pario_server_line(s, "log", missing, line, sizeof(line)))
		return false;
	path = strstr(line, missing) + strlen(missing);
	if (mkdir(path, 0755) < 0)
		return false;
	snprintf(s->made, sizeof(s->made), "%s", path);
	return true;
}

static int launch(struct pario_server *s, struct pario_err *err)
{
	char conf[PARIO_SERVER_PATH + 32];
	const char *ftp[] = { s->program, conf, NULL };
	const char *ssh[] = { s->program, "-D", "-e", "-f", conf, NULL };
	bool is_ftp = s->protocol == PARIO_FTP;
	int log = pario_server_file(s, is_ftp ? "output" : "log", "", err), status;

	if (log < 0)
		return -1;
	snprintf(conf, sizeof(conf), "%s/configuration", s->home);
	status = pario_process_start(&s->process, kinds[s->protocol].programs[0].words,
				     &(struct pario_process_start){ .argv = is_ftp ? ftp : ssh,
								    .directory = s->dirfd,
								    .input = -1,
								    .output = log },
				     err);
	close(log);
	return status;
}

/* 1 = it answers, 0 = it ended at once, -1 = it neither answers nor ends. */
static int get_ready(struct pario_server *s, struct pario_err *err)
{
	for (int i = 0; i < READY_MS / STEP_MS; i++) {
		if (pario_process_wait(&s->process, STEP_MS))
			return 0;
		if (answers(s->port))
			return 1;
	}
	return pario_err_set(
		err, PARIO_SYSTEM, "the %s server %s did not answer on port %llu within %d s.",
		kinds[s->protocol].name, s->program, (unsigned long long)s->port, READY_MS / 1000);
}

static int ended_at_once(const struct pario_server *s, struct pario_err *err)
{
	char how[64], line[300] = "it gave no reason";

	pario_process_describe(&s->process, how, sizeof(how));
	if (!pario_server_line(s, "output", "", line, sizeof(line)))
		pario_server_line(s, "log", "", line, sizeof(line));
	return pario_err_set(err, PARIO_SYSTEM, "the %s server %s ended at once with %s: %s.",
			     kinds[s->protocol].name, s->program, how, line);
}

/* Words of configuration files: what would end or change them there. */
static int check_path(const char *path, struct pario_err *err)
{
	if (!strpbrk(path, "\n\r\"%\\"))
		return 0;
	return pario_err_set(
		err, PARIO_USAGE,
		"the name of the directory %s holds characters that cannot be part of a server's "
		"configuration. Use another --dir.",
		path);
}

static int prepare(struct pario_server *s, int top, int data, struct pario_err *err)
{
	const struct passwd *user = getpwuid(geteuid());
	unsigned char random[16];

	if (mkdirat(top, "server", 0700) < 0 && errno != EEXIST)
		return pario_run_file_error(top, "server", "making the directory", err);
	s->dirfd = openat(top, "server", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->dirfd < 0)
		return pario_run_file_error(top, "server", "opening the directory", err);
	s->data = data;
	pario_run_path(top, "server", s->home);
	pario_run_path(data, ".", s->files);
	s->files[strlen(s->files) - 2] = '\0';
	if (!user)
		return pario_err_set(err, PARIO_SYSTEM,
				     "user %u has no name on this system, which %s asks for.",
				     geteuid(), s->program);
	snprintf(s->user, sizeof(s->user), "%s", user->pw_name);
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return pario_err_sys(err, errno, NULL, "the kernel gave no random numbers");
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(s->secret + 2 * i, 3, "%02x", random[i]);
	return check_path(s->home, err);
}

int pario_server_start(struct pario_server *server, int top, int data, uint64_t port,
		       struct pario_err *err)
{
	int ready = 0;

	if (prepare(server, top, data, err) < 0)
		return -1;
	/* A port that was free a moment ago may be gone; one that was asked for is tried once. */
	for (int i = 0; i < TRIES && ready == 0; i++) {
		if (choose_port(server, port, err) < 0 ||
		    (server->protocol == PARIO_FTP ? configure_ftp(server, err)
						   : configure_ssh(server, err)) < 0 ||
		    launch(server, err) < 0)
			return -1;
		ready = get_ready(server, err);
		if (ready == 0 && !made_directory(server) && port)
			break;
	}
	return ready == 0 ? ended_at_once(server, err) : ready > 0 ? 0 : -1;
}

void pario_server_stop(struct pario_server *server)
{
	/* Sessions that end after their server would be left to others to be waited for. */
	pario_process_calm(&server->process, CALM_MS);
	pario_process_end(&server->process);
	if (server->dirfd >= 0)
		close(server->dirfd);
	server->dirfd = -1;
	if (server->made[0])
		rmdir(server->made);
	server->made[0] = '\0';
}
