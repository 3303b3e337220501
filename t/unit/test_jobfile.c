// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../core/job/jobfile.h"
#include "unit.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* Each test works in a directory of its own. */
static char dir[] = "/tmp/iojob-jobfile-XXXXXX";
static int home;

static void enter(void)
{
	home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(home, 0);
	memcpy(dir + sizeof(dir) - 7, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
}

static void leave(void)
{
	char *command;

	ck_assert_int_eq(fchdir(home), 0);
	close(home);
	ck_assert_int_gt(asprintf(&command, "rm -rf '%s'", dir), 0);
	ck_assert_int_eq(system(command), 0);
	free(command);
}

static void write_bytes(const char *path, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "we");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

static void write_text(const char *path, const char *text)
{
	write_bytes(path, text, strlen(text));
}

/* A whole job file as text: "[name]", "key=value" or "key", each as LINE:...; `!` commented. */
static char *show(const struct jobfile *file)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < file->nsections; i++) {
		const struct jobfile_section *s = &file->sections[i];

		fprintf(out, "%s%u[%s]%s", i ? " " : "", s->line, s->name, s->global ? "G" : "");
		for (size_t j = 0; j < s->npairs; j++) {
			const struct jobfile_pair *p = &s->pairs[j];

			fprintf(out, " %u:%s%s%s%s", p->line, p->key, p->value ? "=" : "",
					p->value ? p->value : "", p->commented ? "!" : "");
		}
	}
	fclose(out);
	return text;
}

