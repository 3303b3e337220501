// SPDX-License-Identifier: MIT
#include "clock.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "../u128.h"

enum {
	CALIBRATE_NS = 2000000,
	STEP_NS = 1000, /* what may lie between the TSCs of two CPUs */
	JUMP_NS = 100000000,
};

/* Invariant TSC: the same rate in every power state (CPUID 8000_0007h EDX bit 8). */
static bool tsc_invariant(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
#else
	return false;
#endif
}

enum trust { TRUST_NONE, TRUST_IF_PROVEN, TRUST_FULL };

/*
 * The kernel checks the TSCs of all CPUs against each other: its choice is the best judgement. A
 * hypervisor's clock is the TSC too, with a scale that may change when the machine is moved.
 */
static enum trust trust_of_clocksource(void)
{
	static const struct {
		const char *name;
		enum trust trust;
	} sources[] = {
		{ "tsc\n", TRUST_FULL },
		{ "kvm-clock\n", TRUST_IF_PROVEN },
		{ "hyperv_clocksource_tsc_page\n", TRUST_IF_PROVEN },
		{ "xen\n", TRUST_IF_PROVEN },
	};
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
	enum trust trust = TRUST_NONE;
	char name[32] = "";

	if (f && fgets(name, sizeof(name), f)) {
		for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
			if (!strcmp(name, sources[i].name))
				trust = sources[i].trust;
		}
	}
	if (f)
		fclose(f);
	return trust;
}

/* Of several readings the one that took the shortest time. */
static struct clock_moment moment(const struct clock *clock)
{
	struct clock_moment best = { .width = UINT64_MAX };

	for (int i = 0; i < 8; i++) {
		uint64_t t0 = clock_ticks(clock), n = clock_ns(), width = clock_ticks(clock) - t0;

		if (width < best.width)
			best = (struct clock_moment){ t0 + width / 2, n, width };
	}
	return best;
}

void clock_begin(struct clock *clock)
{
	enum trust trust = tsc_invariant() ? trust_of_clocksource() : TRUST_NONE;
	struct clock_moment now;

	*clock = (struct clock){
		.tsc = trust != TRUST_NONE,
		.proven = trust != TRUST_IF_PROVEN,
		.mult = UINT64_C(1) << CLOCK_SHIFT,
	};
	now = moment(clock);
	clock->base_ticks = now.ticks;
	clock->base_ns = now.ns;
}

bool clock_in_step(const struct clock_moment *moments, size_t n)
{
	const struct clock_moment *first = moments, *last = moments + n - 1;
	double ticks = (double)(int64_t)(last->ticks - first->ticks);
	double rate = (double)(last->ns - first->ns) / ticks; /* ns a tick */

	if (ticks <= 0)
		return false;
	for (const struct clock_moment *at = first; at < last; at++) {
		double ns = (double)(int64_t)(at->ticks - first->ticks) * rate;
		double width = (double)(first->width + at->width + last->width) * rate;

		if (fabs(ns - (double)(at->ns - first->ns)) > STEP_NS + width)
			return false;
	}
	return true;
}

/* The CPUs one after the other, and the first once more. */
static bool all_in_step(const struct clock *clock)
{
	struct clock_moment moments[CPU_SETSIZE + 1];
	size_t n = 0, first = CPU_SETSIZE;
	cpu_set_t mine, one;

	if (sched_getaffinity(0, sizeof(mine), &mine) < 0)
		return false;
	for (size_t i = 0; i <= CPU_SETSIZE; i++) {
		size_t cpu = i < CPU_SETSIZE ? i : first;

		if (!CPU_ISSET(cpu, &mine)) /* no CPU is CPU_SETSIZE */
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one) < 0)
			continue;
		first = n ? first : cpu;
		moments[n++] = moment(clock);
	}
	sched_setaffinity(0, sizeof(mine), &mine);
	return n >= 2 && clock_in_step(moments, n);
}

void clock_prove(struct clock *clock)
{
	if (!clock->proven && !all_in_step(clock)) {
		clock->tsc = false;
		clock->base_ticks = clock->base_ns;
	}
	clock->proven = true;
}

bool clock_jumped(struct clock *clock, int64_t *off_ns)
{
	const struct clock_moment last = clock->seen, now = moment(clock);
	int64_t ticks = (int64_t)(now.ticks - last.ticks), ns = (int64_t)(now.ns - last.ns);
	int64_t by_tsc = ticks < 0 ? -(int64_t)clock_span_ns(clock, (uint64_t)-ticks)
				   : (int64_t)clock_span_ns(clock, (uint64_t)ticks);

	clock->seen = now;
	*off_ns = by_tsc - ns;
	return llabs(*off_ns) > JUMP_NS + ns / 1000;
}

static double read_cost(const struct clock *clock)
{
	enum { READS = 1000 };
	uint64_t begin = clock_ns(), sum = 0;

	for (int i = 0; i < READS; i++)
		sum += clock_ticks(clock);
	__asm__ volatile("" : : "r"(sum));
	return (double)(clock_ns() - begin) / READS;
}

void clock_calibrate(struct clock *clock)
{
	struct clock_moment now;

	clock->read_ns = read_cost(clock);
	clock->seen = moment(clock);
	if (!clock->tsc)
		return;
	while (clock_ns() < clock->base_ns + CALIBRATE_NS)
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	now = moment(clock);
	if (now.ticks <= clock->base_ticks) { /* it jumped meanwhile */
		clock_give_up_tsc(clock);
		return;
	}
	clock->mult = (uint64_t)(((u128)(now.ns - clock->base_ns) << CLOCK_SHIFT)
			/ (now.ticks - clock->base_ticks));
}

void clock_give_up_tsc(struct clock *clock)
{
	clock->tsc = false;
	clock->mult = UINT64_C(1) << CLOCK_SHIFT;
	clock->seen = moment(clock);
	clock->base_ticks = clock->base_ns = clock->seen.ns;
	clock->read_ns = read_cost(clock);
}

void clock_check(struct clock *clock)
{
	struct clock_moment now = moment(clock);
	uint64_t elapsed = now.ns - clock->base_ns;

	clock->drift_ppm = elapsed ? ((double)(clock_to_ns(clock, now.ticks) - clock->base_ns)
			- (double)elapsed) / (double)elapsed * 1e6 : 0;
}

uint64_t clock_span_ticks(const struct clock *clock, uint64_t ns)
{
	return (uint64_t)(((u128)ns << CLOCK_SHIFT) / clock->mult);
}

uint64_t clock_to_ns(const struct clock *clock, uint64_t ticks)
{
	if (ticks < clock->base_ticks)
		return clock->base_ns - clock_span_ns(clock, clock->base_ticks - ticks);
	return clock->base_ns + clock_span_ns(clock, ticks - clock->base_ticks);
}

uint64_t clock_from_ns(const struct clock *clock, uint64_t ns)
{
	if (ns < clock->base_ns)
		return clock->base_ticks - clock_span_ticks(clock, clock->base_ns - ns);
	return clock->base_ticks + clock_span_ticks(clock, ns - clock->base_ns);
}
