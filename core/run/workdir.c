// SPDX-License-Identifier: MIT
#include "workdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_number(const char *name)
{
	return *name && !name[strspn(name, "0123456789")];
}

/* Removes the files in a directory, and its subdirectories where it has any; closes fd. */
static void clear(int fd, bool top)
{
	DIR *dir = fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		close(fd);
		return;
	}
	while ((entry = readdir(dir))) {
		if (is_number(entry->d_name)) {
			unlinkat(fd, entry->d_name, 0);
		} else if (top && entry->d_name[0] == 's' && is_number(entry->d_name + 1)) {
			int sub = openat(fd, entry->d_name,
					O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			if (sub >= 0)
				clear(sub, false);
			unlinkat(fd, entry->d_name, AT_REMOVEDIR);
		}
	}
	closedir(dir);
}

int workdir_remove(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		clear(fd, true);
	if (!rmdir(path) || errno == ENOENT)
		return 0;
	return err_set(err, errno, "%s was not removed: %s", path, strerror(errno));
}

int workdir_make(const char *path, unsigned subdirectories, struct err *err)
{
	struct err other;
	int fd, r = 0;

	if (mkdir(path, 0777))
		return err_set(err, errno, "%s: mkdir: %s", path, strerror(errno));
	if (subdirectories < 2)
		return 0;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		r = err_set(err, errno, "%s: %s", path, strerror(errno));
	for (unsigned i = 0; !r && i < subdirectories; i++) {
		char name[16];

		snprintf(name, sizeof(name), "s%u", i);
		if (mkdirat(fd, name, 0777))
			r = err_set(err, errno, "%s/%s: mkdir: %s", path, name, strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	if (r)
		workdir_remove(path, &other);
	return r;
}
