// SPDX-License-Identifier: MIT
#include "scene.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "../../output/facts.h"

int scene_begin(struct scene *scene, const struct plan *plan, struct err *err)
{
	int r = 0;

	*scene = (struct scene){ .env.root = "" };
	for (size_t i = 0; !r && i < plan->nplaces; i++)
		r = environ_add(&scene->env, plan->places[i].directory, err);
	if (!r && environ_read(&scene->env, &scene->before))
		r = err_memory(err);
	return r;
}

static int add_versions(struct facts *facts, const struct jobs *jobs)
{
	int r = facts_add(facts, "iojob.version", IOJOB_VERSION);

	for (size_t i = 0; !r && i < jobs->n; i++) {
		const struct engine *engine = jobs->list[i].engine;
		char key[128];
		bool again = !engine || !engine->e.version || !*engine->e.version;

		for (size_t j = 0; !again && j < i; j++)
			again = jobs->list[j].engine == engine;
		if (again)
			continue;
		snprintf(key, sizeof(key), "engine.%s.version", engine->e.name);
		r = facts_add(facts, key, engine->e.version);
	}
	return r;
}

int scene_end(struct scene *scene, const struct jobs *jobs, struct result *result,
		struct err *err)
{
	struct facts after = { NULL, 0 }, facts = { NULL, 0 };
	int r = environ_read(&scene->env, &after);

	if (!r)
		r = add_versions(&facts, jobs);
	if (!r)
		r = facts_join(&facts, &scene->before, &after);
	result->facts = facts.list;
	result->nfacts = facts.n;
	facts_free(&after);
	return r ? err_memory(err) : 0;
}

void scene_free(struct scene *scene)
{
	facts_free(&scene->before);
	environ_free(&scene->env);
}


/* A path that is not there is a mistake here: there is no run that would make it. */
static int add_path(struct environ *env, const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st))
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	return environ_add(env, path, err);
}

int scene_print(FILE *to, const struct cli *cli, struct err *err)
{
	struct environ env = { .root = "" };
	struct jobs none = { .list = NULL };
	struct facts facts = { NULL, 0 };
	int r = cli->nfiles ? 0 : add_path(&env, ".", err);

	for (size_t i = 0; !r && i < cli->nfiles; i++)
		r = add_path(&env, cli->files[i], err);
	if (!r && (add_versions(&facts, &none) || environ_read(&env, &facts)))
		r = err_memory(err);
	for (size_t i = 0; !r && i < cli->ntargets; i++) {
		if (cli->targets[i].format != output_find("json"))
			facts_print(to, &facts);
		else if (facts_print_json(to, &facts))
			r = err_memory(err);
	}
	facts_free(&facts);
	environ_free(&env);
	return r;
}
