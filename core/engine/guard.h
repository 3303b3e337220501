/* SPDX-License-Identifier: MIT */
/*
 * SIGBUS under an engine's memory access (engine.h, struct iojob_guard): the signal becomes a jump
 * back into the engine, which reports the error of that one I/O. A SIGBUS anywhere else ends the
 * process as ever.
 */
#ifndef GUARD_H
#define GUARD_H

#include <signal.h>

#include "engine.h"

/*
 * One thread's guard. The handler finds it on the thread's signal stack, so that nothing global is
 * needed; `ours` belongs to worker.guard.
 */
struct guard {
	struct iojob_guard ours;
	void *stack;
	stack_t before; /* the thread's signal stack until guard_enter() */
};

/* Handles SIGBUS in this process from now on. Harmless to repeat. 0 or -errno. */
int guard_catch(void);

/* From here to guard_leave(), both called by the thread that does the I/O. 0 or -errno. */
int guard_enter(struct guard *guard);
void guard_leave(struct guard *guard);

#endif
