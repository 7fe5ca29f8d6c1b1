/*===-- dlc/shards.h - samples in tar files --------------------------------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tar files as WebDataset has them: members that follow each other and have the same name up to its first dot are one sample,
 * and what follows the dot says which of its values a member has: 0001.png, 0001.cls. Only the headers are read when files are
 * opened, and a member when it is asked for, so that all may be larger than memory, and samples be shuffled as a whole.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_SHARDS_H
#define DLC_SHARDS_H

#include "dlc/data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dlc_shards dlc_shards;
/* Opens tar files (ustar, pax, GNU; not compressed), whose samples follow each other. Members that are no files, or have no dot in
 * their name, are passed over. Errors: DLC_IO_ERROR; DLC_BAD_FILE names the file and the place in it, also where a sample has two
 * members of one kind, or there is no sample. */
dlc_status dlc_shards_open(const char *const *paths, int64_t count, dlc_shards **out, char *error, size_t error_bytes);
int64_t dlc_shards_count(const dlc_shards *shards);
/* What a sample is called: the name of its members up to the first dot; NULL beyond the last. */
const char *dlc_shards_key(const dlc_shards *shards, int64_t sample);
/* The kinds that all samples together have, in lower case and in the order of their appearance ("png", "cls"); NULL beyond
 * the last. */
const char *dlc_shards_kind(const dlc_shards *shards, int32_t index);
/* The bytes of a sample's member of that kind, -1 where it has none. */
int64_t dlc_shards_size(const dlc_shards *shards, int64_t sample, const char *kind);
/* Reads them: `to` has room for dlc_shards_size. Threads may call this and the following at the same time. Errors:
 * DLC_NOT_FOUND names the sample and the kind; DLC_IO_ERROR; DLC_BAD_FILE for a file that has become shorter. */
dlc_status dlc_shards_read(const dlc_shards *shards, int64_t sample, const char *kind, void *to, char *error,
                           size_t error_bytes);
/* A member that is a whole number, such as a class (.cls), or an array of NumPy (.npy), as dlc_read_npy reads it. DLC_BAD_FILE
 * for others. Images are decoded by dlc_decode_image of dlc/images.h. */
dlc_status dlc_shards_number(const dlc_shards *shards, int64_t sample, const char *kind, int64_t *out, char *error,
                             size_t error_bytes);
dlc_status dlc_shards_array(const dlc_shards *shards, int64_t sample, const char *kind, const dlc_scaling *scaling,
                            dlc_array *out, char *error, size_t error_bytes);
void dlc_shards_close(dlc_shards *shards);

#ifdef __cplusplus
}
#endif
#endif
