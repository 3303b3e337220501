// SPDX-License-Identifier: MIT
#include "clock.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "../u128.h"

enum { CALIBRATE_NS = 2000000 };

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

/* The kernel checks the TSCs of all CPUs against each other: its choice is the best judgement. */
static bool tsc_is_clocksource(void)
{
	char name[16] = "";
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

	if (!f)
		return false;
	if (!fgets(name, sizeof(name), f))
		name[0] = '\0';
	fclose(f);
	return !strcmp(name, "tsc\n");
}

/* One moment on both clocks: the pair of several tries that was read in the shortest time. */
static void read_pair(const struct clock *clock, uint64_t *ticks, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t t0 = clock_ticks(clock), n = clock_ns(), t1 = clock_ticks(clock);

		if (t1 - t0 < best) {
			best = t1 - t0;
			*ticks = t0 + (t1 - t0) / 2;
			*ns = n;
		}
	}
}

void clock_begin(struct clock *clock)
{
	memset(clock, 0, sizeof(*clock));
	clock->tsc = tsc_invariant() && tsc_is_clocksource();
	clock->mult = UINT64_C(1) << CLOCK_SHIFT;
	read_pair(clock, &clock->base_ticks, &clock->base_ns);
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
	uint64_t ticks, ns;

	clock->read_ns = read_cost(clock);
	if (!clock->tsc)
		return;
	while (clock_ns() < clock->base_ns + CALIBRATE_NS)
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	read_pair(clock, &ticks, &ns);
	clock->mult = (uint64_t)(((u128)(ns - clock->base_ns) << CLOCK_SHIFT)
			/ (ticks - clock->base_ticks));
}

void clock_check(struct clock *clock)
{
	uint64_t ticks, ns, elapsed;

	read_pair(clock, &ticks, &ns);
	elapsed = ns - clock->base_ns;
	clock->drift_ppm = elapsed ? ((double)(clock_to_ns(clock, ticks) - clock->base_ns)
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
