// SPDX-License-Identifier: MIT
/* Machines that this one is not, as trees of files; and this one. */
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../../core/measure/environ.h"
#include "../../core/measure/machine.h"
#include "disk.h"

/* A file of a tree, or where `link`, a symbolic one. */
struct leaf {
	const char *path;
	const char *text;
	const char *link;
};

/*
 * An AMD host with boost, control groups v2 with limits above our own group, and a filesystem on a
 * dm device over a RAID of partitions of two NVMe disks.
 */
#define VIRTUAL "sys/devices/virtual/block/"
#define NVME "sys/devices/pci/nvme/"
#define BLOCK "sys/dev/block/"
#define TO_VIRTUAL "../../devices/virtual/block/"
#define TO_NVME "../../devices/pci/nvme/"
#define CPU "sys/devices/system/cpu/"

static const struct leaf amd[] = {
	{ "proc/sys/kernel/osrelease", "6.9.1\n", NULL },
	{ "proc/sys/kernel/random/boot_id", "1111-2222\n", NULL },
	{ "proc/cmdline", "root=/dev/dm-0 rd.luks.key=/etc/k quiet\n", NULL },
	{ "proc/cpuinfo",
		"processor\t: 0\nmodel name\t: AMD EPYC 9354\nmicrocode\t: 0xa101148\n"
		"flags\t\t: fpu svm\n\nprocessor\t: 1\nmodel name\t: AMD EPYC 9354\n", NULL },
	{ "proc/meminfo", "MemTotal:       65536000 kB\nMemFree: 5 kB\nSwapTotal:  0 kB\n", NULL },
	{ "proc/loadavg", "0.10 0.20 0.30 1/333 4444\n", NULL },
	{ "proc/pressure/io", "some avg10=0.50 total=1\nfull avg10=0.25 total=2\n", NULL },
	{ "proc/self/cgroup", "0::/user.slice/run.scope\n", NULL },
	{ "proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3\n", NULL },
	{ "proc/self/mountinfo",
		"20 1 252:0 / / rw,noatime shared:1 - xfs /dev/mapper/data rw,attr2,logbufs=8\n"
		"21 20 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
		"22 20 0:40 / /mnt/nas ro - cifs //nas/x rw,username=u,password=geheim,vers=3\n",
		NULL },
	{ "etc/os-release", "ID=x\nPRETTY_NAME=\"Some Linux 40\"\n", NULL },
	{ "sys/class/dmi/id/sys_vendor", "Some Maker\n", NULL },
	{ "sys/class/dmi/id/product_name", "Rack 2000 \n", NULL },
	{ CPU "online", "0-3\n", NULL },
	{ CPU "smt/control", "on\n", NULL },
	{ CPU "cpufreq/boost", "1\n", NULL },
	{ CPU "cpufreq/policy0/scaling_governor", "performance\n", NULL },
	{ CPU "cpufreq/policy1/scaling_governor", "powersave\n", NULL },
	{ CPU "cpufreq/policy2/scaling_governor", "performance\n", NULL },
	{ CPU "vulnerabilities/meltdown", "Not affected\n", NULL },
	{ CPU "vulnerabilities/retbleed", "Mitigation: untrained return thunk\n", NULL },
	{ "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n", NULL },
	{ "sys/fs/cgroup/user.slice/run.scope/memory.max", "max\n", NULL },
	{ "sys/fs/cgroup/user.slice/run.scope/cpu.weight", "100\n", NULL },
	{ "sys/fs/cgroup/user.slice/memory.max", "1073741824\n", NULL },
	{ "sys/fs/cgroup/user.slice/cpu.max", "max 100000\n", NULL },
	{ "sys/fs/cgroup/user.slice/io.max", "259:0 rbps=max wbps=1048576\n259:2 rbps=9\n", NULL },

	{ VIRTUAL "dm-0/dev", "252:0\n", NULL },
	{ VIRTUAL "dm-0/dm/name", "data\n", NULL },
	{ VIRTUAL "dm-0/dm/uuid", "LVM-abcdef\n", NULL },
	{ VIRTUAL "dm-0/queue/scheduler", "none\n", NULL },
	{ VIRTUAL "dm-0/slaves/md127", NULL, "../../md127" },
	{ VIRTUAL "md127/dev", "9:127\n", NULL },
	{ VIRTUAL "md127/md/level", "raid1\n", NULL },
	{ VIRTUAL "md127/slaves/nvme0n1p2", NULL, "../../../../pci/nvme/nvme0n1/nvme0n1p2" },
	{ VIRTUAL "md127/slaves/nvme1n1p2", NULL, "../../../../pci/nvme/nvme1n1/nvme1n1p2" },
	{ NVME "nvme0n1/dev", "259:0\n", NULL },
	{ NVME "nvme0n1/size", "1953525168\n", NULL },
	{ NVME "nvme0n1/device/model", "SAMSUNG 980 PRO 1TB   \n", NULL },
	{ NVME "nvme0n1/queue/scheduler", "none [mq-deadline] kyber\n", NULL },
	{ NVME "nvme0n1/queue/rotational", "0\n", NULL },
	{ NVME "nvme0n1/queue/iosched/read_expire", "500\n", NULL },
	{ NVME "nvme0n1/nvme0n1p2/dev", "259:1\n", NULL },
	{ NVME "nvme0n1/nvme0n1p2/partition", "2\n", NULL },
	{ NVME "nvme0n1/nvme0n1p2/start", "2048\n", NULL },
	{ NVME "nvme0n1/nvme0n1p2/alignment_offset", "3584\n", NULL },
	{ NVME "nvme1n1/dev", "259:2\n", NULL },
	{ NVME "nvme1n1/queue/scheduler", "[none] mq-deadline kyber\n", NULL },
	{ NVME "nvme1n1/nvme1n1p2/dev", "259:3\n", NULL },
	{ NVME "nvme1n1/nvme1n1p2/partition", "2\n", NULL },
	{ BLOCK "252:0", NULL, TO_VIRTUAL "dm-0" },
	{ BLOCK "9:127", NULL, TO_VIRTUAL "md127" },
	{ BLOCK "259:0", NULL, TO_NVME "nvme0n1" },
	{ BLOCK "259:1", NULL, TO_NVME "nvme0n1/nvme0n1p2" },
	{ BLOCK "259:2", NULL, TO_NVME "nvme1n1" },
	{ BLOCK "259:3", NULL, TO_NVME "nvme1n1/nvme1n1p2" },
	{ NULL, NULL, NULL },
};

