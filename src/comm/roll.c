/*
 * roll: the sockets and the thread behind a roll call. Datagrams are all alike; nothing of MPI is called by the thread.
 */
#include "comm/roll.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "comm/comm.h"

enum {
	ADDRESSES = 4,		/* of a node that are tried */
	CALLS = 4,		/* datagrams may be lost */
	NAP_NS = 25000000,	/* between two looks at the answers */
	NAPS = 20,		/* after each call: half a second */
	BATCH = 256,		/* clients that answer at once: what a socket's buffer takes */
	BATCH_NAPS = 4,		/* until the next of several batches is called */
	STACK_BYTES = 64 << 10, /* of the thread, which needs next to nothing */
	WORDS = 512,		/* of a client that has failed; a datagram of one frame */
};

/* What a client needs to know to reach another one. */
struct home {
	char host[PARIO_ROLL_HOST];
	struct in6_addr address[ADDRESSES]; /* those of IPv4 are mapped into IPv6 */
};

struct note {
	uint64_t token;
	enum { HELLO, ASK, ANSWER, LATE } kind;
	uint32_t client, node, place, out;
	char failure[WORDS]; /* "" = it has not failed */
};

struct seat {
	uint32_t node, port; /* port 0: no socket */
};

/* One run per process has one roll; the thread has no other way to it. */
static struct {
	int fd, family;
	bool open, closing;
	uint64_t token;
	uint32_t client, node;
	pthread_t thread;
	void (*late)(void);
	struct home first; /* of client 0 */
	uint32_t first_port;
	bool first_answered;
	/* client 0 only */
	uint64_t count, nodes;
	struct home *homes;
	struct seat *seats;
	struct pario_roll_client *clients;
	struct pario_roll_node *known;
	struct note failed; /* the first answer of a client that has */
} roll = { .fd = -1 };

static uint32_t place;
static bool sits_out;

void pario_roll_order(bool takes_part)
{
	__atomic_store_n(&sits_out, !takes_part, __ATOMIC_RELAXED);
	__atomic_store_n(&place, 0, __ATOMIC_RELAXED);
}

void pario_roll_pass(void)
{
	__atomic_store_n(&place, place + 1, __ATOMIC_RELAXED);
}

static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static char own_failure[WORDS];

void pario_roll_failed(const char *sentence)
{
	pthread_mutex_lock(&own_lock);
	snprintf(own_failure, sizeof(own_failure), "%s", sentence ? sentence : "");
	pthread_mutex_unlock(&own_lock);
}

static bool is_empty(const struct in6_addr *address)
{
	return IN6_IS_ADDR_UNSPECIFIED(address);
}

static struct in6_addr mapped(struct in_addr address)
{
	struct in6_addr to = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	memcpy(&to.s6_addr[12], &address, sizeof(address));
	return to;
}

/* What the socket takes: where the kernel has no IPv6 the address behind the mapping. */
static socklen_t address_of(struct sockaddr_storage *to, const struct in6_addr *address,
			    uint32_t port)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6,
				    .sin6_port = htons((uint16_t)port),
				    .sin6_addr = *address };
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	memset(to, 0, sizeof(*to));
	memcpy(&four.sin_addr, &address->s6_addr[12], sizeof(four.sin_addr));
	if (roll.family == AF_INET6)
		memcpy(to, &six, sizeof(six));
	else
		memcpy(to, &four, sizeof(four));
	return roll.family == AF_INET6 ? sizeof(six) : sizeof(four);
}

static struct note own_note(unsigned kind)
{
	struct note note = { .token = roll.token,
			     .kind = kind,
			     .client = roll.client,
			     .node = roll.node,
			     .place = __atomic_load_n(&place, __ATOMIC_RELAXED),
			     .out = __atomic_load_n(&sits_out, __ATOMIC_RELAXED) };

	pthread_mutex_lock(&own_lock);
	memcpy(note.failure, own_failure, WORDS);
	pthread_mutex_unlock(&own_lock);
	return note;
}

static void send_note(const struct sockaddr_storage *to, socklen_t length, unsigned kind)
{
	struct note note = own_note(kind);

	sendto(roll.fd, &note, sizeof(note), MSG_DONTWAIT, (const struct sockaddr *)to, length);
}

static void send_home(const struct home *home, uint32_t port, unsigned kind)
{
	struct sockaddr_storage to;

	for (int i = 0; port && i < ADDRESSES; i++) {
		if (!is_empty(&home->address[i]))
			send_note(&to, address_of(&to, &home->address[i], port), kind);
	}
}

