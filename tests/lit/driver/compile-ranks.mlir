// A library for several processes: a rank has the largest part of the batch at most, and the header has its steps.
// RUN: dlc compile %s --ranks=3 --loss=mse -o %t && FileCheck %s --input-file=%t/p.h
// RUN: echo '#include "p.h"' > %t/use.c && cc -std=c11 -Wall -Wextra -pedantic -Werror -I%t -I%S/../../../runtime/include -c %t/use.c -o %t/use.o
// RUN: dlc compile %s --loss=mse -o %t/one && FileCheck %s --check-prefix=ONE --input-file=%t/one/p.h
// RUN: not dlc compile %s --ranks=3 -o %t 2>&1 | FileCheck %s --check-prefix=UNTRAINED
// RUN: not dlc compile %s --ranks=0 --loss=mse -o %t 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not dlc compile %s --ranks=3 --loss=mse --memory-budget=1M -o %t 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not dlc compile %s --ranks=3 --loss=mse --target=nvptx -o %t 2>&1 | FileCheck %s --check-prefix=GPU

// CHECK: #include "dlc/collectives.h"
// CHECK: #define P_BATCH 6
// CHECK: dlc_status p_join_ranks(p *model, const dlc_collectives *collectives);
// CHECK: dlc_status p_rank_step(p *model, const dlc_collectives *collectives, int64_t rows,
// CHECK-NEXT: const float *x
// CHECK: float *loss, dlc_metrics *metrics);
// CHECK: dlc_status p_rank_grad_step(
// CHECK: dlc_status p_rank_accumulate(
// CHECK: dlc_status p_rank_apply(p *model, const dlc_collectives *collectives);

// ONE: #include "dlc/runtime.h"
// ONE: #define P_BATCH 16
// ONE-NOT: rank_step

// UNTRAINED: ranks train together, and nothing is trained: say with --loss
// NONE: --ranks
// BUDGET: --memory-budget goes over a batch in parts in one process; leave it away
// GPU: ranks train on CPUs; leave --target=nvptx away

train.program @p {
  train.dim @batch = 16
  train.state parameter @w : tensor<4x2xf32> = dense<0.5>
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x2xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x4xf32, #nn.dims<batch, _>>
    %w = train.read @w : tensor<4x2xf32>
    %y = nn.matmul %x, %w : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<4x2xf32>
    train.write %y, @y : tensor<?x2xf32, #nn.dims<batch, _>>
  }
}
