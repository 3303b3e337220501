// SPDX-License-Identifier: MIT
#include "stage.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../engine/guard.h"
#include "../measure/probe.h"
#include "postmark.h"
#include "show.h"

#if defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum {
	SECOND_NS = 1000000000,
	WATCH_NS = SECOND_NS / 2,     /* between two looks at what hangs */
	GIVE_UP_NS = 2 * (int64_t)SECOND_NS, /* a killed process that does not go is left behind */
	PUNTED = 16, /* workers whose kernel threads are looked for: one is like the other */
	STACK_BYTES = 128 * 1024,     /* of a thread worker: only what it touches is memory */
};

static void wake_all(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* ---- starting ------------------------------------------------------------------------------ */

/* Are both part of one result? See add_result() in run.c. */
static bool together(const struct job *a, const struct job *b)
{
	return a->o.group_reporting && b->o.group_reporting && a->group == b->group;
}

static int make_courses(struct stage *s)
{
	s->courses = calloc(s->n + 1, sizeof(*s->courses));
	if (!s->courses)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		if (!i || !together(s->specs[i - 1].job, s->specs[i].job))
			s->courses[s->ncourses++].workers = &s->workers[i];
		s->workers[i].course = &s->courses[s->ncourses - 1];
		s->workers[i].course->n++;
	}
	return 0;
}

static int map_shared(struct stage *s, struct err *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t head = (s->ncourses * sizeof(*s->shared) + page - 1) / page * page, at = head;
	char *map;

	for (size_t i = 0; i < s->n; i++)
		at += worker_shared_bytes(s->specs[i].job);
	/* NORESERVE: most of it is buckets that nobody ever touches. */
	map = mmap(NULL, at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
			-1, 0);
	if (map == MAP_FAILED)
		return err_set(err, errno, "%zu MiB of address space for %zu workers: %s",
				at >> 20, s->n, strerror(errno));
	s->shared = (struct stage_shared *)map;
	s->map_bytes = at;
	at = head;
	for (size_t i = 0; i < s->n; i++) {
		struct stage_worker *w = &s->workers[i];

		w->spec = &s->specs[i];
		w->shared = (struct worker_shared *)(map + at);
		w->bw.interval_ns = w->spec->job->o.bwavgtime;
		w->iops.interval_ns = w->spec->job->o.iopsavgtime;
		worker_shared_init(w->shared, w->spec->job);
		at += worker_shared_bytes(w->spec->job);
	}
	return 0;
}

static struct worker_args args_of(const struct stage *s, const struct stage_worker *w)
{
	return (struct worker_args){
		.plan = s->plan,
		.spec = w->spec,
		.clock = s->clock,
		.stage = &s->shared[w->course - s->courses],
		.shared = w->shared,
		.notify_fd = s->notify,
	};
}

