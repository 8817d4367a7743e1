// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/experiment/experiment.h"

namespace parapet::workspace {

/// How much the score of a query and its own item grows in all epochs, about, where the optimizer
/// does not rescale gradients and scores begin near 0.
///
///   growth = f · lr / (B · τ · √a₀) · D · σ² / τ
///
/// f examples of an item in all epochs, B rows of a batch, over which the loss is a mean, τ
/// temperature, a₀ initial accumulator (SGD: 1), D · σ² squared length of an initial item vector: one
/// example moves the vector of its item by about lr/√a₀ times q/(B · τ). A gain of the loss is of
/// the order of the growth. Adagrad's accumulators grow, so this is rather too much.
///
/// Unset where it cannot be told: other optimizers, sums, cosines, other losses and initial weights.
std::optional<double> scoreGrowth(const experiment::Experiment& experiment,
                                  std::int64_t trainingRows,
                                  const std::map<std::string, std::int64_t>& vocabularyRows,
                                  std::int64_t batchRows);

/// A warning if even ten times that growth leaves a softmax within a thousandth of ln B.
std::optional<experiment::Problem> warnOfNoLearning(
    const experiment::Experiment& experiment, std::int64_t trainingRows,
    const std::map<std::string, std::int64_t>& vocabularyRows, std::int64_t batchRows);

}  // namespace parapet::workspace