/* Client 0 takes an answer down. */
static void take(const struct note *note)
{
	if (roll.client == 0 && note->client < roll.count && note->node < roll.nodes) {
		struct pario_roll_client *c = &roll.clients[note->client];

		roll.known[note->node].heard = true;
		if (note->kind != ANSWER)
			return;
		c->place = note->place;
		c->out = note->out;
		if (!roll.failed.failure[0])
			roll.failed = *note;
		__atomic_store_n(&c->answered, true, __ATOMIC_RELEASE);
	} else if (note->kind == ANSWER && note->client == 0) {
		__atomic_store_n(&roll.first_answered, true, __ATOMIC_RELEASE);
	}
}

static void *listen_for(void *unused)
{
	struct sockaddr_storage from;
	struct note note;

	for (;;) {
		socklen_t length = sizeof(from);
		ssize_t n = recvfrom(roll.fd, &note, sizeof(note), 0, (struct sockaddr *)&from,
				     &length);

		if (__atomic_load_n(&roll.closing, __ATOMIC_ACQUIRE))
			return unused;
		if (n != (ssize_t)sizeof(note) || note.token != roll.token)
			continue;
		if (note.kind == ASK || note.kind == LATE)
			send_note(&from, length, ANSWER);
		if (note.kind == LATE && roll.client == 0 && roll.late)
			roll.late();
		if (note.kind == HELLO || note.kind == ANSWER)
			take(&note);
	}
}

/* An address of the other kind, or one that means something on this node or link only, is not taken. */
static bool take_address(const struct ifaddrs *i, bool six, struct in6_addr *to)
{
	const void *address = i->ifa_addr;

	if (!address || !(i->ifa_flags & IFF_UP) || (i->ifa_flags & IFF_LOOPBACK))
		return false;
	if (!six && i->ifa_addr->sa_family == AF_INET)
		*to = mapped(((const struct sockaddr_in *)address)->sin_addr);
	else if (six && roll.family == AF_INET6 && i->ifa_addr->sa_family == AF_INET6)
		*to = ((const struct sockaddr_in6 *)address)->sin6_addr;
	else
		return false;
	return !IN6_IS_ADDR_LINKLOCAL(to);
}

/* Addresses other nodes may reach; on one node none but its own loop. */
static void find_home(struct home *home, bool alone)
{
	struct ifaddrs *list = NULL;
	int n = 0;

	memset(home, 0, sizeof(*home));
	gethostname(home->host, sizeof(home->host) - 1);
	if (alone)
		home->address[n++] = mapped((struct in_addr){ htonl(INADDR_LOOPBACK) });
	else if (getifaddrs(&list) < 0)
		return;
	/* those of IPv4 first: where there are many, these are the ones that nodes surely share */
	for (int six = 0; six <= 1; six++) {
		for (struct ifaddrs *i = list; i && n < ADDRESSES; i = i->ifa_next)
			n += take_address(i, six, &home->address[n]);
	}
	if (list)
		freeifaddrs(list);
}

/* A socket for both kinds of addresses, or for IPv4 alone where the kernel has no other. The port, or 0 without one. */
static uint32_t open_socket(bool alone)
{
	struct in6_addr any = IN6ADDR_ANY_INIT;
	struct sockaddr_storage own;
	socklen_t length;
	int both = 0;

	roll.family = AF_INET6;
	roll.fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (roll.fd >= 0 &&
	    setsockopt(roll.fd, IPPROTO_IPV6, IPV6_V6ONLY, &both, sizeof(both)) < 0) {
		close(roll.fd);
		roll.fd = -1;
	}
	if (roll.fd < 0) {
		roll.family = AF_INET;
		roll.fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	}
	if (alone)
		any = mapped((struct in_addr){ htonl(INADDR_LOOPBACK) });
	length = address_of(&own, &any, 0);
	if (roll.fd < 0 || bind(roll.fd, (struct sockaddr *)&own, length) < 0 ||
	    getsockname(roll.fd, (struct sockaddr *)&own, &length) < 0)
		return 0;
	/* both kinds of addresses have the port at the same place */
	return ntohs(((struct sockaddr_in6 *)(void *)&own)->sin6_port);
}

static bool start_thread(void)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	bool started;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(&roll.thread, &attributes, listen_for, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return started;
}

static bool has_memory(const struct pario_comm *world)
{
	roll.count = world->clients;
	roll.nodes = world->nodes;
	roll.homes = calloc(world->nodes, sizeof(*roll.homes));
	roll.known = calloc(world->nodes, sizeof(*roll.known));
	roll.seats = calloc(world->clients, sizeof(*roll.seats));
	roll.clients = calloc(world->clients, sizeof(*roll.clients));
	return roll.homes && roll.known && roll.seats && roll.clients;
}

