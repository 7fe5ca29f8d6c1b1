/* The table of MPI for a communicator of the program's: mpirun -np 3 mpi_collectives
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <mpi.h>

#include "dlc/mpi.h"
#include <stdio.h>
#include <string.h>

#define CHECK(holds)                                                                                                  \
  do {                                                                                                                \
    if (!(holds)) {                                                                                                   \
      fprintf(stderr, "mpi_collectives.c:%d: %s\n", __LINE__, #holds);                                                \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                                                   \
    }                                                                                                                 \
  } while (0)

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  char error[200] = "";
  dlc_collectives table;
  CHECK(dlc_mpi_collectives(MPI_COMM_WORLD, &table, error, sizeof error) == DLC_OK);
  CHECK(table.struct_size == sizeof table && table.rank == rank && table.ranks == ranks);
  CHECK(table.local_rank == rank && table.local_ranks == ranks); /* on one machine */

  float singles[3] = {1, (float)rank, 0.5f};
  CHECK(table.all_reduce(table.context, DLC_F32, singles, 3) == DLC_OK);
  CHECK(singles[0] == (float)ranks && singles[1] == (float)(ranks * (ranks - 1) / 2) && singles[2] == 0.5f * (float)ranks);
  double doubles[1] = {1e-9 * rank};
  CHECK(table.all_reduce(table.context, DLC_F64, doubles, 1) == DLC_OK && doubles[0] > 0);
  char text[8] = "";
  if (rank == ranks - 1)
    strcpy(text, "hello");
  CHECK(table.broadcast(table.context, text, sizeof text, ranks - 1) == DLC_OK && strcmp(text, "hello") == 0);

  double sums[DLC_AGREE_MOST];
  for (int i = 0; i < DLC_AGREE_MOST; ++i)
    sums[i] = i + rank;
  int32_t status = DLC_OK, of = -1;
  double before = -1;
  CHECK(table.agree(table.context, sums, DLC_AGREE_MOST, &before, &status, &of) == DLC_OK && status == DLC_OK);
  CHECK(before == rank * (rank - 1) / 2);
  for (int i = 0; i < DLC_AGREE_MOST; ++i)
    CHECK(sums[i] == i * ranks + ranks * (ranks - 1) / 2);
  status = rank == 0 ? DLC_OK : rank == 1 ? DLC_NOT_FINITE : DLC_IO_ERROR; /* the largest number is the worst */
  CHECK(table.agree(table.context, NULL, 0, &before, &status, &of) == DLC_OK && status == DLC_NOT_FINITE && of == 1);
  status = rank == 0 ? DLC_OK : DLC_IO_ERROR;
  CHECK(table.agree(table.context, NULL, 0, &before, &status, &of) == DLC_OK && status == DLC_IO_ERROR && of == 1);

  CHECK(table.failure(table.context) == NULL);
  table.destroy(table.context);
  CHECK(dlc_mpi_collectives(MPI_COMM_WORLD, &table, NULL, 0) == DLC_OK); /* once more */
  int8_t bytes[4] = {0};
  CHECK(table.all_reduce(table.context, DLC_U8, bytes, 4) == DLC_DEVICE_FAILED);
  CHECK(strstr(table.failure(table.context), "F32 and F64"));
  table.destroy(table.context);
  if (rank == 0)
    puts("the table of MPI adds up, sends and agrees");
  MPI_Finalize();
  return 0;
}
