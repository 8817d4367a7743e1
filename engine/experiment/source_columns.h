// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "engine/experiment/document.h"

namespace parapet::experiment {

/// A column that a source has whatever its files are.
struct SourceColumn {
  enum class Type {
    kInteger,
    kReal,
    kText,
    kIntegers,  ///< several integers per row
  };
  const char* name;
  Type type;
};

/// The columns of generated data: all that there are.
std::span<const SourceColumn> generatedColumns(GeneratorKind kind);
/// Columns of MovieLens sets; a set may lack some of them.
std::span<const SourceColumn> movieColumns();

const SourceColumn* findColumn(std::span<const SourceColumn> columns, std::string_view name);

/// Type of the cells of a derived column.
SourceColumn::Type typeOf(DerivedKind kind);

/// Limits of a generator's settings. Events occur at most `maxEvents` times.
struct GeneratorLimits {
  std::int64_t maxUsers, minItems, maxItems, maxEvents;
};
GeneratorLimits limitsOf(const Generator& generator);

}  // namespace parapet::experiment
