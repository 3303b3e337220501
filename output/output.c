// SPDX-License-Identifier: MIT
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare.h"

const struct output_format output_formats[] = {
	{
		"text", "for people: a block for each job, then the tables",
		output_text, compare_text,
	},
	{
		"json", "the shape of fio's JSON, and more under \"iojob\"",
		output_json, compare_json,
	},
	{ "csv", "one row for each job and direction", output_csv, compare_csv },
	{ "md", "of comparisons only: the text as Markdown", NULL, compare_md },
	{ "table", "only the tables that jobs with `vary` form", output_table, NULL },
	{ "table-csv", "the same as CSV", output_table_csv, NULL },
	{ "table-md", "the same as Markdown", output_table_md, NULL },
	{
		"postmark", "PostMark's report, of each job with workload=postmark",
		output_postmark, NULL,
	},
	{ "tiobench", "the tables of tiotest, a row for each job", output_tiobench, NULL },
	{ NULL, NULL, NULL, NULL },
};

const struct output_format *output_find(const char *name)
{
	for (const struct output_format *f = output_formats; f->name; f++) {
		if (!strcmp(f->name, name))
			return f;
	}
	return NULL;
}

/* ---- where a target really is -------------------------------------------------------------- */

/* A target with its links followed. */
struct place {
	char path[PATH_MAX]; /* "" = standard output */
	bool exists;
	struct stat st; /* where it exists */
};

static bool is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

static const char *target_name(const char *path)
{
	return is_stdout(path) ? "standard output" : path;
}

/* Is it to be written beside and renamed? */
static bool place_renamed(const struct place *place)
{
	return place->path[0] && (!place->exists || S_ISREG(place->st.st_mode));
}

