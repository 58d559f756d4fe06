/*
 * man_commands: what the manual says about each command beyond its table, in mdoc.
 */
#include "manual/manual.h"

const struct pario_man_command pario_man_commands[] = {
	{ pario_cmd_run,
	  "Runs one test at every point of its sweep and at every client count, prints a table and writes a\n"
	  "journal.\n"
	  "Without a launcher, it re-executes itself under\n"
	  ".Sy mpiexec Ns (1)\n"
	  "with one client per core, or as many as\n"
	  ".Fl Fl np\n"
	  "or\n"
	  ".Fl Fl clients\n"
	  "ask for.\n"
	  "Under mpiexec, srun or a batch system, it uses the clients it is given.\n"
	  "One launch measures all client counts.\n"
	  ".Pp\n"
	  "Before the first byte is written, the points are checked for contradictions, and space, inodes and\n"
	  "memory are compared with what the whole plan needs.\n"
	  "A point that cannot run here is skipped, with the reason.\n"
	  "Ctrl-C stops after the current operation and keeps what was measured; a second one ends at once.\n"
	  ".Pp\n"
	  "The options below hold for every test; the page of the test has the rest.\n" },
	{ pario_cmd_trace,
	  "Runs any program, also below mpiexec, and writes every I/O call of it and its children to\n"
	  ".Ar FILE ,\n"
	  "the program's name with .trace by default: libc, MPI-IO, HDF5 and PnetCDF, one within the other.\n"
	  ".Fl Fl stack Ar N\n"
	  "records N callers of each call,\n"
	  ".Fl Fl live\n"
	  "shows a table while the program runs,\n"
	  ".Fl Fl ptrace\n"
	  "traces system calls from outside, which is chosen by itself for static and Go programs, also for\n"
	  "those that a traced program starts.\n"
	  "Output and exit code are the program's; 127 and 126 mean that it was not found or is not\n"
	  "executable, as in a shell.\n"
	  "What could not be recorded is counted and reported; set-uid programs run untraced and are named.\n" },
	{ pario_cmd_profile,
	  "Shows what a traced program did: call classes, files, call sites with function and line, processes,\n"
	  "a timeline, seek distances and the longest calls.\n"
	  ".Fl Fl rows Ar N\n"
	  "gives longer tables,\n"
	  ".Fl Fl symbols Ar DIR\n"
	  "says where programs lie that have moved; they are recognised by their build-id.\n"
	  ".Fl Fl html Ar FILE\n"
	  "writes a page with pictures: who was busy with what and when, sizes, distances, imbalance, call sites.\n"
	  ".Fl Fl journal Ar DIR ,\n"
	  ".Fl Fl csv Ar FILE ,\n"
	  ".Fl Fl perfetto Ar FILE\n"
	  "and\n"
	  ".Fl Fl folded Ar FILE\n"
	  "export; folded stacks need a trace with\n"
	  ".Fl Fl stack .\n"
	  "The clocks of several machines are compared at the ends of barriers, and what they differ\n"
	  "by is taken off.\n" },
	{ pario_cmd_top, "Shows every second what a program does that is being traced;\n"
			 ".Ar DIR\n"
			 "is the directory pario-trace-... beside its trace.\n" },
	{ pario_cmd_glance,
	  "Measures a fixed, versioned set over all regions of access (large, shared, small, noncontiguous,\n"
	  "metadata, many files, interactive commands), with at most 4 GiB of disk (and at most half of what is\n"
	  "free), in about 3 minutes.\n"
	  "It says what it will do before it does it, prints a table, and removes its data afterwards.\n"
	  "The journal stays.\n"
	  "Without\n"
	  ".Ar DIR\n"
	  "it makes and measures the directory\n"
	  ".Pa pario-scratch .\n" },
	{ pario_cmd_characterize,
	  "Measures once what every operation costs on the system that\n"
	  ".Ar DIR\n"
	  "lies on, so that\n"
	  ".Sy pario predict\n"
	  "can say how long a program would take there: reads and writes over their size, sequential, strided and\n"
	  "random, answered by memory or by storage, synchronous and direct, by one and several clients, in their own\n"
	  "and in one file; operations on names; the device over requests in flight; fsync; messages.\n"
	  "It takes about 5 minutes, or as many\n"
	  ".Fl Fl minutes\n"
	  "as it is given, and removes its data afterwards.\n"
	  ".Pp\n"
	  "The measurements are a journal like that of any run.\n"
	  "The SYSTEM is fitted from it and written to the file that\n"
	  ".Fl o\n"
	  "names, with what was not measured and why;\n"
	  ".Fl Fl from Ar RUN\n"
	  "fits an earlier run again.\n"
	  "A file that is there already is replaced only with\n"
	  ".Fl Fl force .\n"
	  "An interrupted run writes no SYSTEM and goes on with\n"
	  ".Fl Fl resume .\n" },
	{ pario_cmd_survey,
	  "Walks the access space of\n"
	  ".Sy pario-transfer Ns (1) :\n"
	  "interface, pattern, transfer size, alignment, layout, client count, reading and writing; coarse first,\n"
	  "then finer where neighbouring points differ by more than their noise.\n"
	  "It ends with the regions of poor performance, worst first: where each starts and ends, how much slower\n"
	  "it is than its neighbours and than the best way to move the same bytes, and what avoids it.\n"
	  "An interrupted survey goes on with\n"
	  ".Fl Fl resume .\n" },
	{ pario_cmd_report,
	  "Writes one HTML page about one or several runs: what was measured and where, what is suspect, what to do\n"
	  "next, then pictures and tables for each test.\n"
	  "The page needs no network and works without script; with script its pictures can be zoomed and saved.\n"
	  ".Ar RUN\n"
	  "is a run directory, a journal or a trace.\n"
	  "Several runs are shown side by side, under the names that\n"
	  ".Fl Fl label\n"
	  "gives them.\n"
	  "Every measuring run writes the page of its own journal as\n"
	  ".Pa report.html\n"
	  "into its run directory.\n" },
	{ pario_cmd_compare,
	  "Compares two runs point by point.\n"
	  "Points belong together when test, phase, clients and all parameters that shape the measurement are equal.\n"
	  "For each pair it prints both medians, their ratio with a 95 % interval (bootstrap) and a verdict.\n"
	  "A difference is reported only when its 95 % interval excludes 1 and the Mann-Whitney test agrees;\n"
	  "otherwise no difference was found.\n"
	  ".Pp\n"
	  "With\n"
	  ".Fl Fl threshold\n"
	  "the exit code is 1 when a point became worse than that ratio, for use in continuous integration.\n"
	  "Where repetitions are too few for a proof, a point counts when every value of the second run is worse than\n"
	  "every one of the first; so do points that the second run did not reach because it was cut short.\n"
	  "Runs without a common point are refused, and the parameters that differ are named;\n"
	  ".Fl Fl across\n"
	  "says that a parameter is what is compared.\n" },
	{ pario_cmd_history,
	  "Reads all journals below the directories and shows every number over time, with the places where it\n"
	  "changed and what else changed there: versions, kernel, mount options, parameters.\n"
	  "Every place is tested, two-sided, with Holm's correction over all of them.\n"
	  "An index of SQLite keeps what was read; it can be deleted at any time and is made anew from the journals.\n"
	  "Damaged journals are named, left out and counted.\n"
	  ".Pp\n"
	  "The exit code is 1 when a number became worse within its last runs\n"
	  ".Pq Fl Fl recent ,\n"
	  "for use with\n"
	  ".Sy cron Ns (8) .\n" },
	{ pario_cmd_import,
	  "Reads results of IOR (JSON or text), mdtest, fio (json or json+), io500 (result.txt or\n"
	  "result_summary.txt) and Darshan (the text of darshan-parser or darshan-dxt-parser), and makes a journal\n"
	  "of each file, for\n"
	  ".Sy pario-report Ns (1) ,\n"
	  ".Sy pario-compare Ns (1)\n"
	  "and\n"
	  ".Sy pario-history Ns (1) .\n"
	  "The format is recognised by itself, also behind text that fio printed before its JSON.\n"
	  "Parameters and units are those of the program that measured; what it does not tell stays absent.\n"
	  "A file that cannot be imported is named with the reason, and the others are imported all the same.\n" },
	{ pario_cmd_doctor,
	  "Looks at the machine and at\n"
	  ".Ar DIR ,\n"
	  "by default the current directory, for what makes measurements noisy, wrong or impossible: frequency\n"
	  "scaling,\n"
	  "other programs, limits of memory and files, the kind of file system, a launcher of another MPI,\n"
	  "a kernel that refuses io_uring, missing rights to empty caches.\n"
	  "Every finding comes with its consequence and a remedy; the exit code is 1 when one of them is bad.\n"
	  "It writes nothing and takes about two seconds.\n" },
	{ pario_cmd_ior,
	  "Runs what a command line of IOR asks for, as one or more runs of\n"
	  ".Sy pario-transfer Ns (1) .\n"
	  "Every option of IOR is honoured, honoured with a difference that is printed, or refused with a sentence;\n"
	  "none is passed over.\n"
	  "The first line of the output is the equivalent\n"
	  ".Nm pario Cm run ,\n"
	  "which does the same when it is typed.\n"
	  "pario's own table follows, then IOR's in IOR's columns.\n"
	  ".Pp\n"
	  "bw is IOR's: bytes over the time from the first open to the last close.\n"
	  "Without\n"
	  ".Fl e\n"
	  "nothing is made durable and reads may come from memory, as in IOR; with it, reads are cold and that is proved.\n"
	  ".Pp\n"
	  "Scripts\n"
	  ".Pq Fl f\n"
	  "with several tests make one run with several parts.\n"
	  "summaryFormat=JSON or CSV without a summaryFile leaves standard output to the document alone.\n"
	  "What stands behind\n"
	  ".Fl Fl\n"
	  "is added to the words of\n"
	  ".Nm pario Cm run .\n" },
	{ pario_cmd_mdtest,
	  "Runs what a command line of mdtest asks for, as a run of\n"
	  ".Sy pario-metadata Ns (1) .\n"
	  "Every option of mdtest is honoured, honoured with a difference that is printed, or refused with a sentence;\n"
	  "none is passed over.\n"
	  "The first line of the output is the equivalent\n"
	  ".Nm pario Cm run .\n"
	  "pario's own table follows, then mdtest's summary.\n"
	  "A rate is all operations over the time from the first start to the last stop.\n"
	  "An operation that fails makes its phase fail, which then has no rate.\n"
	  "What stands behind\n"
	  ".Fl Fl\n"
	  "is added to the words of\n"
	  ".Nm pario Cm run .\n" },
	{ pario_cmd_list,
	  "Prints the tests and the backends of this build.\n"
	  "A backend that cannot be used here is named with the reason: a library that was not found when pario\n"
	  "was built, or a kernel that refuses.\n" },
	{ pario_cmd_help, "Prints the commands, or what a command or test does, with its options.\n"
			  "Two more options serve packagers:\n"
			  ".Bl -tag -width Ds\n"
			  ".It Fl Fl man Ar DIR\n"
			  "write the manual pages into a directory\n"
			  ".It Fl Fl completions Ar DIR\n"
			  "write the completions for bash, zsh and fish into a directory\n"
			  ".El\n" },
	{ pario_cmd_diagonal,
	  "Reads a solution file of NHT-1's application I/O benchmark once, from its beginning to its end, in one\n"
	  "process without MPI and in constant memory.\n"
	  "For each solution vector, for each point (d,d,d) of its main diagonal and for each of the five\n"
	  "components one line goes to standard output, as Fortran's F15.10 writes it; what does not fit becomes\n"
	  "asterisks.\n"
	  "Class B has 20400 lines.\n"
	  "A file of another size than the class has, and numbers that are not finite, end it with status 4 and\n"
	  "a sentence that names the vector.\n" },
	{ pario_cmd_clean,
	  "A run that was killed leaves its workspace behind.\n"
	  "This command looks in\n"
	  ".Ar DIR ,\n"
	  "by default the current directory, for workspaces that no live run holds, and removes them: each file\n"
	  "that the manifest names, then the directory.\n"
	  "Files that pario did not make stay, and so does the directory around them; both are named.\n"
	  "Files that a run was asked to keep stay too, unless\n"
	  ".Fl Fl kept\n"
	  "is given.\n" },
	{ 0 },
};

const struct pario_man_command pario_man_examples[] = {
	{ pario_cmd_ior,
	  "A file per task, read by the task of another node, made durable, three times:\n"
	  ".Dl mpirun -n 64 pario ior -a POSIX -t 1m -b 4g -F -C -e -i 3 -o /scratch/me/file\n"
	  ".Pp\n"
	  "What would be run:\n"
	  ".Dl pario ior -t 1m -b 4g -F \\-\\- \\-\\-dry_run 1\n"
	  ".Pp\n"
	  "IOR's JSON, and pario's results in a directory of their own:\n"
	  ".Dl pario ior -t 1m -b 64m -e -O summaryFormat=JSON \\-\\- \\-\\-output night > ior.json\n" },
	{ pario_cmd_mdtest,
	  "Files of 3901 bytes in one directory, looked up and removed by another task:\n"
	  ".Dl mpirun -n 64 pario mdtest -F -n 1000 -w 3901 -e 3901 -N 1 -d /scratch/me\n"
	  ".Pp\n"
	  "A tree for each task:\n"
	  ".Dl mpirun -n 16 pario mdtest -z 2 -b 10 -L -u -n 10000 -i 3 -d /scratch/me\n" },
	{ 0 },
};
