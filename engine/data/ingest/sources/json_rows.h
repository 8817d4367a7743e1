// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/data/ingest/sources/delimited_parser.h"
#include "engine/data/ingest/sources/json_line.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::data {

/// How the values of one column of JSON objects are used.
struct JsonUse {
  /// `cell` is the index of the column. A separator cuts a text into a list, as it cuts a cell.
  CellUse use;
  bool isList = false;                       ///< the column has lists; one value is a list of one
  std::vector<std::string> nullValues = {};  ///< texts that stand for no value
};

/// Turns lines with a JSON object each into typed columns. Null, an absent key and an empty text are
/// no value; in lists they are left out.
class JsonParser {
 public:
  /// The columns of `keys` are those that uses name.
  JsonParser(const JsonKeys& keys, std::vector<JsonUse> uses);

  /// See Source::parse. Columns of the block are the uses in their order.
  void parse(const Source::Piece& piece, RowBlock& block) const;

 private:
  class Reader;

  const JsonKeys& keys_;
  std::vector<JsonUse> uses_;
  std::vector<std::vector<std::size_t>> usesOf_;  // of the columns of `keys_`
  std::vector<std::size_t> columnOf_;             // of the block, for each use
  std::size_t columns_ = 0;
};

}  // namespace parapet::data