/* Cuts a path into its directory, which may be ".", and the name in it. */
static int split(const char *path, char dir[PATH_MAX], const char **name)
{
	const char *slash = strrchr(path, '/');
	int n;

	*name = slash ? slash + 1 : path;
	if (!slash)
		n = snprintf(dir, PATH_MAX, ".");
	else
		n = snprintf(dir, PATH_MAX, "%.*s", slash == path ? 1 : (int)(slash - path), path);
	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* directory + "/" + name, into path, which is the memory of neither. */
static int join(char path[PATH_MAX], const char *dir, const char *name)
{
	int n = snprintf(path, PATH_MAX, "%s/%s", dir, name);

	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* One step along a link that points to nothing yet: where it points to. */
static int follow(char path[PATH_MAX])
{
	char dir[PATH_MAX], to[PATH_MAX];
	const char *name;
	ssize_t n = readlink(path, to, sizeof(to) - 1);
	int err;

	if (n < 0)
		return -errno;
	to[n] = '\0';
	err = split(path, dir, &name);
	if (err)
		return err;
	if (to[0] != '/')
		return join(path, dir, to);
	memcpy(path, to, (size_t)n + 1);
	return 0;
}

/* Fills place->path where nothing is there yet: the real directory and the name in it. */
static int resolve_absent(struct place *place)
{
	char path[PATH_MAX], dir[PATH_MAX], real[PATH_MAX];
	const char *name;
	struct stat st;
	int err = 0;

	memcpy(path, place->path, sizeof(path));
	for (int links = 0; lstat(path, &st) == 0 && S_ISLNK(st.st_mode); links++) {
		err = links < 40 ? follow(path) : -ELOOP;
		if (err)
			return err;
	}
	err = split(path, dir, &name);
	if (err)
		return err;
	if (!name[0]) /* "there/" can only be a directory */
		return -EISDIR;
	if (!realpath(dir, real))
		return -errno;
	return join(place->path, real, name);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* What is there: only a regular file needs its real path, and a pipe behind /dev/fd has none. */
static int resolve_present(struct place *place)
{
	char real[PATH_MAX];
	struct stat out;

	if (S_ISDIR(place->st.st_mode))
		return -EISDIR;
	if (S_ISBLK(place->st.st_mode))
		return -ENOTBLK;
	if (!S_ISREG(place->st.st_mode))
		return 0;
	/* The shell's `> file`: a new file in its place would lose what else is printed. */
	if (!fstat(STDOUT_FILENO, &out) && same_file(&out, &place->st)) {
		place->path[0] = '\0';
		return 0;
	}
	if (!realpath(place->path, real))
		return -errno;
	memcpy(place->path, real, sizeof(real));
	return 0;
}

static int resolve(struct place *place, const char *path)
{
	place->path[0] = '\0';
	place->exists = true;
	if (is_stdout(path))
		return fstat(STDOUT_FILENO, &place->st) ? -errno : 0;
	if (!path[0])
		return -ENOENT;
	if (strlen(path) >= sizeof(place->path))
		return -ENAMETOOLONG;
	memcpy(place->path, path, strlen(path) + 1);
	if (!stat(path, &place->st))
		return resolve_present(place);
	place->exists = false;
	return errno == ENOENT ? resolve_absent(place) : -errno;
}

/* ---- before the run ------------------------------------------------------------------------ */

/* May the directory of a file be written, and may the file in it be replaced? */
static int check_renamed(const struct place *place)
{
	char dir[PATH_MAX];
	const char *name;
	struct stat st;
	uid_t me = geteuid();
	int err = split(place->path, dir, &name);

	if (err)
		return err;
	if (place->exists && eaccess(place->path, W_OK))
		return -errno;
	if (eaccess(dir, W_OK | X_OK) || stat(dir, &st))
		return -errno;
	/* In a directory like /tmp nobody may rename over another's file. */
	if (place->exists && (st.st_mode & S_ISVTX) && me && me != st.st_uid &&
			me != place->st.st_uid)
		return -EPERM;
	return 0;
}

static const char *check_text(int code, const struct place *place)
{
	switch (code) {
	case EISDIR:
		return "is a directory: name a file";
	case ENOTBLK:
		return "is a block device, which the result would overwrite: name a file";
	case ENOENT:
		return "its directory does not exist";
	case EACCES:
	case EPERM:
	case EROFS:
		return place->exists && !place_renamed(place) ?
				"may not be written" :
				"may not be written there: a new file is put in its place";
	default:
		return strerror(code);
	}
}

static bool same_place(const struct place *a, const struct place *b)
{
	if (!a->path[0] && !b->path[0])
		return true;
	if (!a->exists || !b->exists)
		return a->exists == b->exists && !strcmp(a->path, b->path);
	/* What goes to /dev/null twice does no harm. */
	return same_file(&a->st, &b->st) && !S_ISCHR(a->st.st_mode);
}

static int check_one(struct place *place, const char *path, struct err *err)
{
	int code = resolve(place, path);

	if (!code && place_renamed(place))
		code = check_renamed(place);
	else if (!code && place->path[0] && eaccess(place->path, W_OK))
		code = -errno;
	if (!code)
		return 0;
	return err_set(err, -code, "output %s: %s", target_name(path), check_text(-code, place));
}

int output_check(const struct output_target *targets, size_t n, struct err *err)
{
	struct place *places = calloc(n ? n : 1, sizeof(*places));
	int code = 0;

	if (!places)
		return err_set(err, ENOMEM, "output: no memory");
	for (size_t i = 0; i < n && !code; i++) {
		code = check_one(&places[i], targets[i].path, err);
		for (size_t j = 0; j < i && !code; j++) {
			if (same_place(&places[i], &places[j]))
				code = err_set(err, EINVAL,
						"output %s: two formats (%s, %s) for one file; "
						"give each its own, as in --output=%s:FILE",
						target_name(targets[i].path),
						targets[j].format->name, targets[i].format->name,
						targets[i].format->name);
		}
	}
	free(places);
	return code;
}

/* ---- after the run ------------------------------------------------------------------------- */

/* Writes all of it. A reader that went away is an error here, not the end of the program. */
static int write_all(int fd, const char *text, size_t size)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	int code = 0;

	sigaction(SIGPIPE, &ignore, &old);
	while (size && !code) {
		ssize_t n = write(fd, text, size);

		if (n >= 0) {
			text += n;
			size -= (size_t)n;
		} else if (errno != EINTR) {
			code = -errno;
		}
	}
	sigaction(SIGPIPE, &old, NULL);
	return code;
}

static int write_in_place(const struct place *place, const char *text, size_t size)
{
	int fd, code;

	if (!place->path[0]) {
		if (fflush(stdout))
			return -errno;
		return write_all(STDOUT_FILENO, text, size);
	}
	fd = open(place->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	code = write_all(fd, text, size);
	if (close(fd) && !code)
		code = -errno;
	return code;
}

/* The new file gets what the old one had, or what open(2) would have given it. */
static int give_mode(int fd, const struct place *place)
{
	mode_t mask;

	if (!place->exists) {
		mask = umask(0);
		umask(mask);
		return fchmod(fd, 0666 & ~mask) ? -errno : 0;
	}
	/* Only root can give a file back to its owner; before fchmod, which it would undo. */
	if (!geteuid() && fchown(fd, place->st.st_uid, place->st.st_gid))
		return -errno;
	return fchmod(fd, place->st.st_mode & 07777) ? -errno : 0;
}

static int write_beside(const struct place *place, const char *text, size_t size)
{
	char dir[PATH_MAX], temp[PATH_MAX];
	const char *name;
	int fd, code = split(place->path, dir, &name);

	if (code)
		return code;
	/* NAME_MAX is 255, and the temporary name is 8 longer. */
	if (snprintf(temp, sizeof(temp), "%s/.%.240s.XXXXXX", dir, name) >= (int)sizeof(temp))
		return -ENAMETOOLONG;
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	code = give_mode(fd, place);
	if (!code)
		code = write_all(fd, text, size);
	/* Or the rename could reach the disk before the data; what cannot sync says EINVAL. */
	if (!code && fsync(fd) && errno != EINVAL)
		code = -errno;
	if (close(fd) && !code)
		code = -errno;
	if (!code && rename(temp, place->path))
		code = -errno;
	if (code)
		unlink(temp);
	return code;
}

/* What is written: a result, or a comparison. */
struct matter {
	const struct result *result;
	const struct output_options *options; /* of a result */
	const struct compare *compare;        /* NULL: a result */
};

/* All of its text in memory: half a text is never written anywhere. */
static int format(const struct output_format *format, const struct matter *matter, char **text,
		size_t *size)
{
	FILE *stream = open_memstream(text, size);
	int code;

	if (!stream)
		return -errno;
	code = matter->compare ? format->compare(stream, matter->compare)
			       : format->write(stream, matter->result, matter->options);
	if (ferror(stream) && !code)
		code = -ENOMEM;
	if (fclose(stream) && !code)
		code = -errno;
	return code;
}

static int write_matter(const struct output_target *target, const struct matter *matter,
		struct err *err)
{
	struct place place;
	char *text = NULL;
	size_t size = 0;
	int code = format(target->format, matter, &text, &size);

	if (!code)
		code = resolve(&place, target->path);
	if (!code)
		code = place_renamed(&place) ? write_beside(&place, text, size) :
					       write_in_place(&place, text, size);
	free(text);
	if (!code)
		return 0;
	return err_set(err, -code, "output %s (%s): %s", target_name(target->path),
			target->format->name, strerror(-code));
}

int output_write(const struct output_target *target, const struct result *result,
		const struct output_options *options, struct err *err)
{
	const struct matter matter = { .result = result, .options = options };

	return write_matter(target, &matter, err);
}

int output_write_compare(const struct output_target *target, const struct compare *c,
		struct err *err)
{
	const struct matter matter = { .compare = c };

	return write_matter(target, &matter, err);
}
