/* Restricts the process before it reads files, as a second line of defence: if a defect in a reader
 * or in a library that decompresses or parses foreign files is exploited, the damage is limited.
 *
 * The process can then write files only in the folders that its command line names, and can neither
 * start programs nor use the network. A command that listens may open its socket and accept
 * connections, and writes only its log. Linux 5.13 or later is needed; on other systems, and with
 * PSDVEC_SANDBOX=off in the environment, nothing is restricted.
 *
 * Only the program does this. The library never restricts the process of its host. */
#ifndef CLI_SANDBOX_H
#define CLI_SANDBOX_H

#include "arguments.h"

/* Restricts the process to the files of this command line; `output` is the file that the command
 * writes, or NULL. Returns NULL if all restrictions are in force, otherwise the reason why some are
 * not. */
const char *sandbox_start(const struct arguments *arguments, const char *output);

/* For a command that listens, when its socket is open: from now on it can only accept connections. */
void sandbox_listening(void);

#endif
