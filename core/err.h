/* SPDX-License-Identifier: MIT */
/* The text of an error, filled in where it is known and handed up unchanged to main. */
#ifndef ERR_H
#define ERR_H

struct err {
	char text[1024]; /* one line without a newline; "" = none */
};

/* Formats the text and returns -code (an errno value). */
int err_set(struct err *err, int code, const char *format, ...)
		__attribute__((format(printf, 3, 4)));

/* Says that there is no memory; returns -ENOMEM. */
int err_memory(struct err *err);

/*
 * As err_set(), behind "PATH:LINE: "; behind "PATH: " where line is 0 (--set has none), and without
 * either where path is NULL.
 */
int err_at(struct err *err, int code, const char *path, unsigned line, const char *format, ...)
		__attribute__((format(printf, 5, 6)));

#endif
