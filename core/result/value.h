/* SPDX-License-Identifier: MIT */
/*
 * Values of a JSON document. As json_pack() does, each answers NULL as soon as one of its parts is
 * NULL, so that a lack of memory anywhere is seen at the root. Parts are taken over in every case.
 */
#ifndef VALUE_H
#define VALUE_H

#include <jansson.h>
#include <stdint.h>

/* JSON has no unsigned numbers: one that is larger than the largest reads as that. */
json_int_t value_whole(uint64_t n);

/* JSON has no infinities: 0. */
double value_real(double x);

/* A string; file names need not be UTF-8, JSON must be: what is none becomes U+FFFD. */
json_t *value_string(const char *s);

/* object, with one more member. */
json_t *value_with(json_t *object, const char *key, json_t *value);

/* array, with one more item. */
json_t *value_item(json_t *array, json_t *value);

#endif
