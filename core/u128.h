/* SPDX-License-Identifier: MIT */
/* 128 bits, for sums of squares and products that outgrow 64; ISO C has no such type. */
#ifndef U128_H
#define U128_H

__extension__ typedef unsigned __int128 u128;

#endif