/* An Intel guest with control groups v1, and a loop device over a file on its disk. */
static const struct leaf intel[] = {
	{ "proc/cpuinfo", "model name\t: Xeon\nflags\t: fpu hypervisor vmx\n", NULL },
	{ "proc/self/cgroup", "5:memory,x:/docker/1\n4:cpu,cpuacct:/docker/1\n3:blkio:/a\n0::/a\n",
		NULL },
	{ "proc/self/mountinfo",
		"20 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw,discard\n"
		"30 20 0:33 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n"
		"31 20 0:34 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
		"32 20 0:35 /docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
		"33 20 0:36 /other /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n", NULL },
	{ CPU "intel_pstate/no_turbo", "1\n", NULL },
	{ "sys/fs/cgroup/blkio/a/blkio.throttle.read_bps_device", "8:0 1048576\n", NULL },
	{ "sys/fs/cgroup/blkio/a/blkio.throttle.write_bps_device", "\n", NULL },
	{ "sys/fs/cgroup/blkio/a/blkio.bfq.weight", "300\n", NULL },
	{ "sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us", "-1\n", NULL },
	{ "sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.shares", "1024\n", NULL },
	{ "sys/fs/cgroup/memory/memory.limit_in_bytes", "4096000\n", NULL },
	{ "sys/devices/virtual/block/loop3/dev", "7:3\n", NULL },
	{ "sys/devices/virtual/block/loop3/loop/backing_file", "/images/a b.img\n", NULL },
	{ "sys/devices/virtual/block/loop3/loop/dio", "1\n", NULL },
	{ "sys/devices/pci/sda/dev", "8:0\n", NULL },
	{ "sys/devices/pci/sda/sda1/dev", "8:1\n", NULL },
	{ "sys/devices/pci/sda/sda1/partition", "1\n", NULL },
	{ BLOCK "7:3", NULL, TO_VIRTUAL "loop3" },
	{ BLOCK "8:0", NULL, "../../devices/pci/sda" },
	{ BLOCK "8:1", NULL, "../../devices/pci/sda/sda1" },
	{ NULL, NULL, NULL },
};

