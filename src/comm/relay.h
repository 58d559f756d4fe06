/*
 * relay: what comes out of a launcher, taken apart by the process that started it.
 *
 * Three things come through its two streams: the clients' text, which is printed; the launcher's own words, which are
 * kept and told as a sentence where nothing else explains the end; and signs, with which the clients tell the front
 * that they live, where they are and how the run ended. A sign is a NUL, a letter, a text and a line end. No text for
 * people holds a NUL, and through the streams signs arrive from every node and leave no file behind.
 */
#ifndef PARIO_COMM_RELAY_H
#define PARIO_COMM_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum {
	PARIO_SIGN_ALIVE = 'a',	  /* no text */
	PARIO_SIGN_PLACE = 'p',	  /* "rank pid host" */
	PARIO_SIGN_JOURNAL = 'j', /* its directory */
	PARIO_SIGN_CODE = 'c',	  /* the exit code; the run has ended */
};

struct pario_relay_stream {
	int to; /* descriptor to print on; -1 = nowhere */
	enum { PARIO_STREAM_START, PARIO_STREAM_PASS, PARIO_STREAM_HOLD, PARIO_STREAM_SIGN } state;
	bool before_sign;	 /* the sign stands within a line that is passed on */
	struct pario_text line;	 /* held until it is whole */
	struct pario_text block; /* of the launcher, from its first rule on */
	bool ending;		 /* the launcher's last block has come; only its words follow */
	struct pario_text out;	 /* to be printed */
};

struct pario_relay {
	struct pario_relay_stream streams[2]; /* standard output, standard error */
	bool alive;			      /* a client has given a sign */
	unsigned signs, begun; /* how many have come, and how many clients said where they are */
	int code;	       /* what the clients ended with, -1 = not told */
	int lost;	       /* why standard output took no more, 0 = it did */
	struct pario_text words, places, journal;
};

void pario_relay_init(struct pario_relay *relay, int out, int err);
void pario_relay_release(struct pario_relay *relay);

/* Takes what was read from stream 0 or 1 and prints what is for people. */
void pario_relay_take(struct pario_relay *relay, int stream, const char *bytes, size_t length);
/* Nothing more will come. */
void pario_relay_end(struct pario_relay *relay);

/* Who was ended by a signal, by what the launcher said. */
struct pario_relay_death {
	int signal;	/* 0 = nobody */
	long client;	/* -1 = not known */
	char host[256]; /* "" = not known */
};

void pario_relay_death(const struct pario_relay *relay, struct pario_relay_death *death);

#endif
