// SPDX-License-Identifier: MIT
/* Where results are written to: what is refused before a run; no file is ever half written. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../../output/output.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

enum { NOBODY = 65534 };

/* A format that takes its size from a member of the result that it has no other use for. */
static int write_letters(FILE *to, const struct result *result,
		const struct output_options *options)
{
	(void)options;
	for (uint64_t i = 0; i < result->started_ms; i++)
		fputc('x', to);
	fputs("end\n", to);
	return 0;
}

static int write_no_memory(FILE *to, const struct result *result,
		const struct output_options *options)
{
	(void)options;
	(void)result;
	fputs("half", to);
	return -ENOMEM;
}

static const struct output_format letters = { "letters", "", write_letters, NULL };
static const struct output_format no_memory = { "no-memory", "", write_no_memory, NULL };
static const struct output_options none = { .nmetrics = 0 };
static const struct result result_small = { .started_ms = 10 };
static const struct result result_large = { .started_ms = 100000 };

/* Every test works in a directory of its own. */
static char where[64];

static void set_up(void)
{
	snprintf(where, sizeof(where), "/tmp/test_write.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(where));
	ck_assert_int_eq(chdir(where), 0);
	ck_assert_int_eq(chmod(where, 0755), 0);
	umask(022);
}

static void remove_all(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char name[PATH_MAX];

	while (dir && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (entry->d_type == DT_DIR)
			remove_all(name);
		else
			unlink(name);
	}
	if (dir)
		closedir(dir);
	rmdir(path);
}

static void tear_down(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	remove_all(where);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

static void check_file(const char *path, const char *text)
{
	char got[200] = "";
	FILE *file = fopen(path, "r");
	size_t n;

	ck_assert_msg(file != NULL, "%s: %s", path, strerror(errno));
	n = fread(got, 1, sizeof(got) - 1, file);
	fclose(file);
	got[n] = '\0';
	ck_assert_str_eq(got, text);
}

/* How many entries a directory has: no temporary file may stay. */
static int entries(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_mode & 07777;
}

static int write_to(const char *path, const struct result *result, struct err *err)
{
	struct output_target target = { &letters, path };

	err->text[0] = '\0';
	return output_write(&target, result, &none, err);
}

static void write_fine(const char *path)
{
	struct err err;
	int code = write_to(path, &result_small, &err);

	ck_assert_msg(!code, "%s", err.text);
	ck_assert_str_eq(err.text, "");
}

/* ---- regular files ------------------------------------------------------------------------- */

START_TEST(test_new_file)
{
	write_fine("new");
	check_file("new", "xxxxxxxxxxend\n");
	ck_assert_int_eq((int)mode_of("new"), 0644);
	umask(027);
	write_fine("narrow");
	ck_assert_int_eq((int)mode_of("narrow"), 0640);
	ck_assert_int_eq((int)umask(022), 027);
	ck_assert_int_eq(entries("."), 2);
}
END_TEST

START_TEST(test_old_file)
{
	struct stat before, after;

	put("old", "what was there before, longer than what comes\n");
	ck_assert_int_eq(chmod("old", 0606), 0);
	ck_assert_int_eq(stat("old", &before), 0);
	write_fine("old");
	check_file("old", "xxxxxxxxxxend\n");
	ck_assert_int_eq(stat("old", &after), 0);
	ck_assert_int_eq((int)mode_of("old"), 0606);
	ck_assert(before.st_ino != after.st_ino); /* it was replaced, not overwritten */
	ck_assert_int_eq(entries("."), 1);
}
END_TEST

/* root writes over a user's file: it stays the user's. */
START_TEST(test_owner)
{
	struct stat st;

	if (geteuid()) {
		puts("owner: skipped: only root can give a file away");
		return;
	}
	put("old", "");
	ck_assert_int_eq(chown("old", NOBODY, NOBODY), 0);
	write_fine("old");
	ck_assert_int_eq(stat("old", &st), 0);
	ck_assert_uint_eq(st.st_uid, NOBODY);
	ck_assert_uint_eq(st.st_gid, NOBODY);
}
END_TEST

/* The file that links lead to is replaced, in its own directory; the links stay links. */
START_TEST(test_links)
{
	struct stat st;

	ck_assert_int_eq(mkdir("d", 0755), 0);
	put("d/real", "old\n");
	ck_assert_int_eq(symlink("real", "d/one"), 0);
	ck_assert_int_eq(symlink("d/one", "two"), 0);
	write_fine("two");
	check_file("d/real", "xxxxxxxxxxend\n");
	ck_assert(!lstat("two", &st) && S_ISLNK(st.st_mode));
	ck_assert(!lstat("d/one", &st) && S_ISLNK(st.st_mode));
	/* A link to what is not there yet. */
	ck_assert_int_eq(symlink("d/absent", "three"), 0);
	ck_assert_int_eq(symlink("three", "four"), 0);
	write_fine("four");
	check_file("d/absent", "xxxxxxxxxxend\n");
	ck_assert(!lstat("four", &st) && S_ISLNK(st.st_mode));
	ck_assert_int_eq(entries("."), 4);
	ck_assert_int_eq(entries("d"), 3);
}
END_TEST

START_TEST(test_long_name)
{
	char name[NAME_MAX + 1];

	memset(name, 'n', NAME_MAX);
	name[NAME_MAX] = '\0';
	write_fine(name);
	check_file(name, "xxxxxxxxxxend\n");
}
END_TEST

/* The disk is full in the middle (here: a limit on file size): the old file stays, whole. */
START_TEST(test_full_disk)
{
	struct rlimit limit = { 4096, RLIM_INFINITY };
	struct err err;

	put("old", "old\n");
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(write_to("old", &result_large, &err), -EFBIG);
	ck_assert_str_eq(err.text, "output old (letters): File too large");
	check_file("old", "old\n");
	ck_assert_int_eq(write_to("new", &result_large, &err), -EFBIG);
	ck_assert_int_eq(access("new", F_OK), -1);
	ck_assert_int_eq(entries("."), 1);
	limit.rlim_cur = RLIM_INFINITY;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_DFL);
}
END_TEST

/* A format that fails leaves everything as it was, and writes nothing anywhere. */
START_TEST(test_format_fails)
{
	struct output_target target = { &no_memory, "old" };
	struct err err;

	put("old", "old\n");
	ck_assert_int_eq(output_write(&target, &result_small, &none, &err), -ENOMEM);
	check_file("old", "old\n");
	ck_assert_int_eq(entries("."), 1);
}
END_TEST

/* What was fine before the run is gone after it. */
START_TEST(test_directory_gone)
{
	struct err err;

	ck_assert_int_eq(write_to("gone/file", &result_small, &err), -ENOENT);
	ck_assert_str_eq(err.text, "output gone/file (letters): No such file or directory");
	ck_assert_int_eq(mkdir("file", 0755), 0);
	ck_assert_int_eq(write_to("file", &result_small, &err), -EISDIR);
}
END_TEST

/* ---- devices, pipes, standard output ------------------------------------------------------- */

START_TEST(test_device)
{
	struct err err;

	write_fine("/dev/null");
	ck_assert_int_eq(write_to("/dev/full", &result_small, &err), -ENOSPC);
	ck_assert_str_eq(err.text, "output /dev/full (letters): No space left on device");
	ck_assert_int_eq(entries("."), 0);
}
END_TEST

START_TEST(test_pipe)
{
	char got[100];
	int fd;

	ck_assert_int_eq(mkfifo("pipe", 0644), 0);
	fd = open("pipe", O_RDWR); /* so that neither end waits for the other */
	ck_assert_int_ge(fd, 0);
	write_fine("pipe");
	ck_assert_int_eq((int)read(fd, got, sizeof(got)), 14);
	ck_assert_int_eq(memcmp(got, "xxxxxxxxxxend\n", 14), 0);
	close(fd);
}
END_TEST

/* Standard output becomes fd; what the test prints there itself is flushed before. */
static int stdout_to(int fd)
{
	int old;

	fflush(stdout);
	old = dup(STDOUT_FILENO);
	ck_assert_int_ge(old, 0);
	ck_assert_int_ge(dup2(fd, STDOUT_FILENO), 0);
	close(fd);
	return old;
}

static void stdout_back(int old)
{
	fflush(stdout);
	dup2(old, STDOUT_FILENO);
	close(old);
}

START_TEST(test_stdout)
{
	static const char *const names[] = { NULL, "-" };
	struct err err;
	int old;

	for (size_t i = 0; i < N(names); i++) {
		old = stdout_to(open("out", O_WRONLY | O_CREAT | O_TRUNC, 0644));
		printf("before\n");
		write_fine(names[i]);
		stdout_back(old);
		check_file("out", "before\nxxxxxxxxxxend\n");
	}
	old = stdout_to(open("/dev/full", O_WRONLY));
	ck_assert_int_eq(write_to(NULL, &result_small, &err), -ENOSPC);
	stdout_back(old);
	ck_assert_str_eq(err.text, "output standard output (letters): No space left on device");
}
END_TEST

/* `iojob | head`: an error text, not a death by SIGPIPE. */
START_TEST(test_broken_pipe)
{
	struct sigaction after;
	struct err err;
	int fds[2], old, code;

	ck_assert_int_eq(pipe(fds), 0);
	close(fds[0]);
	old = stdout_to(fds[1]);
	code = write_to("-", &result_small, &err);
	stdout_back(old);
	ck_assert_int_eq(code, -EPIPE);
	ck_assert_str_eq(err.text, "output standard output (letters): Broken pipe");
	ck_assert_int_eq(sigaction(SIGPIPE, NULL, &after), 0);
	ck_assert(after.sa_handler == SIG_DFL);
}
END_TEST

/* `iojob --output=json:out > out`: written through the descriptor, or the two would part. */
START_TEST(test_stdout_is_the_file)
{
	int old = stdout_to(open("out", O_WRONLY | O_CREAT | O_TRUNC, 0644));

	printf("before\n");
	write_fine("out");
	write_fine("/dev/stdout");
	stdout_back(old);
	check_file("out", "before\nxxxxxxxxxxend\nxxxxxxxxxxend\n");
}
END_TEST

/* ---- before the run ------------------------------------------------------------------------ */

static void check_fine(const char *a, const char *b)
{
	struct output_target targets[] = { { &letters, a }, { &no_memory, b } };
	struct err err;
	int code = output_check(targets, 2, &err);

	ck_assert_msg(!code, "%s", err.text);
}

static void check_twice(const char *a, const char *b)
{
	struct output_target targets[] = { { &letters, a }, { &no_memory, b } };
	struct err err;
	char text[PATH_MAX];

	ck_assert_int_eq(output_check(targets, 2, &err), -EINVAL);
	snprintf(text, sizeof(text),
			"output %s: two formats (letters, no-memory) for one file; give each its "
			"own, as in --output=no-memory:FILE",
			b && strcmp(b, "-") ? b : "standard output");
	ck_assert_str_eq(err.text, text);
}

static void check_refused(const char *path, int code, const char *why)
{
	struct output_target target = { &letters, path };
	struct err err = { "" };
	char text[PATH_MAX];

	ck_assert_int_eq(output_check(&target, 1, &err), code);
	snprintf(text, sizeof(text), "output %s: %s", path, why);
	ck_assert_str_eq(err.text, text);
}

START_TEST(test_check_fine)
{
	struct err err;

	put("old", "old\n");
	ck_assert_int_eq(symlink("old", "link"), 0);
	ck_assert_int_eq(symlink("absent", "dangling"), 0);
	check_fine("old", "new");
	check_fine("link", "dangling");
	check_fine("-", "new");
	check_fine(NULL, "/dev/null");
	check_fine("/dev/null", "/dev/null");
	check_fine("./new", "newer");
	ck_assert_int_eq(output_check(NULL, 0, &err), 0);
	/* Looking changes nothing. */
	check_file("old", "old\n");
	ck_assert_int_eq(entries("."), 3);
}
END_TEST

START_TEST(test_check_twice)
{
	char path[PATH_MAX];
	int old;

	put("old", "");
	ck_assert_int_eq(mkdir("d", 0755), 0);
	ck_assert_int_eq(symlink("old", "soft"), 0);
	ck_assert_int_eq(link("old", "hard"), 0);
	ck_assert_int_eq(symlink("new", "dangling"), 0);
	ck_assert_int_eq(mkfifo("pipe", 0644), 0);
	check_twice("old", "old");
	check_twice("old", "./old");
	check_twice("old", "d/../old");
	check_twice("old", "soft");
	check_twice("hard", "old");
	check_twice("new", "new");
	check_twice("new", "d/../new");
	check_twice("new", "dangling");
	check_twice("pipe", "pipe");
	check_twice("-", NULL);
	snprintf(path, sizeof(path), "%s/new", where);
	check_twice("new", path);
	/* Standard output leads to the file that is named too. */
	old = stdout_to(open("old", O_WRONLY));
	check_twice("-", "old");
	check_twice("soft", NULL);
	stdout_back(old);
}
END_TEST

START_TEST(test_check_refused)
{
	char path[5000];

	ck_assert_int_eq(mkdir("d", 0755), 0);
	ck_assert_int_eq(symlink("loop", "loop"), 0);
	ck_assert_int_eq(symlink("missing/file", "lost"), 0);
	put("file", "");
	check_refused("d", -EISDIR, "is a directory: name a file");
	check_refused("d/", -EISDIR, "is a directory: name a file");
	check_refused("new/", -EISDIR, "is a directory: name a file");
	check_refused("missing/file", -ENOENT, "its directory does not exist");
	check_refused("lost", -ENOENT, "its directory does not exist");
	check_refused("", -ENOENT, "its directory does not exist");
	check_refused("file/file", -ENOTDIR, "Not a directory");
	check_refused("loop", -ELOOP, "Too many levels of symbolic links");
	memset(path, 'n', sizeof(path));
	path[300] = '\0';
	check_refused(path, -ENAMETOOLONG, "File name too long");
}
END_TEST

/* Writing a report over a disk is no way to keep it. */
START_TEST(test_check_block_device)
{
	if (mknod("disk", S_IFBLK | 0644, makedev(7, 250))) {
		printf("block device: skipped: mknod: %s\n", strerror(errno));
		return;
	}
	check_refused("disk", -ENOTBLK,
			"is a block device, which the result would overwrite: name a file");
}
END_TEST

/* As a user who is not root. */
START_TEST(test_check_permissions)
{
	const char *why = "may not be written there: a new file is put in its place";

	ck_assert_int_eq(mkdir("closed", 0755), 0);
	put("closed/old", "");
	ck_assert_int_eq(chmod("closed/old", 0666), 0);
	ck_assert_int_eq(mkdir("open", 0777), 0);
	ck_assert_int_eq(chmod("open", 0777), 0);
	put("open/readonly", "");
	ck_assert_int_eq(chmod("open/readonly", 0444), 0);
	ck_assert_int_eq(mkdir("sticky", 0777), 0);
	ck_assert_int_eq(chmod("sticky", 01777), 0);
	put("sticky/theirs", "");
	ck_assert_int_eq(chmod("sticky/theirs", 0666), 0);
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	if (geteuid()) {
		ck_assert_int_eq(chmod("closed", 0555), 0);
		check_refused("closed/new", -EACCES, why);
		ck_assert_int_eq(chmod("closed", 0755), 0);
		return;
	}
	ck_assert_int_eq(seteuid(NOBODY), 0);
	check_refused("closed/new", -EACCES, why);
	check_refused("closed/old", -EACCES, why);
	check_refused("open/readonly", -EACCES, why);
	check_refused("sticky/theirs", -EPERM, why);
	check_refused("pipe", -EACCES, "may not be written");
	check_fine("open/new", "sticky/new");
	write_fine("open/new");
	write_fine("sticky/new");
	ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		test_new_file, test_old_file, test_owner, test_links, test_long_name,
		test_full_disk, test_format_fails, test_directory_gone, test_device, test_pipe,
		test_stdout, test_broken_pipe, test_stdout_is_the_file, test_check_fine,
		test_check_twice, test_check_refused, test_check_block_device,
		test_check_permissions,
	};
	Suite *suite = suite_create("write");
	TCase *tcase = tcase_create("write");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	for (size_t i = 0; i < N(tests); i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return unit_run(suite);
}
