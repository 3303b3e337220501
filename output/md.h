/* SPDX-License-Identifier: MIT */
/* What all Markdown has in common. */
#ifndef MD_H
#define MD_H

#include <stdio.h>

/* A text in a line of Markdown, where `|` would end a cell and a mark would be one. */
void md_text(FILE *to, const char *text);

#endif
