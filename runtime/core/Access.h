//===- Access.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to tensors by name. `kinds` are bits `1 << dlc_symbol_kind`, `what` says in errors what is looked
// for.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_ACCESS_H
#define DLC_RUNTIME_CORE_ACCESS_H

#include "runtime/core/Instance.h"

namespace dlc::runtime {

dlc_status find(dlc_instance &instance, const char *name, uint32_t kinds, const char *what,
                const dlc_symbol *&symbol);
/// Copies a whole tensor to the caller's memory, or from there.
dlc_status read(dlc_instance *instance, const char *name, uint32_t kinds, const char *what, void *buffer,
                size_t bytes);
dlc_status write(dlc_instance *instance, const char *name, uint32_t kinds, const char *what,
                 const void *buffer, size_t bytes);

/// The gradient that steps keep of a parameter, NULL where there is none. `hint` is where it is looked for
/// first, and becomes where to look for that of the parameter that follows.
const dlc_symbol *findGradient(const dlc_model &model, const dlc_symbol &parameter, uint32_t &hint);

} // namespace dlc::runtime

#endif
