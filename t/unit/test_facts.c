// SPDX-License-Identifier: MIT
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "facts.h"

START_TEST(test_lists)
{
	struct facts facts = facts_from("b= 2 \nc=\na=x y\n");

	ck_assert_uint_eq(facts.n, 3);
	ck_assert_str_eq(facts.list[0].key, "a");
	ck_assert_str_eq(facts_get(&facts, "a"), "x y");
	ck_assert_str_eq(facts_get(&facts, "b"), "2");
	ck_assert_str_eq(facts_get(&facts, "c"), "");
	ck_assert_ptr_null(facts_get(&facts, "d"));
	facts_free(&facts);
	ck_assert_ptr_null(facts_get(&facts, "a"));
}
END_TEST

static const struct {
	const char *before, *after, *joined;
} joins[] = {
	{ "", "", "" },
	{ "kernel.release=6", "kernel.release=6", "kernel.release=6\n" },
	{ "load=1", "load=2", "load.after=2\nload.before=1\n" },
	{ "load=1", "", "load.before=1\n" },
	{ "", "load=1", "load.after=1\n" },
	{ "disk.a.scheduler=none", "disk.a.scheduler=bfq",
		"changed.disk.a.scheduler=none -> bfq\ndisk.a.scheduler=none\n" },
	{ "disk.a.size=1", "", "changed.disk.a.size=1 -> none\ndisk.a.size=1\n" },
	{ "", "disk.a.size=1", "changed.disk.a.size=none -> 1\ndisk.a.size=1\n" },
	{ "fs./.used_percent=50", "fs./.used_percent=55", "fs./.used_percent=50\n" },
	{ "fs./.used_percent=50", "fs./.used_percent=56",
		"changed.fs./.used_percent=50 -> 56\nfs./.used_percent=50\n" },
};

static void append_line(char *text, size_t size, const char *a, const char *b, const char *c)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s=%s%s%s\n", a, b, c ? "/" : "", c ? c : "");
}

START_TEST(test_join)
{
	struct facts before = facts_from(joins[_i].before), after = facts_from(joins[_i].after);
	struct facts joined = { NULL, 0 };
	char text[512] = "";

	ck_assert_int_eq(facts_join(&joined, &before, &after), 0);
	ck_assert_uint_eq(before.n + after.n, 0);
	for (size_t i = 0; i < joined.n; i++)
		append_line(text, sizeof(text), joined.list[i].key, joined.list[i].value, NULL);
	ck_assert_str_eq(text, joins[_i].joined);
	facts_free(&joined);
}
END_TEST

static const struct {
	const char *a, *b, *differences; /* "key=a/b", "-" for none */
} compares[] = {
	{ "", "", "" },
	{ "kernel.release=6", "kernel.release=6", "" },
	{ "kernel.release=6", "kernel.release=7", "kernel.release=6/7\n" },
	{ "kernel.release=6", "", "kernel.release=6/-\n" },
	{ "", "kernel.release=6", "kernel.release=-/6\n" },
	{ "boot_id=1\nload.before=1\nload.after=2\npsi.io.before=1", "boot_id=2\nload.before=3",
		"" },
	{ "changed.load=1", "", "" },
	{ "", "changed.vm.swappiness=1 -> 2", "changed.vm.swappiness=-/1 -> 2\n" },
	{ "fs./.used_percent=10\nmemory.total=1000000", "fs./.used_percent=14\nmemory.total=999000",
		"" },
	{ "fs./.used_percent=10\nmemory.total=1000000",
		"fs./.used_percent=60\nmemory.total=2000000",
		"fs./.used_percent=10/60\nmemory.total=1000000/2000000\n" },
	{ "memory.total=many", "memory.total=few", "memory.total=many/few\n" },
	{ "fs./.used_percent=10", "", "fs./.used_percent=10/-\n" },
	/* Another name for the only disk: what differs beside the name. */
	{ "disk.vda.model=x\ndisk.vda.scheduler=none", "disk.sdb.model=x\ndisk.sdb.scheduler=bfq",
		"disk=vda/sdb\ndisk.vda.scheduler=none/bfq\n" },
	{ "disk.sda.model=x\ndisk.sda1.start=1\nfs./a.b.type=xfs",
		"disk.vdb.model=y\ndisk.vdb1.start=1\nfs./c.type=ext4",
		"disk=sda/vdb\ndisk=sda1/vdb1\nfs=/a.b//c\ndisk.sda.model=x/y\n"
		"fs./a.b.type=xfs/ext4\n" },
	/* One that both have is itself, and two are not one. */
	{ "disk.sda.x=1\ndisk.sdb.x=2", "disk.sda.x=1\ndisk.sdc.x=2", "disk=sdb/sdc\n" },
	{ "disk.sda.x=1\ndisk.sdb.x=2", "disk.sdc.x=1",
		"disk.sda.x=1/-\ndisk.sdb.x=2/-\ndisk.sdc.x=-/1\n" },
	/* A disk whose name begins like another's. */
	{ "disk.sda.x=1\ndisk.sda1.x=2", "disk.sda.x=1", "disk.sda1.x=2/-\n" },
	{ "fs.aio-max-nr=1", "fs.aio-max-nr=2", "fs.aio-max-nr=1/2\n" },
};

START_TEST(test_compare)
{
	struct facts a = facts_from(compares[_i].a), b = facts_from(compares[_i].b);
	struct result result_a = { .facts = a.list, .nfacts = a.n };
	struct result result_b = { .facts = b.list, .nfacts = b.n };
	struct facts_differences d;
	char text[512] = "";

	ck_assert_int_eq(facts_compare(&result_a, &result_b, &d), 0);
	for (size_t i = 0; i < d.n; i++)
		append_line(text, sizeof(text), d.list[i].key, d.list[i].a ? d.list[i].a : "-",
				d.list[i].b ? d.list[i].b : "-");
	ck_assert_str_eq(text, compares[_i].differences);
	facts_differences_free(&d);
	ck_assert_uint_eq(d.n, 0);
	facts_free(&a);
	facts_free(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("facts");
	TCase *tc = tcase_create("facts");

	tcase_add_test(tc, test_lists);
	tcase_add_loop_test(tc, test_join, 0, sizeof(joins) / sizeof(joins[0]));
	tcase_add_loop_test(tc, test_compare, 0, sizeof(compares) / sizeof(compares[0]));
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