static const struct {
	const char *text;
	const char *shown;
} good[] = {
	{ "", "" },
	{ "\n\n  \n\t\n", "" },
	{ "# nothing\n; here\n  # or here\n\t;nor here\n", "" },
	{ "[a]\nbs=4k\n", "1[a] 2:bs=4k" },
	{ "[a]\nbs=4k", "1[a] 2:bs=4k" }, /* no newline at the end */
	{ "[a]", "1[a]" },
	{ "[a]\r\nbs=4k\r\nstonewall\r\n", "1[a] 2:bs=4k 3:stonewall" },
	{ "\xef\xbb\xbf[a]\nbs=4k\n", "1[a] 2:bs=4k" },
	{ "\xef\xbb\xbf# x\n[a]\n", "2[a]" },
	{ "[a]\nbs = 4k\nrw= read\nsize =1m\n\truntime\t=\t5\t\n",
		"1[a] 2:bs=4k 3:rw=read 4:size=1m 5:runtime=5" },
	{ "  [a]  \n", "1[a]" },
	{ "[a]\nbs=\n", "1[a] 2:bs=" },
	{ "[a]\nexec=a=b=c\n", "1[a] 2:exec=a=b=c" },
	{ "[a]\nfilename=a:b\nx = y:z\n", "1[a] 2:filename=a:b 3:x=y:z" },
	{ "[a]\nlong-key_1.x=1\n", "1[a] 2:long-key_1.x=1" },
	{ "[a]\nname=\"quoted\"\n", "1[a] 2:name=\"quoted\"" },
	{ "[a]\nname=gr\xc3\xbc\xc3\x9f\xc3\xa0\n", "1[a] 2:name=gr\xc3\xbc\xc3\x9f\xc3\xa0" },
	{ "[a]\nx=\\n\\:\n", "1[a] 2:x=\\n\\:" },
	{ "[a]\nx=[b]\n", "1[a] 2:x=[b]" },
	{ "[a]\nincluded=1\ninclude_x\n", "1[a] 2:included=1 3:include_x" },
	{ "[a]\naside=1\naside\n", "1[a] 2:aside=1 3:aside" },

	/* comments */
	{ "[a]\nbs=4k # x\nbs=4k ; x\nbs=4k\t#x\n", "1[a] 2:bs=4k 3:bs=4k 4:bs=4k" },
	{ "[a]\nbs=4k;x\nbs=4k#x # y\n", "1[a] 2:bs=4k! 3:bs=4k!" },
	{ "[a]\nbs=4k # a;b\nbs=4k;\n", "1[a] 2:bs=4k 3:bs=4k!" },
	{ "[a]\nstonewall # x\nstonewall;x\n", "1[a] 2:stonewall 3:stonewall" },
	{ "[a]\nbs=#x\nbs= ;x\n", "1[a] 2:bs= 3:bs=" },
	{ "[a]\nf=a\\#b\nf=a\\;b\nf=\\#\nf=a\\;b#c\n", "1[a] 2:f=a#b 3:f=a;b 4:f=# 5:f=a;b!" },
	{ "[a]\nf=a\\; # b\nf = \\; x\n", "1[a] 2:f=a; 3:f=; x" },
	{ "[a] # x\n[b];x\n[c]#x\n", "1[a] 2[b] 3[c]" },

	/* sections */
	{ "[global]\nbs=4k\n[a]\n[global]\nbs=8k\n[b]\n",
		"1[global]G 2:bs=4k 3[a] 4[global]G 5:bs=8k 6[b]" },
	{ "[globalfoo]\n[Global]\n[ global]\n[global ]\n",
		"1[globalfoo] 2[Global] 3[ global] 4[global ]" },
	{ "[name[1]]\nbs=4k\n[[]]\n[a[b[c]]d]\n", "1[name[1]] 2:bs=4k 3[[]] 4[a[b[c]]d]" },
	{ "[a b, c/d *.e \"f\" 'g' h:i=j]\n", "1[a b, c/d *.e \"f\" 'g' h:i=j]" },
	{ "[a#1;2]\n", "1[a#1;2]" },
	{ "[gr\xc3\xbc\xc3\x9f]\n", "1[gr\xc3\xbc\xc3\x9f]" },

	/* variables */
	{ "[a]\nbs=${BS}\nx=${BS}-${BS}${EMPTY}.\ny=${EMPTY}\n",
		"1[a] 2:bs=4k 3:x=4k-4k. 4:y=" },
	{ "[job-${BS}]\nz=1\n", "1[job-4k] 2:z=1" },
	{ "[a]\nx=${BLANKS}\ny=a${BLANKS}b\n", "1[a] 2:x=v w 3:y=a v w b" },
	{ "[a]\nx=${SHARP}\n", "1[a] 2:x=a#b;c" },
	{ "[a]\nx=${BRACKET}\n[${BRACKET}]\n", "1[a] 2:x=] 3[]]" },
	{ "[a]\nx=${DOLLAR}\n", "1[a] 2:x=$ncpus" },
	{ "[a]\n# ${NOT_SET}\nx=1 # ${NOT_SET}\n", "1[a] 3:x=1" },
	{ "[a]\nf=$jobname.$jobnum.$filenum\n", "1[a] 2:f=$jobname.$jobnum.$filenum" },
	{ "[a]\nf=$ncpusx\nf=$\nf=$$\nf=$BS\nf=a$ {BS}\n",
		"1[a] 2:f=$ncpusx 3:f=$ 4:f=$$ 5:f=$BS 6:f=a$ {BS}" },
	{ "[$ncpus]\n", "1[$ncpus]" },

	/* arithmetic only beside a keyword */
	{ "[a]\nx=2*3\nx=10/2\nx=4-1\nx=1+1\n", "1[a] 2:x=2*3 3:x=10/2 4:x=4-1 5:x=1+1" },
	{ "[a]\nx=${FOUR}*2\n", "1[a] 2:x=4*2" },
	{ "[a]\nx=$pagesize/$pagesize\n", "1[a] 2:x=1" },
	{ "[a]\nx=$pagesize*0+2*3\n", "1[a] 2:x=6" },
	{ "[a]\nx= 7 - 2 * 3 + $pagesize / $pagesize * 4 - 9\n", "1[a] 2:x=-4" },
	{ "[a]\nx=0*$ncpus + 7/2*2 - 1\n", "1[a] 2:x=5" },
	{ "[a]\nx=0-$pagesize/$pagesize*7/2\n", "1[a] 2:x=-3" },
	{ "[a]\nx=9223372036854775806+$ncpus/$ncpus\n", "1[a] 2:x=9223372036854775807" },
};

static void set_variables(void)
{
	setenv("BS", "4k", 1);
	setenv("FOUR", "4", 1);
	setenv("EMPTY", "", 1);
	setenv("BLANKS", " v w ", 1);
	setenv("SHARP", "a#b;c", 1);
	setenv("BRACKET", "]", 1);
	setenv("DOLLAR", "$ncpus", 1);
	setenv("NEWLINE", "a\nb", 1);
	unsetenv("NOT_SET");
}