static void plant_leaf(const struct leaf *leaf)
{
	const char *path = disk_path(leaf->path);
	FILE *to;

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	if (leaf->link) {
		ck_assert_int_eq(symlink(leaf->link, path), 0);
		return;
	}
	to = fopen(path, "we");
	ck_assert_msg(to != NULL, "%s", path);
	fputs(leaf->text, to);
	fclose(to);
}

static void plant(const struct leaf *leaves)
{
	for (; leaves->path; leaves++)
		plant_leaf(leaves);
}

static const struct expected {
	const char *key;
	const char *value; /* NULL: there is none */
} of_amd[] = {
	{ "kernel.release", "6.9.1" },
	{ "boot_id", "1111-2222" },
	{ "kernel.cmdline", "root=/dev/dm-0 rd.luks.key=* quiet" },
	{ "distribution", "Some Linux 40" },
	{ "host.vendor", "Some Maker" },
	{ "host.model", "Rack 2000" },
	{ "host.hypervisor", NULL },
	{ "cpu.model", "AMD EPYC 9354" },
	{ "cpu.microcode", "0xa101148" },
	{ "cpu.online", "0-3" },
	{ "cpu.allowed", "0-3" },
	{ "cpu.smt", "on" },
	{ "cpu.boost", "on" },
	{ "cpu.governor", "performance powersave" },
	{ "cpu.mitigations.meltdown", "Not affected" },
	{ "cpu.mitigations.retbleed", "Mitigation: untrained return thunk" },
	{ "memory.total", "67108864000" },
	{ "memory.swap", "0" },
	{ "memory.thp", "madvise" },
	{ "vm.dirty_ratio", NULL },
	{ "load", "0.10 0.20 0.30" },
	{ "psi.io", "some avg10=0.50 total=1; full avg10=0.25 total=2" },
	{ "cgroup.path", "/user.slice/run.scope" },
	{ "cgroup.cpu.weight", "100" },
	{ "cgroup.cpu.max", "max 100000" },
	{ "cgroup.memory.max", "1073741824 of /user.slice" },
	{ "cgroup.io.max", "259:0 rbps=max wbps=1048576; 259:2 rbps=9 of /user.slice" },
	{ "fs./.type", "xfs" },
	{ "fs./.options", "rw,noatime,attr2,logbufs=8" },
	{ "fs./.source", "/dev/mapper/data" },
	{ "fs./.device", "dm-0" },
	{ "fs./mnt/nas.type", "cifs" },
	{ "fs./mnt/nas.options", "ro,rw,username=u,password=*,vers=3" },
	{ "fs./mnt/nas.device", NULL },
	{ "disk.dm-0.stack",
		"dm-0(md127(nvme0n1p2(nvme0n1) nvme1n1p2(nvme1n1)))" },
	{ "disk.dm-0.dm_kind", "LVM" },
	{ "disk.dm-0.scheduler", "none" },
	{ "disk.md127.md_level", "raid1" },
	{ "disk.nvme0n1p2.start", "1048576" },
	{ "disk.nvme0n1p2.alignment_offset", "3584" },
	{ "disk.nvme0n1p2.stack", "nvme0n1p2(nvme0n1)" },
	{ "disk.nvme0n1.stack", NULL },
	{ "disk.nvme0n1.size", "1000204886016" },
	{ "disk.nvme0n1.model", "SAMSUNG 980 PRO 1TB" },
	{ "disk.nvme0n1.scheduler", "mq-deadline" },
	{ "disk.nvme0n1.iosched_read_expire", "500" },
	{ "disk.nvme0n1.rotational", "0" },
	{ "disk.nvme1n1.scheduler", "none" },
	{ NULL, NULL },
}, of_intel[] = {
	{ "host.hypervisor", "yes" },
	{ "cpu.boost", "off" },
	{ "cgroup.path", "/docker/1 /a" },
	{ "cgroup.blkio.throttle.read_bps_device", "8:0 1048576" },
	{ "cgroup.blkio.throttle.write_bps_device", NULL },
	{ "cgroup.blkio.bfq.weight", "300" },
	{ "cgroup.cpu.cfs_quota_us", "-1" },
	{ "cgroup.cpu.shares", "1024" },
	{ "cgroup.memory.limit_in_bytes", "4096000" },
	{ "disk.loop3.stack", "loop3(sda1(sda))" },
	{ "disk.loop3.loop_dio", "1" },
	{ "disk.loop3.backing_file", "/images/a b.img" },
	{ "fs./.type", NULL },
	{ NULL, NULL },
};