/* As many open files as this user may have, for the children: the plan has counted on them. */
static void raise_files(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/*
 * What a child does first: it must not outlive the main process. The signals that the main process
 * reads from its descriptor stay blocked: Ctrl-C at the terminal is nothing to a worker. But an
 * engine may have children of its own, and wait for them.
 */
static void become_child(pid_t parent)
{
	sigset_t set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void *thread_main(void *args)
{
	worker_main(args);
	return NULL;
}

/* Of a worker that there never was: what it would have said itself. */
__attribute__((format(printf, 3, 4)))
static void never_ran(struct worker_shared *shared, int error, const char *format, ...)
{
	va_list ap;

	shared->error = error;
	shared->end = RESULT_END_ERROR;
	va_start(ap, format);
	vsnprintf(shared->text.text, sizeof(shared->text.text), format, ap);
	va_end(ap);
	__atomic_store_n(&shared->phase, WORKER_DONE, __ATOMIC_RELEASE);
}

/* The one child that holds all thread workers of the stage. */
static void host_threads(const struct stage *s)
{
	pthread_t *threads = calloc(s->n, sizeof(*threads));
	struct worker_args *args = calloc(s->n, sizeof(*args));
	size_t started = 0;
	pthread_attr_t attr;

	pthread_attr_init(&attr);
#if !SANITIZED /* their frames are larger */
	pthread_attr_setstacksize(&attr, STACK_BYTES);
#endif
	for (size_t i = 0; threads && args && i < s->n; i++) {
		const struct stage_worker *w = &s->workers[i];
		int r;

		/* over: there was no process yet when it was its turn to begin one. */
		if (!w->spec->job->o.thread || w->spec->failed || w->over)
			continue;
		args[i] = args_of(s, w);
		r = pthread_create(&threads[started], &attr, thread_main, &args[i]);
		if (r)
			never_ran(args[i].shared, r, "no thread: %s", strerror(r));
		else
			started++;
	}
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	_exit(threads && args ? 0 : 1);
}

static void run_child(const struct stage *s, const struct stage_worker *w)
{
	if (w->spec->job->o.thread) {
		host_threads(s);
	} else {
		struct worker_args args = args_of(s, w);

		worker_main(&args);
	}
	_exit(0);
}

static void start_workers(struct stage *s)
{
	pid_t parent = getpid(), host = 0;

	raise_files(); /* this and the handler are the children's, too */
	guard_catch();
	fflush(NULL);
	for (size_t i = 0; i < s->n; i++) {
		struct stage_worker *w = &s->workers[i];

		if (w->spec->failed) {
			never_ran(w->shared, ECANCELED, "%s", w->spec->failed);
			w->over = true;
			continue;
		}
		w->pid = w->spec->job->o.thread && host ? host : fork();
		if (!w->pid) {
			become_child(parent);
			run_child(s, w);
		}
		if (w->pid < 0) {
			never_ran(w->shared, errno, "no process: %s", strerror(errno));
			w->over = true;
		} else if (w->spec->job->o.thread) {
			host = w->pid;
		}
	}
}

/* ---- stopping ------------------------------------------------------------------------------ */

static void release(struct stage *s)
{
	struct timespec now;
	uint64_t now_ticks;

	clock_gettime(CLOCK_REALTIME, &now);
	s->started_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	s->go_ns = clock_ns();
	now_ticks = clock_ticks(s->clock);
	for (size_t i = 0; i < s->ncourses; i++) {
		s->shared[i].go_ticks = now_ticks;
		__atomic_store_n(&s->shared[i].go, 1, __ATOMIC_RELEASE);
	}
	/* All of them may go before the first is woken, which costs time. */
	for (size_t i = 0; i < s->ncourses; i++)
		wake_all(&s->shared[i].go);
}

static void stop_course(struct stage *s, struct course *course)
{
	struct stage_shared *shared = &s->shared[course - s->courses];

	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	wake_all(&shared->stop);
}

static void stop(struct stage *s)
{
	if (s->stop_ns)
		return;
	s->stop_ns = clock_ns();
	for (size_t i = 0; i < s->ncourses; i++)
		stop_course(s, &s->courses[i]);
	if (!s->go_ns)
		release(s);
}

/* Kills a process, and so all workers in it. */
static void kill_process(struct stage *s, pid_t pid, uint64_t now)
{
	kill(pid, SIGKILL);
	for (size_t i = 0; i < s->n; i++) {
		if (s->workers[i].pid == pid && !s->workers[i].killed_ns)
			s->workers[i].killed_ns = now;
	}
}

static void kill_all(struct stage *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct stage_worker *w = &s->workers[i];

		if (!w->over && w->pid > 0 && !w->killed_ns)
			kill_process(s, w->pid, clock_ns());
	}
}

/* A child is gone: whoever of its workers had not finished died with it. */
static void child_gone(struct stage *s, pid_t pid, int status)
{
	for (size_t i = 0; i < s->n; i++) {
		struct stage_worker *w = &s->workers[i];

		if (w->pid != pid)
			continue;
		w->pid = 0;
		if (stage_phase(w) != WORKER_DONE && !w->hung) {
			w->died = true;
			w->status = status;
			w->lost_ns = clock_ns();
		}
		w->over = true;
	}
}

static void reap_children(struct stage *s)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		child_gone(s, pid, status);
}

static void read_signals(struct stage *s)
{
	struct signalfd_siginfo info;

	while (s->signals >= 0 && read(s->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		if (s->interrupted)
			kill_all(s);
		s->interrupted = (int)info.ssi_signo;
		stop(s);
	}
}

/* ---- watching ------------------------------------------------------------------------------ */

static uint64_t moves_of(const struct stage_worker *w)
{
	uint64_t sum = stage_phase(w);

	for (int op = 0; op < STAT_OPS; op++)
		sum += worker_read(&w->shared->stats.clat[op].n)
		       + worker_read(&w->shared->stats.op[op].errors);
	if (w->shared->postmark) {
		sum += worker_ios(w->shared, 0) + worker_ios(w->shared, 1)
		       + worker_read(&w->shared->postmark->cleared);
		for (int k = 0; k < POSTMARK_KINDS; k++)
			sum += worker_read(&w->shared->postmark->whole[k].n);
	}
	return sum;
}

/* Are all others in the same process through? Then it can be killed for the sake of this one. */
static bool alone(const struct stage *s, const struct stage_worker *w)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct stage_worker *other = &s->workers[i];

		if (other != w && other->pid == w->pid && !other->hung
				&& stage_phase(other) != WORKER_DONE)
			return false;
	}
	return true;
}

