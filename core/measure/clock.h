/* SPDX-License-Identifier: MIT */
/*
 * The clock of the hot path. Ticks are TSC cycles where the TSC is invariant and the kernel itself
 * trusts it (clocksource tsc) or counts on it through its hypervisor (kvm-clock and the like, which
 * are the TSC with a scale) and it stands clock_prove(); else CLOCK_MONOTONIC nanoseconds, which
 * cost two or three times as much to read. Made once in the main process and copied into every
 * worker, so that all count alike.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "../u128.h"

enum { CLOCK_SHIFT = 32 };

/* One moment on both clocks. */
struct clock_moment {
	uint64_t ticks;
	uint64_t ns;    /* CLOCK_MONOTONIC */
	uint64_t width; /* ticks within which both were read */
};

struct clock {
	bool tsc;
	bool proven;           /* nothing is left to clock_prove() */
	uint64_t mult;         /* ns = ticks * mult >> CLOCK_SHIFT */
	uint64_t base_ticks;   /* these ticks ... */
	uint64_t base_ns;      /* ... were this CLOCK_MONOTONIC time */
	double read_ns;        /* measured cost of one clock_ticks() */
	double drift_ppm;      /* TSC against CLOCK_MONOTONIC over the run: clock_check() */
	struct clock_moment seen; /* the last look of clock_jumped() */
};

/* CLOCK_MONOTONIC, ns. */
static inline uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline uint64_t clock_ticks(const struct clock *clock)
{
#if defined(__x86_64__)
	if (clock->tsc)
		return __rdtsc();
#else
	(void)clock;
#endif
	return clock_ns();
}

/* A span of ticks in ns. Exact to 2^-24 of itself for spans below days. */
static inline uint64_t clock_span_ns(const struct clock *clock, uint64_t ticks)
{
	return (uint64_t)((u128)ticks * clock->mult >> CLOCK_SHIFT);
}

/* From one moment to a later one, ns. Two CPUs may disagree by some ticks: never below 0. */
static inline uint64_t clock_between(const struct clock *clock, uint64_t start, uint64_t end)
{
	return clock_span_ns(clock, end > start ? end - start : 0);
}

/* A span of ns in ticks (not for the hot path: it divides). */
uint64_t clock_span_ticks(const struct clock *clock, uint64_t ns);

/* Ticks in a second, exactly as clock_span_ns() counts them. */
static inline double clock_rate(const struct clock *clock)
{
	return 1e9 * (double)(UINT64_C(1) << CLOCK_SHIFT) / (double)clock->mult;
}

/* A moment in ticks as CLOCK_MONOTONIC ns, and back. */
uint64_t clock_to_ns(const struct clock *clock, uint64_t ticks);
uint64_t clock_from_ns(const struct clock *clock, uint64_t ns);

/*
 * Sets the clock up in three steps: clock_begin() as early as may be, clock_prove() before the
 * first tick that counts, clock_calibrate() before the first worker; it waits until 2 ms have
 * passed since the first step, for 30 ppm of precision.
 */
void clock_begin(struct clock *clock);

/*
 * Where the clocksource is a hypervisor's: does the TSC of every CPU that is the program's keep
 * one line with CLOCK_MONOTONIC? If not, the latter is the clock. The calling thread visits the
 * CPUs, some 20 us each.
 */
void clock_prove(struct clock *clock);

/*
 * Are all moments on the line from the first to the last, to 1 us and what reading them may have
 * been off by? n is at least 2.
 */
bool clock_in_step(const struct clock_moment *moments, size_t n);

void clock_calibrate(struct clock *clock);

/*
 * Has the TSC left CLOCK_MONOTONIC since the last look, by more than 100 ms and a thousandth of the
 * time? It does where the machine sleeps, or a virtual machine is moved to another host, and then
 * ticks from before and after have nothing to do with each other. *off_ns: how far.
 */
bool clock_jumped(struct clock *clock, int64_t *off_ns);

/* From now on CLOCK_MONOTONIC is the clock. */
void clock_give_up_tsc(struct clock *clock);

/* At the end of a run: how far the ticks went astray of CLOCK_MONOTONIC, into drift_ppm. */
void clock_check(struct clock *clock);

#endif
