// SPDX-License-Identifier: MIT
#include "err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int err_set(struct err *err, int code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(err->text, sizeof(err->text), format, ap);
	va_end(ap);
	return -code;
}

int err_memory(struct err *err)
{
	return err_set(err, ENOMEM, "out of memory");
}

int err_at(struct err *err, int code, const char *path, unsigned line, const char *format, ...)
{
	va_list ap;
	int n = 0;

	if (path && line)
		n = snprintf(err->text, sizeof(err->text), "%s:%u: ", path, line);
	else if (path)
		n = snprintf(err->text, sizeof(err->text), "%s: ", path);
	if (n < 0 || (size_t)n >= sizeof(err->text))
		n = 0;
	va_start(ap, format);
	vsnprintf(err->text + n, sizeof(err->text) - (size_t)n, format, ap);
	va_end(ap);
	return -code;
}