/* When does the time end that a worker has of its own? 0: it has no end, or has not begun. */
static uint64_t end_due(const struct stage *s, const struct stage_worker *w)
{
	const struct job_opts *o = &w->spec->job->o;

	if (w->course->stop_ns)
		return w->course->stop_ns;
	if (s->stop_ns)
		return s->stop_ns;
	switch (stage_phase(w)) {
	case WORKER_SETUP:
	case WORKER_READY:
		break;
	case WORKER_RAMP:
		return clock_to_ns(s->clock, worker_read(&w->shared->ramp_ticks)) + o->ramp_time;
	case WORKER_RUN:
		return o->runtime ? clock_to_ns(s->clock, worker_read(&w->shared->begin_ticks))
						       + o->runtime
				  : 0;
	case WORKER_SYNC:
	case WORKER_CLOSING:
	case WORKER_DONE:
		return w->moved_ns;
	}
	return 0;
}

/* Not even SIGKILL ends what the kernel does not come back from. */
static void give_up(struct stage_worker *w, uint64_t now)
{
	if (now <= w->killed_ns + GIVE_UP_NS)
		return;
	w->over = true;
	if (!w->hung && stage_phase(w) != WORKER_DONE) {
		w->died = true;
		w->status = SIGKILL;
		w->lost_ns = now;
	}
}

static void watch_worker(struct stage *s, struct stage_worker *w, uint64_t now, bool device_moves)
{
	uint64_t moves = moves_of(w), due;

	/* A thread that is done waits for the others of its process. */
	if (w->over || (stage_phase(w) == WORKER_DONE && !w->killed_ns && w->spec->job->o.thread))
		return;
	if (w->hung && !w->killed_ns && alone(s, w))
		kill_process(s, w->pid, now);
	if (w->killed_ns)
		give_up(w, now);
	if (w->hung || w->killed_ns)
		return;
	if (moves != w->moves || !w->moved_ns
			|| (device_moves && (stage_phase(w) == WORKER_SYNC
				|| stage_phase(w) == WORKER_CLOSING))) {
		w->moves = moves;
		w->moved_ns = now;
	}
	due = end_due(s, w);
	if (!due || now < due + w->spec->job->o.grace || now < w->moved_ns + w->spec->job->o.grace)
		return;
	if (stage_phase(w) == WORKER_DONE) { /* its result is whole: its process does not go */
		kill_process(s, w->pid, now);
		return;
	}
	w->hung = true;
	w->lost_ns = now;
	w->idle_ns = now - w->moved_ns;
}

/* The workers' time is counted in ticks: without them none would find its end. */
static void watch_clock(struct stage *s)
{
	if (s->clock_jumped || !clock_jumped(s->clock, &s->clock_off_ns))
		return;
	s->clock_jumped = true;
	stop(s);
}

static void watch(struct stage *s, uint64_t now)
{
	uint64_t sectors;

	if (now < s->disk_ns + WATCH_NS)
		return;
	watch_clock(s);
	sectors = s->disks ? disks_written(s->disks) : 0;
	for (size_t i = 0; i < s->n && i < PUNTED; i++) {
		struct stage_worker *w = &s->workers[i];

		if (!job_is_sync(w->spec->job) && w->pid && stage_phase(w) == WORKER_RUN)
			w->punted = probe_punted(w->pid);
	}
	for (size_t i = 0; i < s->n; i++)
		watch_worker(s, &s->workers[i], now, sectors != s->disk_sectors);
	s->disk_sectors = sectors;
	s->disk_ns = now;
}

static void add_sample(struct result_samples *samples, double value)
{
	if (!samples->n || value < samples->min)
		samples->min = value;
	if (value > samples->max)
		samples->max = value;
	samples->sum += value;
	samples->sumsq += value * value;
	samples->n++;
}

static void sample(struct sampler *sampler, const uint64_t value[RESULT_DIRS], uint64_t now,
		uint64_t begin_ns)
{
	if (!sampler->last_ns) {
		sampler->last_ns = begin_ns;
		sampler->due_ns = begin_ns + sampler->interval_ns;
	}
	if (now < sampler->due_ns)
		return;
	for (int d = 0; d < RESULT_DIRS; d++) {
		if (value[d])
			add_sample(&sampler->samples[d], (double)(value[d] - sampler->last[d]) * 1e9
					/ (double)(now - sampler->last_ns));
		sampler->last[d] = value[d];
	}
	sampler->last_ns = now;
	sampler->due_ns += (now - sampler->due_ns) / sampler->interval_ns * sampler->interval_ns
			+ sampler->interval_ns;
}

