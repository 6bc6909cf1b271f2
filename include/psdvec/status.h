/* Part of psdvec.h: status codes and the version. */
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

/* ---- Status codes, in families of a hundred --------------------------
 * The numbers are part of the interface and never change their meaning. */
typedef enum psdvec_status {
    PSDVEC_OK = 0,

    /* 1xx: the call itself */
    PSDVEC_ERR_OPTION = 100, /* an option is out of range or contradicts another */

    /* 2xx: the text, or another input, cannot be used */
    PSDVEC_ERR_NOT_FOUND = 200, /* no such file or folder */
    PSDVEC_ERR_READ = 201,      /* it exists, but reading it failed */
    PSDVEC_ERR_NOT_TEXT = 202,  /* it does not look like text */
    PSDVEC_ERR_DAMAGED = 203,   /* truncated or encrypted archive, malformed record */
    PSDVEC_ERR_EMPTY = 204,     /* nothing countable in it */
    PSDVEC_ERR_UTF8 = 205,      /* bad UTF-8 where `strict` was asked for */

    /* 3xx: one of our own files cannot be used */
    PSDVEC_ERR_FORMAT = 300,   /* not a file of this kind */
    PSDVEC_ERR_CORRUPT = 301,  /* truncated, or a checksum does not match */
    PSDVEC_ERR_VERSION = 302,  /* written by a newer version */
    PSDVEC_ERR_MISMATCH = 303, /* files that do not belong together */

    /* 4xx: the result cannot be written */
    PSDVEC_ERR_WRITE = 400,     /* missing folder, no permission, I/O error */
    PSDVEC_ERR_DISK_FULL = 401, /* no room */
    PSDVEC_ERR_SAME_FILE = 402, /* the output is one of the inputs */

    /* 5xx: resources */
    PSDVEC_ERR_MEMORY = 500,   /* the system refused memory */
    PSDVEC_ERR_BUDGET = 501,   /* it does not fit the memory budget */
    PSDVEC_ERR_THREAD = 502,   /* the system refused a thread */
    PSDVEC_ERR_OVERFLOW = 503, /* a number would not fit its type */
    PSDVEC_ERR_NUMERIC = 504,  /* a number is not finite */

    /* 6xx: the host asked to stop */
    PSDVEC_ERR_CANCELLED = 600,

    /* 9xx: a defect of the library; please report it */
    PSDVEC_ERR_INTERNAL = 900
} psdvec_status;

/* The name of a status, such as "PSDVEC_ERR_NOT_FOUND". Never NULL. */
PSDVEC_API const char *psdvec_status_name(psdvec_status status);

/* The version of the library in use, "major.minor.patch". */
PSDVEC_API const char *psdvec_version(void);

#ifdef __cplusplus
}
#endif
#endif
