/* psdvec: the program on one machine. */
#include "program.h"

int main(int argc, char **argv)
{
    return program_run(argc, argv);
}
