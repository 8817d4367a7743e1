// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/manifest.h"
#include "engine/data/ingest/import/shaped_rows.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// "3 sequences were truncated to 128 pieces".
std::string truncationWarning(std::int64_t sequences, const experiment::Dataset& spec);

/// Counts the rows of a data set of texts that stay, while they are read.
class TextRows {
 public:
  void add(const ShapedRows& rows);

  /// Warns of sequences that were truncated, and where the file of the validation lines has given
  /// no row. `manifest` has the lines of all files.
  ///
  /// Errors   Data with its path where the file of the training lines has given no row.
  Status check(const experiment::Dataset& spec, Manifest& manifest) const;

 private:
  std::int64_t truncated_ = 0;
  std::array<std::int64_t, 256> rowsOf_{};  // of each part, as ShapedRows has it
};

}  // namespace parapet::data
