// The GPT of characters.h for the 65 characters of tinyshakespeare.
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "characters.h"

DLC_MODEL(characters) { return characters::describe(65); }
