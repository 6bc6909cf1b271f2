/* Part of psdvec.h: status codes and the version.
 *
 * Every call that can fail returns a psdvec_status. PSDVEC_OK is zero, so a call can be tested like
 * a boolean:
 *
 *     if (psdvec_model_open(ctx, "wiki.safetensors", &model))
 *         fprintf(stderr, "%s\n", psdvec_error_message(ctx));
 */
#ifndef PSDVEC_STATUS_H
#define PSDVEC_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PSDVEC_API __attribute__((visibility("default")))
#else
#define PSDVEC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status codes, in groups of one hundred ---------------------------
 * The values are part of the interface and never change their meaning. */
typedef enum psdvec_status {
    PSDVEC_OK = 0,

    /* 1xx: invalid arguments */
    PSDVEC_ERR_OPTION = 100, /* an option or argument is invalid or conflicts with another one */

    /* 2xx: the text or another input cannot be used */
    PSDVEC_ERR_NOT_FOUND = 200, /* no such file or folder */
    PSDVEC_ERR_READ = 201,      /* the file exists, but reading it failed */
    PSDVEC_ERR_NOT_TEXT = 202,  /* the input does not look like text */
    PSDVEC_ERR_DAMAGED = 203,   /* truncated or encrypted archive, or malformed record */
    PSDVEC_ERR_EMPTY = 204,     /* the input contains no usable words */
    PSDVEC_ERR_UTF8 = 205,      /* invalid UTF-8, with the option `strict` */

    /* 3xx: a counts file, a model or another psdvec file cannot be used */
    PSDVEC_ERR_FORMAT = 300,   /* not a file of the expected kind */
    PSDVEC_ERR_CORRUPT = 301,  /* truncated file, or checksum mismatch */
    PSDVEC_ERR_VERSION = 302,  /* written by a newer version of psdvec */
    PSDVEC_ERR_MISMATCH = 303, /* files that do not belong together */

    /* 4xx: the output cannot be written */
    PSDVEC_ERR_WRITE = 400,     /* missing folder, no permission, or I/O error */
    PSDVEC_ERR_DISK_FULL = 401, /* no space left */
    PSDVEC_ERR_SAME_FILE = 402, /* the output is one of the inputs */

    /* 5xx: resources and arithmetic */
    PSDVEC_ERR_MEMORY = 500,   /* memory allocation failed */
    PSDVEC_ERR_BUDGET = 501,   /* the task does not fit into the memory budget */
    PSDVEC_ERR_THREAD = 502,   /* a thread could not be created */
    PSDVEC_ERR_OVERFLOW = 503, /* a value does not fit into its type */
    PSDVEC_ERR_NUMERIC = 504,  /* a value is not finite */

    /* 6xx: cancellation */
    PSDVEC_ERR_CANCELLED = 600, /* the host's callback should_cancel returned true */

    /* 9xx: a bug in the library; please report it */
    PSDVEC_ERR_INTERNAL = 900
} psdvec_status;

/* Returns the name of a status, such as "PSDVEC_ERR_NOT_FOUND", or "unknown status". Never NULL;
 * the string is static. */
PSDVEC_API const char *psdvec_status_name(psdvec_status status);

/* Returns the version of the library at run time, "major.minor.patch", as a static string.
 * PSDVEC_VERSION is the version of the headers at compile time. */
PSDVEC_API const char *psdvec_version(void);

#ifdef __cplusplus
}
#endif
#endif