/* Client 0 learns where all are: a few bytes of each client, an address of each node. */
static void gather(const struct pario_comm *world, const struct home *home, uint32_t port)
{
	struct seat own = { roll.node, port };

	MPI_Gather(&own, sizeof(own), MPI_BYTE, roll.seats, sizeof(own), MPI_BYTE, 0, world->mpi);
	if (world->leaders != MPI_COMM_NULL)
		MPI_Gather(home, sizeof(*home), MPI_BYTE, roll.homes, sizeof(*home), MPI_BYTE, 0,
			   world->leaders);
	for (uint64_t i = 0; world->client == 0 && i < roll.nodes; i++)
		memcpy(roll.known[i].host, roll.homes[i].host, PARIO_ROLL_HOST);
	for (uint64_t i = 0; world->client == 0 && i < roll.count; i++) {
		roll.clients[i].node = roll.seats[i].node;
		roll.clients[i].deaf = roll.seats[i].port == 0;
	}
	if (world->client == 0)
		roll.known[0].heard = true;
}

void pario_roll_open(const struct pario_comm *world, void (*late)(void))
{
	struct {
		uint64_t token;
		struct home home;
		uint32_t port, enough;
	} first = { 0 };
	struct home home;
	uint32_t port = open_socket(world->nodes == 1);

	roll.client = (uint32_t)world->client;
	roll.node = (uint32_t)world->node;
	roll.late = late;
	find_home(&home, world->nodes == 1);
	if (world->client == 0) {
		first.token = pario_random_seed();
		first.home = home;
		first.port = port;
		first.enough = has_memory(world);
	}
	MPI_Bcast(&first, sizeof(first), MPI_BYTE, 0, world->mpi);
	if (!first.enough)
		return;
	roll.token = first.token;
	roll.first = first.home;
	roll.first_port = first.port;
	gather(world, &home, port);
	roll.open = port && start_thread();
	if (roll.open && world->client != 0 && world->node_client == 0)
		send_home(&roll.first, roll.first_port, HELLO);
}

/* A socket that is shut down wakes whoever waits at it, connected or not. */
void pario_roll_close(void)
{
	if (!roll.open)
		return;
	__atomic_store_n(&roll.closing, true, __ATOMIC_RELEASE);
	shutdown(roll.fd, SHUT_RDWR);
	pthread_join(roll.thread, NULL);
	close(roll.fd);
	free(roll.homes);
	free(roll.known);
	free(roll.seats);
	free(roll.clients);
	memset(&roll, 0, sizeof(roll));
	roll.fd = -1;
}

/* The clients that are being called: from `begin` to before `end`. */
static uint64_t begin, end;

static bool all_answered(void)
{
	for (uint64_t i = begin; i < end; i++) {
		if (!__atomic_load_n(&roll.clients[i].answered, __ATOMIC_ACQUIRE))
			return false;
	}
	return true;
}

static bool first_answered(void)
{
	return __atomic_load_n(&roll.first_answered, __ATOMIC_ACQUIRE);
}

static void wait_for(bool (*done)(void), int naps)
{
	const struct timespec nap = { 0, NAP_NS };

	for (int i = 0; i < naps && !done(); i++)
		nanosleep(&nap, NULL);
}

/*
 * Calls all that have not answered yet, some at a time: the answers of ten thousand would not fit into a socket,
 * and the living would be taken for dead. How many were called.
 */
static uint64_t ask(void)
{
	uint64_t called = 0, now = 0;

	begin = end = 1;
	for (uint64_t i = 1; i < roll.count; i++) {
		end = i + 1;
		if (__atomic_load_n(&roll.clients[i].answered, __ATOMIC_ACQUIRE))
			continue;
		called++;
		send_home(&roll.homes[roll.seats[i].node], roll.seats[i].port, ASK);
		if (++now % BATCH == 0) {
			wait_for(all_answered, BATCH_NAPS);
			begin = end;
		}
	}
	begin = 1;
	wait_for(all_answered, called ? NAPS : 0);
	return called;
}

bool pario_roll_call(char *text, size_t capacity)
{
	text[0] = '\0';
	if (!roll.open)
		return false;
	if (roll.client == 0) {
		roll.clients[0] = (struct pario_roll_client){ .place = place, .answered = true };
		roll.failed = own_note(ANSWER);
		for (int i = 0; i < CALLS && ask() > 0; i++)
			;
		pario_roll_tell(roll.clients, roll.count, roll.known, text, capacity);
		return false;
	}
	for (int i = 0; i < CALLS && !first_answered(); i++) {
		send_home(&roll.first, roll.first_port, LATE);
		wait_for(first_answered, NAPS);
	}
	if (first_answered())
		return true;
	snprintf(text, capacity,
		 "client 0 on %s does not answer: it is stopped or dead, or its node cannot be "
		 "reached",
		 roll.first.host);
	return false;
}

bool pario_roll_failure(char *text, size_t capacity)
{
	struct note *from = &roll.failed;

	from->failure[WORDS - 1] = '\0';
	if (!roll.open || !from->failure[0])
		return false;
	snprintf(text, capacity, "%s Seen by client %u on %s", from->failure, from->client,
		 roll.known[from->node].host);
	return true;
}
