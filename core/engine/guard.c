// SPDX-License-Identifier: MIT
#include "guard.h"

#include <errno.h>
#include <stdlib.h>
#include <ucontext.h>

/* The lowest bytes of a signal stack of ours, which grows down towards them. */
struct mark {
	const struct mark *self; /* tells our stacks from those of others */
	struct guard *guard;
};

enum { STACK_BYTES = 64 * 1024 };

static void on_sigbus(int number, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	const stack_t *stack = &interrupted->uc_stack;
	const struct mark *mark = stack->ss_sp;
	struct guard *guard = NULL;

	(void)info;
	if (!(stack->ss_flags & SS_DISABLE) && mark && mark->self == mark)
		guard = mark->guard;
	if (guard && guard->busy && *guard->busy) {
		guard->busy = NULL;
		/* The jump leaves the handler for good and restores no mask by itself. */
		pthread_sigmask(SIG_SETMASK, &interrupted->uc_sigmask, NULL);
		__builtin_longjmp(guard->env, 1);
	}
	/* Not ours: returning repeats the access, and now it is fatal. */
	signal(number, SIG_DFL);
}

int guard_catch(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };

	action.sa_sigaction = on_sigbus;
	sigemptyset(&action.sa_mask);
	return sigaction(SIGBUS, &action, NULL) < 0 ? -errno : 0;
}

int guard_enter(struct guard *guard)
{
	struct mark *mark = calloc(1, STACK_BYTES);
	stack_t stack = { .ss_sp = mark, .ss_size = STACK_BYTES };
	int err = 0;

	guard->stack = mark;
	if (!mark)
		return -ENOMEM;
	guard->busy = NULL;
	mark->self = mark;
	mark->guard = guard;
	if (sigaltstack(&stack, &guard->before) < 0) {
		err = -errno;
		free(mark);
		guard->stack = NULL;
	}
	return err;
}

void guard_leave(struct guard *guard)
{
	if (!guard->stack)
		return;
	sigaltstack(&guard->before, NULL);
	free(guard->stack);
	guard->stack = NULL;
}

/* A function of its own, with nothing in it that the jump could leave in a register. */
__attribute__((noinline)) bool guard_call(
		struct guard *guard, const uint64_t *busy, void (*f)(void *arg), void *arg)
{
	if (__builtin_setjmp(guard->env))
		return false;
	guard->busy = busy;
	f(arg);
	guard->busy = NULL;
	return true;
}
