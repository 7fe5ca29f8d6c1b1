/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The public headers are C11 without warnings. */
#include "dlc/runtime.h"

#include "dlc/abi.h"
#include "dlc/data.h"
#include "dlc/init.h"
#include "dlc/collectives.h"
#include "dlc/lbfgs.h"
#include "dlc/logs.h"
#include "dlc/metrics.h"
#include "dlc/schedules.h"

const char *header_is_c(const dlc_model *model) {
  return model->name ? model->name : dlc_status_string(DLC_OK);
}
