/* SPDX-License-Identifier: MIT */
/* A comparison (core/result/compare.h) as text and Markdown, for people, as JSON and as CSV. */
#ifndef OUTPUT_COMPARE_H
#define OUTPUT_COMPARE_H

#include <stdio.h>

#include "../core/result/compare.h"

/* 0, or -errno where memory ran out; write errors stay in the stream. */
int compare_text(FILE *to, const struct compare *c);
int compare_md(FILE *to, const struct compare *c);
int compare_json(FILE *to, const struct compare *c);
int compare_csv(FILE *to, const struct compare *c);

/* "syscall, Normal read": a job by its name and the labels of its axes. Returns buf. */
char *compare_job_name(const struct result_job *job, char *buf, size_t size);

/*
 * Where and how a cell breaks a condition: "syscall, Normal write: bw -7.1% in NEW (real), and must
 * not be below -5.0%". Returns buf.
 */
char *compare_condition_text(const struct compare *c, const struct compare_condition *condition,
		size_t cell, size_t side, char *buf, size_t size);

/* What its values are in, for programs: "bytes/s". */
const char *compare_unit(const struct metric *metric);

#endif
