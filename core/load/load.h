/* SPDX-License-Identifier: MIT */
/*
 * What comes next: operation, file, offset and length of each I/O. Pure: no system call, no clock;
 * the same spec gives the same sequence everywhere. One generator a worker.
 */
#ifndef LOAD_H_
#define LOAD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../engine/engine.h"
#include "perm.h"
#include "rng.h"

enum { LOAD_DIRS = 3 };

/* The part of one file that the job works on. */
struct load_region {
	uint64_t offset; /* bytes from the start of the file */
	uint64_t length; /* bytes */
};

/*
 * Strided access: after `size` bytes in a zone the next one begins `range` + `skip` bytes further
 * on, and behind the end of the region the first one again. A zone is `range` bytes wide, and is
 * gone through again where that is less than size.
 */
struct load_zones {
	uint64_t size; /* 0: there are none */
	uint64_t range;
	uint64_t skip;
};

struct load_spec {
	uint64_t seed;
	uint64_t stream; /* which worker of the job: other numbers from the same seed */
	unsigned ops;                  /* IOJOB_OP_BIT()s of read, write, trim */
	bool random;
	bool repeats;                  /* random offsets may come again within a pass */
	bool single;                   /* next() is only ever asked for one I/O */
	bool in_turn;                  /* a file after the other, instead of round robin */
	bool largest; /* always bs_max, cut at a region's end to a multiple of bs_min */
	unsigned read_percent;         /* where ops has reads and something else */
	/*
	 * Bytes. What a direction issues is a multiple of its bs_min, but where a random order of
	 * mixed sizes finds only a smaller piece that was not visited yet: all of that.
	 */
	uint64_t bs_min[LOAD_DIRS];
	uint64_t bs_max[LOAD_DIRS];
	int64_t step[LOAD_DIRS];       /* sequential: bytes from an I/O's end to the next; or 0 */
	unsigned run;                  /* random: of so many I/Os one draws its offset; 0, 1: all */
	bool identical;                /* the others have its offset, instead of going on behind */
	struct load_zones zones;       /* of the only file, without step and run */
	unsigned fsync_every;          /* after so many writes one IOJOB_FSYNC; 0: none */
	unsigned fdatasync_every;
	const struct load_region *regions; /* one a file */
	unsigned nfiles;
	struct iojob_file *const *files;
};

/* Where the generator stands in one file. */
struct load_file {
	struct iojob_file *file;
	uint64_t offset;
	uint64_t length;
	uint64_t pos[LOAD_DIRS]; /* sequential: next byte of each direction, from offset */
	struct perm perm;        /* random, one block size: the order of this pass */
	uint64_t blocks;         /* whole load.units in it */
	uint64_t next;           /* how many of them this pass has visited */
	uint64_t *map;           /* random, several sizes: a bit for each load.unit */
	uint64_t left;           /* units not visited in this pass */
};

struct load {
	/*
	 * Fills op, offset, len and file of up to n I/Os and returns of how many; fewer than n only
	 * when the work is done. The one that fits the spec.
	 */
	unsigned (*next)(struct load *load, struct iojob_io *const *ios, unsigned n);

	uint64_t left_ios;
	uint64_t left_bytes;
	uint8_t op;              /* where there is one direction, or pace chooses it */
	uint8_t other;           /* mixed: the direction that is not a read */
	bool mixed;
	bool fixed;              /* one block size: len */
	uint32_t len;
	uint64_t read_below;     /* mixed: a draw below this is a read */
	uint64_t bs_min[LOAD_DIRS];
	uint64_t bs_max[LOAD_DIRS];
	uint64_t unit;           /* of the map, bytes: what divides every size that is issued */
	unsigned order_kind;     /* how offsets follow each other: enum order of load.c */
	bool single;
	bool in_turn;
	bool largest;
	unsigned turn;           /* file whose turn it is */
	unsigned nfiles;
	unsigned fsync_every;
	unsigned fdatasync_every;
	unsigned fsync_left;     /* writes until the next one */
	unsigned fdatasync_left;
	uint8_t sync_due;        /* IOJOB_FSYNC or IOJOB_FDATASYNC: owed to sync_file; 0: none */
	struct iojob_file *sync_file;
	struct rng order;        /* offsets and orders */
	struct rng mix;          /* directions */
	struct rng size;         /* lengths */
	struct load_file *files;

	/* Of the shapes that are not lean. */
	int64_t step[LOAD_DIRS];
	unsigned run;
	unsigned run_left;       /* I/Os until one draws again */
	bool identical;
	unsigned drawn_kind;     /* runs: how the drawn offsets follow each other */
	/* Where the last drawn one of each file began; beside the files, whose size counts. */
	uint64_t (*starts)[LOAD_DIRS];
	struct load_zones zones;
	struct load_region region; /* zones: all of the file's, of which it has one at a time */
	uint64_t zone_least;     /* bytes that hold a block of any direction */
	uint64_t zone_at;        /* where the zone begins, from there */
	uint64_t zone_left;      /* bytes until the next one */
	uint64_t zone_done;
	unsigned (*in_zone)(struct load *load, struct iojob_io *const *ios, unsigned n);
};

/* Allocates what the generator needs. -ENOMEM, or -EINVAL where no block fits into any region. */
int load_init(struct load *load, const struct load_spec *spec);
void load_free(struct load *load);

/*
 * From now on: the work is done once as many bytes or I/Os more were issued, whichever comes first;
 * UINT64_MAX: no limit. Without this call there is none. The last I/O may pass limit_bytes, as in
 * fio.
 */
void load_limit(struct load *load, uint64_t limit_bytes, uint64_t limit_ios);

/* Was all of it generated? */
static inline bool load_done(const struct load *load)
{
	return !load->left_ios || (!load->fixed && !load->left_bytes);
}

/* With a schedule for each direction the caller sets the next direction itself, in load->op. */
void load_direct(struct load *load);

/* What the mix would do next, for load->op. */
uint8_t load_mix(struct load *load);

/* Bytes of one pass over regions in blocks of bs_min: what is visited before anything repeats. */
uint64_t load_pass_bytes(const struct load_region *regions, unsigned nfiles, uint64_t bs_min);

/* Bytes of memory for the maps; 0 with one block size or with repeats. */
uint64_t load_map_bytes(const struct load_spec *spec);

#endif