START_TEST(test_good)
{
	struct jobfile file = { 0 };
	struct err err;
	char *shown;

	set_variables();
	write_text("x.ini", good[_i].text);
	ck_assert_msg(jobfile_read(&file, "x.ini", &err) == 0, "%s", err.text);
	shown = show(&file);
	ck_assert_str_eq(shown, good[_i].shown);
	free(shown);
	jobfile_free(&file);
	ck_assert_ptr_null(file.sections);
	ck_assert_uint_eq(file.nsections + file.npaths, 0);
}
END_TEST

static const struct {
	const char *text;
	const char *error;
} bad[] = {
	{ "bs=4k\n[a]\n", "x.ini:1: bs: stands before any [section]" },
	{ "# x\n\n  stonewall\n", "x.ini:3: stonewall: stands before any [section]" },
	{ "[a]\nx: y\n", "x.ini:2: `x: y` is no key; a line says KEY = VALUE, or KEY alone" },
	{ "[a]\nx: y=z\n", "x.ini:2: `x: y` is no key; a line says KEY = VALUE, or KEY alone" },
	{ "[a]\nrw read\n", "x.ini:2: `rw read` is no key; a line says KEY = VALUE, or KEY alone" },
	{ "[a]\n/* x */\n", "x.ini:2: `/* x */` is no key; a line says KEY = VALUE, or KEY alone" },
	{ "[a]\n=4k\n", "x.ini:2: a key is missing before `=`" },
	{ "[a]\n  = \n", "x.ini:2: a key is missing before `=`" },
	{ "[a\n", "x.ini:1: [a: the closing `]` is missing (brackets within a name come in "
		"pairs)" },
	{ "[a[b]\n", "x.ini:1: [a[b]: the closing `]` is missing (brackets within a name come in "
		"pairs)" },
	{ "[]\n", "x.ini:1: []: the section's name is missing" },
	{ "\n[ \t]\n", "x.ini:2: [ \t]: the section's name is missing" },
	{ "[${EMPTY}]\n", "x.ini:1: []: the section's name is missing" },
	{ "[job1]]\n", "x.ini:1: [job1]]: `]` must not follow the section's name" },
	{ "[x]G\n", "x.ini:1: [x]G: `G` must not follow the section's name" },
	{ "[x] bs=4k # y\n", "x.ini:1: [x]bs=4k: `bs=4k` must not follow the section's name" },
	{ "[a]\nbs=${NOT_SET}\n", "x.ini:2: ${NOT_SET} is not set in the environment" },
	{ "[${NOT_SET}]\n", "x.ini:1: ${NOT_SET} is not set in the environment" },
	{ "[a]\nbs=1${}\n", "x.ini:2: ${} is not set in the environment" },
	{ "[a]\nbs=x${BS\n", "x.ini:2: `${BS`: the closing `}` is missing" },
	{ "[a]\nbs=${NEWLINE}\n",
		"x.ini:2: ${NEWLINE} holds a line break, and a value is one line" },
	{ "[a]\ninclude\n", "x.ini:2: include: the name of a file is missing" },
	{ "[a]\ninclude = # x\n", "x.ini:2: include: the name of a file is missing" },
	{ "[a]\n\ninclude none.ini\n",
		"x.ini:3: cannot read none.ini: No such file or directory" },
	{ "include .\n", "x.ini:1: cannot read .: Is a directory" },
	{ "include ${NOT_SET}\n", "x.ini:1: ${NOT_SET} is not set in the environment" },
	{ "include a#b\n", "x.ini:1: include a: is what follows a comment? Put a blank before it, "
		"or write \\# or \\; for the character" },
	{ "include x.ini\n", "x.ini:1: include goes in a circle: x.ini -> x.ini" },
};

START_TEST(test_bad)
{
	struct jobfile file = { 0 };
	struct err err = { "" };

	set_variables();
	write_text("x.ini", bad[_i].text);
	ck_assert_int_lt(jobfile_read(&file, "x.ini", &err), 0);
	ck_assert_str_eq(err.text, bad[_i].error);
	jobfile_free(&file);
}
END_TEST

