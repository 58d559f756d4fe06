/*
 * mdtest: `pario mdtest`, the command lines of mdtest: reading them is compat/mdtest_options, running them cmd/peer.
 */
#include "cmd/cmd.h"
#include "cmd/peer.h"
#include "compat/mdtest.h"

static int read_mdtest(struct pario_peer_job *job, int argc, char **argv, struct pario_err *err)
{
	return pario_mdtest_command(job, argc, argv, err);
}

static void show(const struct pario_peer_job *job, const struct pario_session *s,
		 const struct pario_peer_done *done, size_t i, struct pario_text *out)
{
	const struct pario_plan *plan = &done[i].plan;
	struct pario_text command = { 0 }, machine = { 0 }, clean = { 0 };
	struct pario_mdtest_frame frame = { .job = job,
					    .began_s = done[i].began_s,
					    .tasks = s->crew.world.clients,
					    .nodes = s->crew.world.nodes,
					    .tasks_per_node = s->crew.world.node_clients_max,
					    .path = plan->settings.dir };

	pario_peer_look(plan->settings.dir, &frame.room);
	pario_peer_origin(&command, &machine);
	pario_text_clean(&clean, pario_text_string(&command));
	frame.command = pario_text_string(&clean);
	pario_mdtest_banner(&frame, out);
	pario_text_release(&clean);
	pario_text_release(&machine);
	pario_text_release(&command);
	for (size_t k = 0; k < plan->client_count; k++)
		pario_mdtest_summary(job, done[i].results, done[i].result_count, plan->clients[k],
				     out);
	pario_mdtest_end(out);
}

int pario_cmd_mdtest(int argc, char **argv)
{
	static const struct pario_peer_command command = { read_mdtest, show, NULL, NULL };

	return pario_peer_main(&command, argc, argv);
}
