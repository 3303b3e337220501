#!/bin/sh
# SPDX-License-Identifier: MIT
# The layers of the program: an include points down or sideways, a library is known to one file, and
# nothing but constants stands at file scope. A new file needs a row in the first table.
. "$(dirname "$0")/../cli/lib.sh"

# Layer and files. * does not match a slash; the first row that matches counts. An engine sees
# engine.h alone.
export LAYERS='
engine engines/*.c
7 core/main.c
7 core/cli.[ch]
7 core/command/*.[ch]
6 output/*.[ch]
5 core/run/examine.[ch]
5 core/run/{run,turns,files,postmark,workdir,stage,show,course,setup,worker,loop,layout}.[ch]
5 core/run/{collect,cost,resolved}.[ch]
4 core/run/drive.[ch]
4 core/plan/{plan,parts,files,space,print,postmark}.[ch]
1 core/load/rng.[ch]
4 core/load/*.[ch]
4 core/measure/{probe,doctor}.[ch]
4 core/result/doubt.[ch]
4 core/measure/stat.[ch]
4 core/result/{merge,metric,postmark,course,compare,differ,sides}.[ch]
4 core/result/{value,fields,read,repeats}.[ch]
3 core/job/{job,build,check,foreign}.[ch]
2 core/job/{jobfile,vary}.[ch]
2 core/engine/{load,guard,rig,check,trial}.[ch]
2 core/measure/{machine,environ,account}.[ch]
2 core/result/facts.[ch]
2 core/plan/target.[ch]
1 core/job/{opt,units,list,grow}.[ch]
1 core/measure/{hist,dist,steady,clock,signif}.[ch]
1 core/engine/engine.h
1 core/result/{result,progress}.h
1 core/{err,u128}.[ch]
'

# A library header and the only files that may include it.
export ONLY='
ini.h              core/job/jobfile.c
jansson.h          {output/{json,compare_json},core/result/{value,fields,read},t/unit/test_*}.[ch]
{,blkid/}blkid.h   core/plan/target.c
liburing.h         engines/io_uring.c
libaio.h           engines/libaio.c
check.h            t/unit/*.[ch]
'

# Files, and a header that they may not include themselves.
export NEVER='
core/{run/drive,measure/stat}.[ch]  stdio.h
core/load/*.[ch]                    {stdio,unistd,fcntl,time,sys/*}.h
core/load/*.[ch]                    core/measure/clock.h
output/*.[ch]                       core/{run,plan,load}/*.h
output/*.[ch]                       core/measure/{stat,machine,clock}.h
output/*.[ch]                       core/cli.h
'

# Prints what breaks the rules in the tree DIR, a line each: rule, place, what.
# shellcheck disable=SC2016 # the program is awk's
look() { # DIR
	(cd "$1" && find core output engines t -name '*.[ch]' | sort | xargs awk '
	# {a,b}, * and [ch] of a shell pattern as a regular expression
	function regex(glob) {
		gsub(/\./, "[.]", glob)
		gsub(/\*/, "[^/]*", glob)
		gsub(/[{]/, "(", glob)
		gsub(/[}]/, ")", glob)
		gsub(/,/, "|", glob)
		return "^" glob "$"
	}
	function table(name, first, second,   lines, n, i, word, rows) {
		n = split(ENVIRON[name], lines, "\n")
		for (i = 1; i <= n; i++)
			if (split(lines[i], word, " ") == 2) {
				first[++rows] = word[1]
				second[rows] = word[2]
			}
		return rows
	}
	function layer(file,   i) {
		for (i = 1; i <= nlayers; i++)
			if (file ~ regex(layer_files[i]))
				return layer_of[i]
		return ""
	}
	function resolve(path,   n, i, depth, part, kept, out) {
		n = split(path, part, "/")
		for (i = 1; i <= n; i++)
			if (part[i] == "..")
				depth--
			else if (part[i] != "." && part[i] != "")
				kept[++depth] = part[i]
		out = kept[1]
		for (i = 2; i <= depth; i++)
			out = out "/" kept[i]
		return out
	}
	function report(rule, what) {
		print rule, FILENAME ":" FNR ":", what
	}
	BEGIN {
		nlayers = table("LAYERS", layer_of, layer_files)
		nonly = table("ONLY", only_header, only_files)
		nnever = table("NEVER", never_files, never_header)
	}
	FNR == 1 {
		mine = layer(FILENAME)
		if (mine == "" && FILENAME !~ /^t\//)
			report("layer", "has no layer: give it one in t/lint/layers.sh")
	}
	/^[ \t]*#[ \t]*include[ \t]*["<]/ {
		header = $0
		sub(/^[^"<]*/, "", header)
		quoted = substr(header, 1, 1) == "\""
		header = substr(header, 2)
		sub(/[">].*/, "", header)
		if (quoted) {
			dir = FILENAME
			sub(/[^\/]*$/, "", dir)
			header = resolve(dir header)
		}
		for (i = 1; i <= nonly; i++)
			if (header ~ regex(only_header[i]) && FILENAME !~ regex(only_files[i]))
				report("only", "includes " header ": for " only_files[i] " only")
		for (i = 1; i <= nnever; i++)
			if (header ~ regex(never_header[i]) && FILENAME ~ regex(never_files[i]))
				report("never", "includes " header)
		if (!quoted || mine == "")
			next
		its = layer(header)
		if (mine == "engine") {
			if (header != "core/engine/engine.h")
				report("up", "an engine includes " header)
		} else if (its == "" || its == "engine")
			report("up", "includes " header ", which has no layer")
		else if (its + 0 > mine + 0)
			report("up", "(layer " mine ") includes " header " (layer " its ")")
	}')
}

# The rules must be able to see a fault: one of each is planted.
plant() { # FILE LINE
	mkdir -p "tree/$(dirname "$1")"
	printf '%s\n' "$2" >>"tree/$1"
}
planted() { # RULE FILE
	look tree | grep -q "^$1 $2:"
}
mkdir -p tree/core tree/output tree/engines tree/t
plant core/new.c 'int x;'
plant core/err.c '#include "job/job.h"'
plant core/job/check.c '	#  include "../run/run.h"'
plant core/run/worker.c '#include <ini.h>'
plant core/load/offset.c '#include <sys/stat.h>'
plant output/text.c '#include "../core/run/worker.h"'
plant engines/psync.c '#include "../core/err.h"'
plant t/cli/x.c '#include <check.h>'
check "finds a file without a layer" planted layer core/new.c
check "finds an include that points up" planted up core/err.c
check "finds one that is written oddly" planted up core/job/check.c
check "finds a library used elsewhere" planted only core/run/worker.c
check "finds a library used in a test" planted only t/cli/x.c
check "finds a system call in load" planted never core/load/offset.c
check "finds live state in output" planted never output/text.c
check "finds an engine that includes more" planted up engines/psync.c

keeps() { # RULE
	! look "$IOJOB_SRCDIR" | grep "^$1 "
}
check "every file has a layer" keeps layer
check "includes point down" keeps up
check "a library's header is included by one file" keeps only
check "no stdio in the hot path, no system calls in load, no live state in output" keeps never

# Symbols of a tree's objects that can be written to. Constants that hold addresses lie in a section
# of data, too, which is read-only once they are filled in.
variables() { # DIR
	(cd "$1" && find core output engines -name '*.o' | sort |
		while read -r object; do
			nm -f sysv "$object" | awk -F '|' -v object="$object" '
			{ gsub(/ /, "") }
			NF == 7 && $3 ~ /^[bBdDsSgGC]$/ && $7 !~ /^[.]data[.]rel[.]ro/ {
				print object ":", $1, "is a variable"
			}'
		done)
}

exports() {
	for engine in "$IOJOB_BUILDDIR"/engines/*.so; do
		nm -D --defined-only "$engine" | awk -v engine="${engine##*/}" '
		$3 != "iojob_engine" { print engine, "exports", $3 }'
	done
}

nothing() { # COMMAND
	"$@" >nothing
	cat nothing
	[ ! -s nothing ]
}

if [ -n "$IOJOB_SANITIZE" ]; then
	skip "no variables at file scope" "sanitizers add their own"
elif ! command -v nm >/dev/null; then
	skip "no variables at file scope" "nm is missing"
else
	cat >tree/core/new.c <<-'END'
		static const char *const words[] = { "a", "b" };
		extern const char *const *const constant;
		const char *const *const constant = words;
		int f(void) { static int counter; return counter++; }
	END
	$(made_with CC) -fPIC -c -o tree/core/new.o tree/core/new.c
	one_variable() {
		variables tree >found
		cat found
		[ "$(sed 's/:.*counter.*is/: is/' found)" = "core/new.o: is a variable" ]
	}
	check "finds a variable, and takes no constant for one" one_variable
	check "no variables at file scope" nothing variables "$IOJOB_BUILDDIR"
	check "an engine exports iojob_engine alone" nothing exports
fi

finish
