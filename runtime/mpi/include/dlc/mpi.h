/*===-- dlc/mpi.h - ranks that MPI has started -------------------------------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * libdlc-mpi is built against one MPI, as those of different makers have different binary interfaces. In CMake
 * it is dlc::mpi, for pkg-config dlc-mpi.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_MPI_H
#define DLC_MPI_H

#include "dlc/collectives.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The processes that mpirun or srun has started, all of them. Calls MPI_Init where the program has not; then
 * `destroy` calls MPI_Finalize. `error` (may be NULL) receives a sentence. Errors: DLC_UNAVAILABLE: MPI does not
 * start, or may not be called; DLC_OUT_OF_MEMORY.
 *
 * A rank that another one waits for longer than DLC_COLLECTIVE_SECONDS of the environment says (600), has failed. */
dlc_status dlc_mpi_world(dlc_collectives *out, char *error, size_t error_bytes);

/* Those of a communicator of the program's, for a program that includes <mpi.h> before. In C++ compile with
 * OMPI_SKIP_MPICXX and MPICH_SKIP_MPICXX defined. Messages go through a duplicate of it. */
#ifdef MPI_VERSION
dlc_status dlc_mpi_collectives(MPI_Comm communicator, dlc_collectives *out, char *error, size_t error_bytes);
#endif

#ifdef __cplusplus
}
#endif
#endif
