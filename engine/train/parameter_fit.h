// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/checkpoint/checkpoint.h"
#include "engine/experiment/document.h"
#include "engine/experiment/problem.h"
#include "engine/nn/parameters.h"

namespace parapet::train {

/// Parameters by name, [rows, columns].
using ParameterShapes = std::map<std::string, std::array<std::int64_t, 2>>;

/// Shapes of the parameters of a model.
ParameterShapes shapesOf(std::span<const nn::ParameterSpec> specs);
/// Shapes of the parameters whose weights a checkpoint holds.
ParameterShapes shapesOf(const checkpoint::Checkpoint& checkpoint);

/// Parts of a document that do not fit weights that were found: tables and layers that they lack, that
/// the document lacks, or that have another shape, one problem for each. A trained temperature may
/// be on either side alone.
std::vector<experiment::Problem> unfitParameters(const experiment::Experiment& experiment,
                                                 const ParameterShapes& wanted,
                                                 const ParameterShapes& found);

/// The table of another run's document that the warm_start of a table names; null if there is none.
const experiment::Table* warmStartTable(const experiment::Table& table,
                                        const experiment::Experiment& source);

/// Why a table cannot begin as its warm_start says: no such table, or one of another width.
std::optional<experiment::Problem> warmStartProblem(const experiment::Experiment& experiment,
                                                    std::size_t table,
                                                    const experiment::Experiment& source);

/// Whether row 0 of both tables is that of unknown ids.
bool sharesUnknownRow(const experiment::Experiment& experiment, const experiment::Table& table,
                      const experiment::Experiment& source, const experiment::Table& from);

}  // namespace parapet::train