static void expect(const struct facts *facts, const struct expected *expected)
{
	for (; expected->key; expected++) {
		const char *value = facts_get(facts, expected->key);

		if (!expected->value)
			ck_assert_msg(!value, "%s: %s, not absent", expected->key, value);
		else
			ck_assert_msg(value && strcmp(value, expected->value) == 0,
					"%s: %s, not %s", expected->key, value ? value : "absent",
					expected->value);
	}
	for (size_t i = 1; i < facts->n; i++)
		ck_assert_msg(strcmp(facts->list[i - 1].key, facts->list[i].key) < 0,
				"%s: twice, or not in order", facts->list[i].key);
}

START_TEST(test_amd)
{
	struct environ env = { .root = scratch->dir };
	struct facts facts = { NULL, 0 };
	struct err err;

	plant(amd);
	ck_assert_int_eq(environ_add(&env, "/srv/test", &err), 0);
	ck_assert_int_eq(environ_add(&env, "/srv/test/deeper", &err), 0);
	ck_assert_int_eq(environ_add(&env, "/mnt/nas/x", &err), 0);
	ck_assert_int_eq(environ_read(&env, &facts), 0);
	expect(&facts, of_amd);
	facts_free(&facts);
	environ_free(&env);
}
END_TEST

START_TEST(test_intel)
{
	struct environ env = { .root = scratch->dir };
	struct facts facts = { NULL, 0 };

	plant(intel);
	ck_assert_int_eq(environ_add_device(&env, makedev(7, 3)), 0);
	ck_assert_int_eq(environ_add_device(&env, makedev(7, 3)), 0);
	ck_assert_int_eq(environ_read(&env, &facts), 0);
	expect(&facts, of_intel);
	facts_free(&facts);
	environ_free(&env);
}
END_TEST

/* Nothing there, nothing told. */
START_TEST(test_empty)
{
	struct environ env = { .root = scratch->dir };
	struct facts facts = { NULL, 0 };

	ck_assert_int_eq(environ_read(&env, &facts), 0);
	ck_assert_uint_eq(facts.n, 0);
	environ_free(&env);
}
END_TEST

