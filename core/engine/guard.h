/* SPDX-License-Identifier: MIT */
/*
 * SIGBUS in an engine's execute (engine.h, IOJOB_ENGINE_SIGBUS): the signal becomes a jump out of
 * it, back to where the core called from. It is prepared once for many I/Os, so that an I/O pays
 * nothing. A SIGBUS anywhere else ends the process as ever.
 */
#ifndef GUARD_H
#define GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* One thread's guard. The handler finds it on the thread's signal stack: nothing is global. */
struct guard {
	void *env[5]; /* of __builtin_setjmp() */
	const uint64_t *busy;
	void *stack;
	stack_t before; /* the thread's signal stack until guard_enter() */
};

/* Handles SIGBUS in this process from now on. Harmless to repeat. 0 or -errno. */
int guard_catch(void);

/* From here to guard_leave(), both called by the thread that does the I/O. 0 or -errno. */
int guard_enter(struct guard *guard);
void guard_leave(struct guard *guard);

/*
 * Calls f(arg) between guard_enter() and guard_leave(). False: a SIGBUS that came while *busy was
 * not 0 has left it. Not to be nested.
 */
bool guard_call(struct guard *guard, const uint64_t *busy, void (*f)(void *arg), void *arg);

#endif
