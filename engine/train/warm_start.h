// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "engine/experiment/document.h"
#include "engine/experiment/problem.h"

namespace parapet::train {

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
