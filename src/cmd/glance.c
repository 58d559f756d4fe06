#include "cmd/cmd.h"
int pario_cmd_glance(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return 2;
}
