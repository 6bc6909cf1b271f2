/* The program, which psdvec and psdvec-mpi share. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

/* Runs a command line; returns the exit status. */
int program_run(int argc, char **argv);

#endif