static void sample_worker(const struct stage *s, struct stage_worker *w, uint64_t now)
{
	const struct stats *stats = &w->shared->stats;
	uint64_t bytes[RESULT_DIRS], ios[RESULT_DIRS], begin;

	if (stage_phase(w) != WORKER_RUN)
		return;
	begin = clock_to_ns(s->clock, worker_read(&w->shared->begin_ticks));
	for (int d = 0; d < RESULT_DIRS; d++) {
		bytes[d] = worker_read(&stats->op[d].bytes);
		ios[d] = worker_ios(w->shared, d);
	}
	sample(&w->bw, bytes, now, begin);
	sample(&w->iops, ios, now, begin);
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Samples of what the jobs do; those that have become steady, and are to end then, end. */
static void look_at_courses(struct stage *s, uint64_t now)
{
	for (size_t i = 0; i < s->ncourses; i++) {
		struct course *course = &s->courses[i];

		if (course_look(course, s->clock, now) && !s->stop_ns) {
			course->stop_ns = now;
			stop_course(s, course);
		}
	}
}

/* Looks at every worker once. True: all are over. */
static bool look(struct stage *s, uint64_t now)
{
	bool all_ready = true, all_over = true;

	for (size_t i = 0; i < s->n; i++) {
		struct stage_worker *w = &s->workers[i];
		enum worker_phase phase = stage_phase(w);

		sample_worker(s, w, now);
		if ((phase == WORKER_DONE || w->over || w->hung) && w->spec->job->o.exitall
				&& !s->stop_ns) {
			s->exitall = true;
			stop(s);
		}
		all_ready = all_ready && (w->over || phase >= WORKER_READY);
		all_over = all_over && (w->over || !w->pid);
	}
	if (all_ready && !s->go_ns)
		release(s);
	return all_over;
}

static void until_sample(const struct sampler *sampler, uint64_t now, uint64_t *wait_ns)
{
	uint64_t left = sampler->due_ns > now ? sampler->due_ns - now : 0;

	if (sampler->last_ns && left < *wait_ns)
		*wait_ns = left;
}

/* Until something has to be done though nobody says so. */
static int wait_ms(const struct stage *s, uint64_t now)
{
	uint64_t wait_ns = s->show ? SHOW_NS : WATCH_NS;

	for (size_t i = 0; i < s->n; i++) {
		if (s->workers[i].over || stage_phase(&s->workers[i]) != WORKER_RUN)
			continue;
		until_sample(&s->workers[i].bw, now, &wait_ns);
		until_sample(&s->workers[i].iops, now, &wait_ns);
	}
	for (size_t i = 0; i < s->ncourses; i++) {
		uint64_t left = course_wait(&s->courses[i], now);

		wait_ns = left < wait_ns ? left : wait_ns;
	}
	return s->go_ns ? (int)(wait_ns / 1000000) + 1 : 20;
}

static void watch_until_over(struct stage *s)
{
	struct pollfd fds[] = {
		{ .fd = s->notify, .events = POLLIN },
		{ .fd = s->signals, .events = POLLIN },
	};

	for (;;) {
		uint64_t now, count;
		ssize_t n;

		read_signals(s);
		reap_children(s);
		now = clock_ns();
		look_at_courses(s, now);
		if (look(s, now))
			break;
		watch(s, now);
		show_progress(s, now);
		poll(fds, 2, wait_ms(s, now));
		n = read(s->notify, &count, sizeof(count));
		(void)n; /* it only wakes; what happened is seen in the phases */
	}
	watch_clock(s);
	s->elapsed_ns = s->go_ns ? clock_ns() - s->go_ns : 0;
	for (size_t i = 0; i < s->ncourses; i++)
		course_end(&s->courses[i], s->clock, clock_ns());
}

int stage_run(struct stage *s, struct err *err)
{
	int r;

	s->shown_ns = s->disk_ns = clock_ns();
	s->workers = calloc(s->n + 1, sizeof(*s->workers));
	if (!s->workers || make_courses(s))
		return err_memory(err);
	s->notify = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->notify < 0)
		return err_set(err, errno, "eventfd: %s", strerror(errno));
	r = map_shared(s, err);
	if (r)
		return r;
	start_workers(s);
	watch_until_over(s);
	return 0;
}

void stage_free(struct stage *s)
{
	if (s->shared)
		munmap(s->shared, s->map_bytes);
	if (s->notify >= 0)
		close(s->notify);
	for (size_t i = 0; i < s->ncourses; i++)
		course_free(&s->courses[i]);
	free(s->courses);
	free(s->workers);
	s->workers = NULL;
	s->courses = NULL;
	s->ncourses = 0;
	s->shared = NULL;
}
