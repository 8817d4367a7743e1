// SPDX-License-Identifier: Apache-2.0
#pragma once

// All that a caller of ops needs.
#include "engine/tensor/ops/kinds.h"
#include "engine/tensor/ops/optimizers.h"
#include "engine/tensor/ops/run.h"
#include "engine/tensor/ops/step_numbers.h"