/* What every Linux can tell. */
START_TEST(test_here)
{
	static const char *const keys[] = {
		"boot_id", "cpu.online", "kernel.release", "load", "memory.total", "vm.swappiness",
	};
	struct environ env = { .root = "" };
	struct facts facts = { NULL, 0 };
	struct machine_mounts mounts;
	struct err err;
	char key[512];

	ck_assert_int_eq(environ_add(&env, disk_path("not/there"), &err), 0);
	ck_assert_int_eq(environ_add(&env, "/dev/null", &err), 0);
	ck_assert_int_eq(environ_read(&env, &facts), 0);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		ck_assert_msg(facts_get(&facts, keys[i]) != NULL, "%s", keys[i]);
	ck_assert_int_eq(machine_mounts_read(&mounts), 0);
	snprintf(key, sizeof(key), "fs.%s.type", machine_mount_of(&mounts, scratch->dir)->point);
	ck_assert_str_eq(facts_get(&facts, key), machine_mount_of(&mounts, scratch->dir)->type);
	ck_assert_ptr_null(facts_get(&facts, "fs./dev.type"));
	machine_mounts_free(&mounts);
	facts_free(&facts);
	ck_assert_int_eq(symlink("loop", disk_path("loop")), 0);
	ck_assert_int_ne(environ_add(&env, disk_path("loop"), &err), 0);
	environ_free(&env);
}
END_TEST

static const struct {
	const char *text, *masked;
} masks[] = {
	{ "", "" },
	{ "quiet", "quiet" },
	{ "rw,password=x,vers=3", "rw,password=*,vers=3" },
	{ "rw,pass=secret", "rw,pass=*" },
	{ "a PASSWD=longer b", "a PASSWD=* b" },
	{ "password=", "password=" },
	{ "password", "password" },
	{ "x.password=\"two words, and more\" y", "x.password=* y" },
	{ "\"token=a b\" c", "\"token=* c" },
	{ "systemd.set_credential=id:value quiet", "systemd.set_credential=* quiet" },
	{ "cryptdevice=/dev/sda2:x cryptkey=rootfs:/k", "cryptdevice=/dev/sda2:x cryptkey=*" },
	{ "keymap=de vt.keytable=x", "keymap=de vt.keytable=x" },
	{ "ks=https://user:secret@host/ks.cfg b", "ks=https://*@host/ks.cfg b" },
	{ "netroot=iscsi:name:word@192.168.1.1::3260 b", "netroot=iscsi:*@192.168.1.1::3260 b" },
	{ "user@host:/export", "user@host:/export" },
	{ "root=UUID=1-2 ip=::a:b", "root=UUID=1-2 ip=::a:b" },
};

START_TEST(test_mask)
{
	char text[128];

	strcpy(text, masks[_i].text);
	environ_mask(text);
	ck_assert_str_eq(text, masks[_i].masked);
}
END_TEST

static const struct {
	const char *key;
	enum environ_rule rule;
} rules[] = {
	{ "kernel.release", ENVIRON_PLAIN },
	{ "cpu.mitigations.new", ENVIRON_PLAIN },
	{ "boot_id", ENVIRON_IGNORED },
	{ "cgroup.path", ENVIRON_IGNORED },
	{ "cgroup.io.max", ENVIRON_PLAIN },
	{ "load", ENVIRON_MOVES },
	{ "psi.io", ENVIRON_MOVES },
	{ "memory.total", ENVIRON_NEARLY },
	{ "fs./mnt/a.used_percent", ENVIRON_NEARLY },
	{ "fs./mnt/a.size", ENVIRON_NEARLY },
	{ "disk.vda.size", ENVIRON_PLAIN },
	{ "fs./mnt/load.type", ENVIRON_PLAIN },
	{ "disk.vda.scheduler", ENVIRON_PLAIN },
	{ "new", ENVIRON_PLAIN },
};

START_TEST(test_rules)
{
	ck_assert_int_eq(environ_rule(rules[_i].key), rules[_i].rule);
}
END_TEST

static void environment(Suite *suite)
{
	TCase *tc = tcase_create("environment");

	disk_fixtures(tc);
	tcase_add_test(tc, test_amd);
	tcase_add_test(tc, test_intel);
	tcase_add_test(tc, test_empty);
	tcase_add_test(tc, test_here);
	tcase_add_loop_test(tc, test_mask, 0, sizeof(masks) / sizeof(masks[0]));
	tcase_add_loop_test(tc, test_rules, 0, sizeof(rules) / sizeof(rules[0]));
	suite_add_tcase(suite, tc);
}

int main(void)
{
	Suite *suite = suite_create("environ");

	environment(suite);
	return unit_run(suite);
}
