// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every op in one include, for the graph's nodes.
#include "engine/tensor/ops/bags.h"
#include "engine/tensor/ops/bias_activation.h"
#include "engine/tensor/ops/copy_columns.h"
#include "engine/tensor/ops/dot_rows.h"
#include "engine/tensor/ops/elements.h"
#include "engine/tensor/ops/fill.h"
#include "engine/tensor/ops/gather_rows.h"
#include "engine/tensor/ops/gradients.h"
#include "engine/tensor/ops/group_rows.h"
#include "engine/tensor/ops/interactions.h"
#include "engine/tensor/ops/list_losses.h"
#include "engine/tensor/ops/logistic_loss.h"
#include "engine/tensor/ops/matmul.h"
#include "engine/tensor/ops/negatives_loss.h"
#include "engine/tensor/ops/norms.h"
#include "engine/tensor/ops/optimizers.h"
#include "engine/tensor/ops/scan_scores.h"
#include "engine/tensor/ops/squared_error.h"
#include "engine/tensor/ops/sum_parts.h"