/* The number of processors in the text is this machine's. */
START_TEST(test_arithmetic)
{
	static const struct {
		const char *sum;
		const char *error;
	} all[] = {
		{ "$ncpus/0", "divides by zero" },
		{ "1 + $ncpus / 0 * 3", "divides by zero" },
		{ "9223372036854775807*2*$ncpus", "the result is too large" },
		{ "9223372036854775807+$ncpus", "the result is too large" },
		{ "99999999999999999999/$ncpus", "the result is too large" },
		{ "0-9223372036854775807-$ncpus*2", "the result is too large" },
	};
	static const char *const texts[] = {
		"/dev/ram$ncpus", "0-7,$ncpus", "$ncpus*", "*$ncpus", "$ncpus**2", "2k*$ncpus",
		"($ncpus)", "$ncpus 2", "-$ncpus",
	};
	char number[32];
	char line[64];
	char want[64];
	struct err err;

	snprintf(number, sizeof(number), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	for (size_t i = 0; i < N(all); i++) {
		struct jobfile file = { 0 };

		snprintf(line, sizeof(line), "[a]\n\nx=%s\n", all[i].sum);
		write_text("x.ini", line);
		ck_assert_int_eq(jobfile_read(&file, "x.ini", &err), -EINVAL);
		ck_assert_msg(strncmp(err.text, "x.ini:3: x = ", 13) == 0, "%s", err.text);
		ck_assert_msg(strstr(err.text, all[i].error) != NULL, "%s", err.text);
		jobfile_free(&file);
	}
	for (size_t i = 0; i < N(texts); i++) {
		const char *keyword = strstr(texts[i], "$ncpus");
		struct jobfile file = { 0 };

		snprintf(line, sizeof(line), "[a]\nx=%s\n", texts[i]);
		snprintf(want, sizeof(want), "%.*s%s%s", (int)(keyword - texts[i]), texts[i],
				number, keyword + 6);
		write_text("x.ini", line);
		ck_assert_msg(jobfile_read(&file, "x.ini", &err) == 0, "%s", err.text);
		ck_assert_str_eq(file.sections[0].pairs[0].value, want);
		jobfile_free(&file);
	}
}
END_TEST

START_TEST(test_keywords)
{
	struct jobfile file = { 0 };
	struct err err;
	struct jobfile_pair *p;
	long long memory = (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 1048576;

	write_text("x.ini", "[a]\na=$ncpus\nb=$pagesize\nc=$mb_memory\nd=10*1000*$mb_memory\n");
	ck_assert_int_eq(jobfile_read(&file, "x.ini", &err), 0);
	p = file.sections[0].pairs;
	ck_assert_int_eq(atoll(p[0].value), sysconf(_SC_NPROCESSORS_ONLN));
	ck_assert_int_eq(atoll(p[1].value), sysconf(_SC_PAGESIZE));
	ck_assert_int_eq(atoll(p[2].value), memory);
	ck_assert_int_eq(atoll(p[3].value), 10000 * memory);
	jobfile_free(&file);
}
END_TEST

/* ---- the traps of inih ---------------------------------------------------------------------- */

static void read_string(struct jobfile *file, const char *text)
{
	struct err err;

	*file = (struct jobfile){ 0 };
	write_text("x.ini", text);
	ck_assert_msg(jobfile_read(file, "x.ini", &err) == 0, "%s", err.text);
}

START_TEST(test_trap_section_without_keys)
{
	struct jobfile file;

	read_string(&file, "[global]\nbs=4k\n[a]\n[b]\nrw=read\n[c]\n[d]");
	ck_assert_uint_eq(file.nsections, 5);
	ck_assert_str_eq(file.sections[1].name, "a");
	ck_assert_uint_eq(file.sections[1].npairs, 0);
	ck_assert_str_eq(file.sections[4].name, "d");
	ck_assert_uint_eq(file.sections[4].line, 7);
	jobfile_free(&file);
}
END_TEST

START_TEST(test_trap_long_section_name)
{
	struct jobfile file;
	char name[501];
	char text[1200];

	memset(name, 'n', sizeof(name) - 1);
	name[500] = '\0';
	snprintf(text, sizeof(text), "[%s]\nbs=4k\n[%.499sm]\n", name, name);
	read_string(&file, text);
	ck_assert_uint_eq(file.nsections, 2);
	ck_assert_str_eq(file.sections[0].name, name);
	ck_assert_uint_eq(file.sections[0].npairs, 1);
	ck_assert_int_eq(file.sections[1].name[499], 'm');
	jobfile_free(&file);
}
END_TEST

START_TEST(test_trap_equal_section_names)
{
	struct jobfile file;

	read_string(&file, "[a]\nbs=4k\n[a]\nrw=read\n[a]\n");
	ck_assert_uint_eq(file.nsections, 3);
	ck_assert_str_eq(file.sections[0].pairs[0].key, "bs");
	ck_assert_str_eq(file.sections[1].pairs[0].key, "rw");
	ck_assert_uint_eq(file.sections[2].npairs, 0);
	jobfile_free(&file);
}
END_TEST

/* Values of every length around inih's 200 characters, and one of a megabyte. */
START_TEST(test_trap_long_line)
{
	static char value[(1 << 20) + 1];
	static char text[sizeof(value) + 64];
	struct jobfile file;

	for (size_t len = 170; len < 230; len++) {
		memset(value, 'v', len);
		value[len - 1] = 'w';
		value[len] = '\0';
		snprintf(text, sizeof(text), "[a]\nkey=%s\nnext=1\n", value);
		read_string(&file, text);
		ck_assert_uint_eq(file.sections[0].npairs, 2);
		ck_assert_str_eq(file.sections[0].pairs[0].key, "key");
		ck_assert_str_eq(file.sections[0].pairs[0].value, value);
		ck_assert_str_eq(file.sections[0].pairs[1].key, "next");
		ck_assert_uint_eq(file.sections[0].pairs[1].line, 3);
		jobfile_free(&file);
	}
	memset(value, 'v', sizeof(value) - 1);
	snprintf(text, sizeof(text), "[a]\nkey = %s # x\nnext\n", value);
	read_string(&file, text);
	ck_assert_str_eq(file.sections[0].pairs[0].value, value);
	ck_assert_str_eq(file.sections[0].pairs[1].key, "next");
	jobfile_free(&file);
	snprintf(text, sizeof(text), "[a]\n%s=1\n", value);
	read_string(&file, text);
	ck_assert_str_eq(file.sections[0].pairs[0].key, value);
	ck_assert_str_eq(file.sections[0].pairs[0].value, "1");
	jobfile_free(&file);
	snprintf(text, sizeof(text), "[%s]\n#x", value);
	read_string(&file, text);
	ck_assert_str_eq(file.sections[0].name, value);
	jobfile_free(&file);
}
END_TEST

START_TEST(test_trap_line_numbers)
{
	struct jobfile file;
	char *shown;

	read_string(&file, "\n# 1\n[a]\n\n  x=1\n\n\n;\n y\n[b]\n\n  z = 2");
	shown = show(&file);
	ck_assert_str_eq(shown, "3[a] 5:x=1 9:y 10[b] 12:z=2");
	free(shown);
	jobfile_free(&file);
}
END_TEST

START_TEST(test_trap_colon)
{
	struct jobfile file;
	char *shown;

	read_string(&file, "[a]\nfilename=/dev/a:/dev/b\nvary = bs: 4k 8k\n");
	shown = show(&file);
	ck_assert_str_eq(shown, "1[a] 2:filename=/dev/a:/dev/b 3:vary=bs: 4k 8k");
	free(shown);
	jobfile_free(&file);
}
END_TEST

START_TEST(test_trap_indented_key)
{
	struct jobfile file;
	char *shown;

	read_string(&file, "[a]\nrw=read\n  bs=4k\n\tsize=1m\n\t\tstonewall\n");
	shown = show(&file);
	ck_assert_str_eq(shown, "1[a] 2:rw=read 3:bs=4k 4:size=1m 5:stonewall");
	free(shown);
	jobfile_free(&file);
}
END_TEST

START_TEST(test_trap_brackets)
{
	struct jobfile file;
	char *shown;

	read_string(&file, "[name[1]]\nx=1\n[name[2]]\n");
	shown = show(&file);
	ck_assert_str_eq(shown, "1[name[1]] 2:x=1 3[name[2]]");
	free(shown);
	jobfile_free(&file);
}
END_TEST

START_TEST(test_trap_inline_comments)
{
	struct jobfile file;
	char *shown;

	read_string(&file, "[a]\nx=1 # y\nx=1;y\nx=1 ;y\nx=a\\;b\nx=a \\; b\n");
	shown = show(&file);
	ck_assert_str_eq(shown, "1[a] 2:x=1 3:x=1! 4:x=1 5:x=a;b 6:x=a ; b");
	free(shown);
	jobfile_free(&file);
}
END_TEST

START_TEST(test_trap_bare_key)
{
	struct jobfile file;

	read_string(&file, "[a]\nstonewall\nbs=\n");
	ck_assert_ptr_null(file.sections[0].pairs[0].value);
	ck_assert_str_eq(file.sections[0].pairs[1].value, "");
	jobfile_free(&file);
}
END_TEST

/* ---- files ---------------------------------------------------------------------------------- */

START_TEST(test_nul)
{
	static const struct {
		const char *bytes;
		size_t n;
		unsigned line;
	} all[] = {
		{ "[a]\nbs=4\0k\n", 11, 2 },
		{ "\0", 1, 1 },
		{ "[a]\n# \0\n", 8, 2 },
		{ "\xff\xfe[\0a\0]\0\n\0", 10, 1 }, /* UTF-16 */
		{ "[a]\n\n\0", 6, 3 },
	};
	char want[64];

	for (size_t i = 0; i < N(all); i++) {
		struct jobfile file = { 0 };
		struct err err;

		write_bytes("x.ini", all[i].bytes, all[i].n);
		ck_assert_int_eq(jobfile_read(&file, "x.ini", &err), -EINVAL);
		snprintf(want, sizeof(want), "x.ini:%u: a NUL byte: this is no text file",
				all[i].line);
		ck_assert_str_eq(err.text, want);
		jobfile_free(&file);
	}
}
END_TEST

START_TEST(test_unreadable)
{
	struct jobfile file = { 0 };
	struct err err;

	ck_assert_int_eq(jobfile_read(&file, "none.ini", &err), -ENOENT);
	ck_assert_str_eq(err.text, "cannot read none.ini: No such file or directory");
	ck_assert_int_eq(jobfile_read(&file, "", &err), -ENOENT);
	ck_assert_int_eq(mkdir("d", 0777), 0);
	ck_assert_int_eq(jobfile_read(&file, "d", &err), -EISDIR);
	ck_assert_str_eq(err.text, "cannot read d: Is a directory");
	if (geteuid() != 0) {
		write_text("secret", "[a]\n");
		ck_assert_int_eq(chmod("secret", 0), 0);
		ck_assert_int_eq(jobfile_read(&file, "secret", &err), -EACCES);
		ck_assert_str_eq(err.text, "cannot read secret: Permission denied");
	}
	jobfile_free(&file);
}
END_TEST

START_TEST(test_include)
{
	struct jobfile file = { 0 };
	struct err err;
	char *shown;

	ck_assert_int_eq(mkdir("d", 0777), 0);
	ck_assert_int_eq(mkdir("d/e", 0777), 0);
	write_text("x.ini", "include d/top.ini\n[a]\nx=1\ninclude d/in.ini # y\nx=2\n[b]\n");
	write_text("d/top.ini", "[global]\ng=1\n");
	write_text("d/in.ini", "y=1\ninclude   e/deep.ini\ny=2\nstonewall");
	setenv("WHERE", dir, 1);
	write_text("d/e/deep.ini", "z=1\ninclude=${WHERE}/abs.ini\n");
	write_text("abs.ini", "w=1\n");
	ck_assert_msg(jobfile_read(&file, "x.ini", &err) == 0, "%s", err.text);
	shown = show(&file);
	ck_assert_str_eq(shown, "1[global]G 2:g=1 2[a] 3:x=1 1:y=1 1:z=1 1:w=1 3:y=2 4:stonewall "
			"5:x=2 6[b]");
	free(shown);
	ck_assert_uint_eq(file.npaths, 5);
	ck_assert_str_eq(file.sections[0].path, "d/top.ini");
	ck_assert_str_eq(file.sections[1].path, "x.ini");
	ck_assert_str_eq(file.sections[1].pairs[1].path, "d/in.ini");
	ck_assert_str_eq(file.sections[1].pairs[2].path, "d/e/deep.ini");
	ck_assert_str_eq(file.sections[1].pairs[6].path, "x.ini");
	jobfile_free(&file);
}
END_TEST

/* An included file neither begins a section within one, nor leaves its last one to its includer. */
START_TEST(test_include_sections)
{
	struct jobfile file = { 0 };
	struct err err;

	write_text("s.ini", "[b]\ny=1\n");
	write_text("x.ini", "[a]\ninclude s.ini\n");
	ck_assert_int_eq(jobfile_read(&file, "x.ini", &err), -EINVAL);
	ck_assert_str_eq(err.text, "s.ini:1: [b]: a file that is included within a section cannot "
			"begin another");
	write_text("x.ini", "include s.ini\nx=1\n");
	ck_assert_int_eq(jobfile_read(&file, "x.ini", &err), -EINVAL);
	ck_assert_str_eq(err.text, "x.ini:2: x: stands before any [section]");
	jobfile_free(&file);
}
END_TEST

START_TEST(test_include_errors)
{
	struct jobfile file = { 0 };
	struct err err;

	ck_assert_int_eq(mkdir("d", 0777), 0);
	write_text("x.ini", "[a]\ninclude d/y.ini\n");
	write_text("d/y.ini", "\ninclude z.ini\n");
	ck_assert_int_eq(jobfile_read(&file, "x.ini", &err), -ENOENT);
	ck_assert_str_eq(err.text, "d/y.ini:2: cannot read d/z.ini: No such file or directory");
	write_text("d/y.ini", "b=1\n\nx: y\n");
	ck_assert_int_eq(jobfile_read(&file, "x.ini", &err), -EINVAL);
	ck_assert_int_eq(strncmp(err.text, "d/y.ini:3: ", 11), 0);
	write_text("d/y.ini", "include ../x.ini\n");
	ck_assert_int_eq(jobfile_read(&file, "x.ini", &err), -ELOOP);
	ck_assert_str_eq(err.text,
			"d/y.ini:1: include goes in a circle: x.ini -> d/y.ini -> d/../x.ini");
	ck_assert_int_eq(symlink("y.ini", "d/link.ini"), 0);
	write_text("d/y.ini", "include link.ini\n");
	ck_assert_int_eq(jobfile_read(&file, "x.ini", &err), -ELOOP);
	jobfile_free(&file);
}
END_TEST

/* Sixteen files within each other are read, and one more is not. */
START_TEST(test_include_depth)
{
	struct jobfile file = { 0 };
	struct err err;
	char path[32];
	char text[64];

	for (int i = 0; i <= 17; i++) {
		snprintf(path, sizeof(path), "%d.ini", i);
		snprintf(text, sizeof(text), "k%d=1\ninclude %d.ini\n", i, i + 1);
		write_text(path, text);
	}
	write_text("x.ini", "[a]\ninclude 1.ini\n");
	write_text("16.ini", "last=1\n");
	ck_assert_msg(jobfile_read(&file, "x.ini", &err) == 0, "%s", err.text);
	ck_assert_uint_eq(file.sections[0].npairs, 16);
	ck_assert_str_eq(file.sections[0].pairs[15].key, "last");
	jobfile_free(&file);
	write_text("16.ini", "include 17.ini\n");
	write_text("17.ini", "last=1\n");
	ck_assert_int_eq(jobfile_read(&file, "x.ini", &err), -EINVAL);
	ck_assert_int_eq(strncmp(err.text, "16.ini:1: more than 16 files included in each other: "
			"x.ini -> 1.ini -> 2.ini", 76), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "16.ini -> 17.ini"));
	jobfile_free(&file);
}
END_TEST

/* The same file twice, one after the other, is no circle. */
START_TEST(test_include_twice)
{
	struct jobfile file = { 0 };
	struct err err;

	write_text("x.ini", "[a]\ninclude y.ini\n[b]\ninclude y.ini\ninclude y.ini\n");
	write_text("y.ini", "y=1\n");
	ck_assert_msg(jobfile_read(&file, "x.ini", &err) == 0, "%s", err.text);
	ck_assert_uint_eq(file.sections[0].npairs, 1);
	ck_assert_uint_eq(file.sections[1].npairs, 2);
	jobfile_free(&file);
}
END_TEST

START_TEST(test_several_files)
{
	struct jobfile file = { 0 };
	struct err err;
	char *shown;

	write_text("x.ini", "[global]\ng=1\n[a]\n");
	write_text("y.ini", "[b]\nx=1\n");
	write_text("z.ini", "x=1\n");
	ck_assert_int_eq(jobfile_read(&file, "x.ini", &err), 0);
	ck_assert_int_eq(jobfile_read(&file, "y.ini", &err), 0);
	shown = show(&file);
	ck_assert_str_eq(shown, "1[global]G 2:g=1 3[a] 1[b] 2:x=1");
	free(shown);
	/* What stands at the head of a file belongs to no section of the file before. */
	ck_assert_int_eq(jobfile_read(&file, "z.ini", &err), -EINVAL);
	ck_assert_str_eq(err.text, "z.ini:1: x: stands before any [section]");
	ck_assert_uint_eq(file.nsections, 3);
	jobfile_free(&file);
}
END_TEST

START_TEST(test_stdin)
{
	struct jobfile file = { 0 };
	struct err err;

	write_text("x.ini", "[a]\nx=1\ninclude y.ini\nx: y\n");
	write_text("y.ini", "y=1\n");
	ck_assert_ptr_nonnull(freopen("x.ini", "re", stdin));
	ck_assert_int_eq(jobfile_read(&file, "-", &err), -EINVAL);
	ck_assert_int_eq(strncmp(err.text, "<stdin>:4: `x: y`", 17), 0);
	ck_assert_uint_eq(file.sections[0].npairs, 2);
	ck_assert_str_eq(file.sections[0].pairs[0].path, "<stdin>");
	jobfile_free(&file);
}
END_TEST

START_TEST(test_many)
{
	struct jobfile file = { 0 };
	struct err err;
	FILE *f = fopen("x.ini", "we");

	for (int i = 0; i < 1000; i++)
		fprintf(f, "[job%d]\nrw=read\n  bs=4k # x\nstonewall\nfilename=/a/%d\n\n", i, i);
	fclose(f);
	ck_assert_int_eq(jobfile_read(&file, "x.ini", &err), 0);
	ck_assert_uint_eq(file.nsections, 1000);
	for (unsigned i = 0; i < 1000; i++) {
		ck_assert_uint_eq(file.sections[i].npairs, 4);
		ck_assert_uint_eq(file.sections[i].pairs[3].line, i * 6 + 5);
	}
	jobfile_free(&file);
}
END_TEST

/* Job files as people wrote them, where they are at hand. */
START_TEST(test_corpus)
{
	const char *source = getenv("IOJOB_SRCDIR");
	glob_t found;
	char *pattern;
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_ge(here, 0);
	ck_assert_int_eq(fchdir(home), 0);
	ck_assert_int_gt(asprintf(&pattern, "%s/../shared/corpus/*.fio", source ? source : "."), 0);
	if (glob(pattern, 0, NULL, &found)) {
		printf("test_corpus: skipped: nothing matches %s\n", pattern);
	} else {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			struct jobfile file = { 0 };
			struct err err;

			ck_assert_msg(jobfile_read(&file, found.gl_pathv[i], &err) == 0, "%s",
					err.text);
			ck_assert_uint_gt(file.nsections, 0);
			jobfile_free(&file);
		}
		globfree(&found);
	}
	free(pattern);
	ck_assert_int_eq(fchdir(here), 0);
	close(here);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jobfile");
	TCase *tc = tcase_create("jobfile");

	tcase_add_checked_fixture(tc, enter, leave);
	tcase_add_loop_test(tc, test_good, 0, N(good));
	tcase_add_loop_test(tc, test_bad, 0, N(bad));
	tcase_add_test(tc, test_arithmetic);
	tcase_add_test(tc, test_keywords);
	tcase_add_test(tc, test_trap_section_without_keys);
	tcase_add_test(tc, test_trap_long_section_name);
	tcase_add_test(tc, test_trap_equal_section_names);
	tcase_add_test(tc, test_trap_long_line);
	tcase_add_test(tc, test_trap_line_numbers);
	tcase_add_test(tc, test_trap_colon);
	tcase_add_test(tc, test_trap_indented_key);
	tcase_add_test(tc, test_trap_brackets);
	tcase_add_test(tc, test_trap_inline_comments);
	tcase_add_test(tc, test_trap_bare_key);
	tcase_add_test(tc, test_nul);
	tcase_add_test(tc, test_unreadable);
	tcase_add_test(tc, test_include);
	tcase_add_test(tc, test_include_sections);
	tcase_add_test(tc, test_include_errors);
	tcase_add_test(tc, test_include_depth);
	tcase_add_test(tc, test_include_twice);
	tcase_add_test(tc, test_several_files);
	tcase_add_test(tc, test_stdin);
	tcase_add_test(tc, test_many);
	tcase_add_test(tc, test_corpus);
	suite_add_tcase(suite, tc);
	return unit_run(suite);
}
