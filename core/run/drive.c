// SPDX-License-Identifier: MIT
#include "drive.h"

bool drive_rest(struct io *io)
{
	uint32_t done = (uint32_t)io->pub.res;

	if (io->pub.res > io->pub.len)
		io->pub.res = -EPROTO; /* more than was asked for: a fault of the engine */
	if (io->pub.res <= 0)
		return false;
	if (!io->moved)
		io->total = io->pub.len;
	io->moved += done;
	io->pub.offset += done;
	io->pub.len -= done;
	io->pub.buf = (char *)io->pub.buf + done;
	return true;
}

uint32_t drive_whole(struct io *io)
{
	uint32_t bytes = io->moved + (io->pub.res > 0 ? (uint32_t)io->pub.res : 0);

	if (io->moved) {
		io->pub.offset -= io->moved;
		io->pub.len = io->total;
		io->pub.buf = io->buf;
		io->moved = 0;
	}
	return bytes;
}
