// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/import/quarantine.h"
#include "engine/data/shape/row_rules.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// A few thousand rows as the source has them, column by column; all columns are equally long.
struct RowChunk {
  std::vector<std::int64_t> users;
  std::vector<std::int64_t> items;
  std::vector<double> labels;       ///< unscaled
  std::vector<std::int64_t> times;  ///< seconds since 1970
  std::vector<double> weights;      ///< empty unless the document names a weight column

  void clear();
  [[nodiscard]] std::size_t size() const { return users.size(); }
};

/// What a source knows about the ids of one column besides the rows.
struct Catalogue {
  struct Entry {
    std::int64_t id = 0;
    std::string title;
    std::vector<std::string> attributes;  ///< as many as attributeNames
  };
  std::vector<std::string> attributeNames;
  std::vector<Entry> entries;
};

/// Where rows come from. A source is opened on a document, says what its bytes are, and is then
/// read once, chunk by chunk, so that its size does not matter. A line that is no row goes to the
/// quarantine of its file. A source with text ids interns them and hands out the numbers.
///
/// Thread   one reader.
class RowSource {
 public:
  static constexpr std::size_t kChunkRows = 1 << 14;

  virtual ~RowSource() = default;
  /// Feeds the bytes that the rows are made from.
  virtual Status hashInto(Hasher& hasher, const WorkContext& context) const = 0;
  /// Reads what there is besides rows; before the first read().
  virtual Status readCatalogues() = 0;
  /// The catalogue of "user" or "item", or null if the source has none.
  [[nodiscard]] virtual const Catalogue* catalogue(std::string_view column) const = 0;
  /// File name that a missing catalogue of the column would have, for messages.
  [[nodiscard]] virtual std::string catalogueName(std::string_view column) const = 0;
  /// Ids outside are bad lines.
  virtual void restrict(const IdRange& users, const IdRange& items) = 0;
  /// Replaces `chunk` by the next rows; an empty chunk is the end.
  virtual Status read(RowChunk& chunk) = 0;
  /// How far read() is, in a unit of the source's own.
  [[nodiscard]] virtual std::int64_t done() const = 0;
  [[nodiscard]] virtual std::int64_t total() const = 0;
  /// The quarantines of its files; the rows' file is the first.
  [[nodiscard]] virtual std::vector<const Quarantine*> quarantines() const = 0;
  /// Odd things that are no errors.
  [[nodiscard]] virtual std::vector<std::string> warnings() const = 0;
};

/// Opens the source that the document names.
///
/// Errors   InvalidDocument for an unknown source, a missing path or a column that the source has
/// not;
///          Data or Io with the path if its files cannot be read.
Result<std::unique_ptr<RowSource>> openSource(const experiment::Dataset& spec);

}  // namespace parapet::data
