// SPDX-License-Identifier: MIT
/* The environment as people read it. */
#include "unit.h"

#include <stdio.h>

#include "../../output/facts.h"
#include "facts.h"

static const char server[] =
	"cgroup.memory.max=1073741824 of /user.slice\n"
	"cpu.allowed=0-3\n"
	"cpu.boost=off\n"
	"cpu.governor=performance\n"
	"cpu.model=AMD EPYC 9354\n"
	"cpu.online=0-3,8,10-11\n"
	"cpu.smt=on\n"
	"disk.dm-0.scheduler=none\n"
	"disk.dm-0.size=1073741824\n"
	"disk.dm-0.stack=dm-0(sda1(sda))\n"
	"disk.sda.model=A disk\n"
	"disk.sda.scheduler=mq-deadline\n"
	"disk.sda.size=2147483648\n"
	"disk.sda1.partition=1\n"
	"disk.sda1.size=1073741824\n"
	"fs./.options=rw\n"
	"fs./mnt.options=rw,noatime\n"
	"fs./mnt/a.b.options=ro\n"
	"memory.swap=1073741824\n"
	"memory.total=8589934592\n"
	"vm.dirty_ratio=20\n";

static const char guest[] =
	"cgroup.memory.limit_in_bytes=9223372036854771712\n"
	"cpu.allowed=0\n"
	"cpu.online=0\n"
	"cpu.smt=notsupported\n"
	"disk.a.size=512\n"
	"disk.b.size=512\n"
	"disk.c.size=512\n"
	"disk.d.size=512\n"
	"disk.e.size=512\n"
	"host.hypervisor=yes\n"
	"memory.swap=0\n"
	"memory.total=1024\n";

static void expect(void (*print)(FILE *to, const struct facts *facts), const char *lines,
		const char *text)
{
	struct facts facts = facts_from(lines);
	char *got = NULL;
	size_t size;
	FILE *to = open_memstream(&got, &size);

	ck_assert_ptr_nonnull(to);
	print(to, &facts);
	fclose(to);
	ck_assert_str_eq(got, text);
	free(got);
	facts_free(&facts);
}

START_TEST(test_head)
{
	expect(facts_print_head, server,
			"  cpu        7 x AMD EPYC 9354, allowed 0-3, SMT on, "
			"governor performance,\n"
			"             boost off\n"
			"  memory     8 GiB, 1 GiB for our control group, 1 GiB of swap, "
			"dirty_ratio 20\n"
			"  dm-0       1 GiB, scheduler none, dm-0(sda1(sda))\n"
			"  sda        A disk, 2 GiB, scheduler mq-deadline\n");
	expect(facts_print_head, guest,
			"  cpu        1 x an unknown model, a virtual machine\n"
			"  memory     1 KiB, no swap\n"
			"  a          512 B\n"
			"  b          512 B\n"
			"  c          512 B\n"
			"  d          512 B\n"
			"  and 1 more\n");
	expect(facts_print_head, "", "");
}
END_TEST

START_TEST(test_all)
{
	expect(facts_print,
			"a=1\n"
			"longer.key=x\ty\n"
			"fs./a/very/long/mount/point/that/is/more/than/forty/columns.type=xfs\n",
			"a           1\n"
			"fs./a/very/long/mount/point/that/is/more/than/forty/columns.type  xfs\n"
			"longer.key  x?y\n");
	expect(facts_print, "", "");
}
END_TEST

START_TEST(test_mount_options)
{
	static const struct {
		const char *directory, *options;
	} rows[] = {
		{ "/", "rw" },
		{ "/srv", "rw" },
		{ "/mnt", "rw,noatime" },
		{ "/mnt/x", "rw,noatime" },
		{ "/mnt2", "rw" },
		{ "/mnt/a.b/c", "ro" },
		{ "/mnt/a", "rw,noatime" },
	};
	struct facts facts = facts_from(server), none = facts_from("");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_str_eq(facts_mount_options(&facts, rows[i].directory), rows[i].options);
	ck_assert_ptr_null(facts_mount_options(&none, "/"));
	facts_free(&facts);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("output_facts");
	TCase *tc = tcase_create("output_facts");

	tcase_add_test(tc, test_head);
	tcase_add_test(tc, test_all);
	tcase_add_test(tc, test_mount_options);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
