/*
 * stock: what a client holds in memory (kit/nht1/hoard.h), and its file, numbered like the client, in a directory that all
 * clients share. The data belong to their place in it, so that no second copy is needed to check them.
 */
#ifndef PARIO_KIT_STOCK_H
#define PARIO_KIT_STOCK_H

#include "kit/nht1/hoard.h"
#include "kit/nht1/mover.h"

struct pario_stock {
	struct pario_hoard hoard;
	struct pario_move move; /* all of it, to and from the file */
	char tree[32], name[32];
	struct pario_hoard_amount amount; /* of all clients together */
};

/*
 * In setup, on all clients: takes `fraction` of memory, less when memory or the free space of the disk end it, and names
 * the directory `tree`. Release is fine after a failure.
 */
int pario_stock_init(struct pario_stock *stock, struct pario_run *run, const char *tree,
		     double fraction, struct pario_err *err);
void pario_stock_release(struct pario_stock *stock);

/* Fills the memory with the data of this number; makes the directory when it is not there. */
int pario_stock_fill(struct pario_stock *stock, struct pario_run *run, uint64_t number,
		     struct pario_err *err);

/* In verify: is the file as long as the data; does memory hold the data of this number? */
int pario_stock_check_file(const struct pario_stock *stock, struct pario_err *err);
int pario_stock_check_memory(const struct pario_stock *stock, struct pario_run *run,
			     uint64_t number, struct pario_err *err);

#endif
