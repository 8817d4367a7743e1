// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/ingest/sources/catalogue_table.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

class Source;

/// A file with an entry per id, open: what it knows is there, its lines are not read yet.
class CatalogueFile {
 public:
  virtual ~CatalogueFile() = default;

  [[nodiscard]] const CatalogueInfo& info() const { return info_; }
  /// Renames a column of the rows that has the name of another one.
  void renameColumn(std::size_t column, std::string name);

  /// Reads the entries into the table, which has begun the file; once. Lines without an entry go to
  /// the quarantine, whose file name is the name of this file.
  ///
  /// atMost   stops after so many entries.
  /// Errors   Data or Io if the file is damaged; kCancelled.
  virtual Status read(CatalogueTable& table, Quarantine& rejected, std::int64_t atMost,
                      const WorkContext& context) = 0;
  /// Feeds what the entries are made from, where the rows of the source do not stand for it.
  virtual Status hashInto(Hasher&, const WorkContext&) const { return {}; }
  /// Odd things that are no errors; known after read().
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
  /// The file, as rejected lines name it.
  [[nodiscard]] virtual std::string fileName() const { return info_.file; }

 protected:
  explicit CatalogueFile(CatalogueInfo info) : info_(std::move(info)) {}

 private:
  CatalogueInfo info_;
};

/// A table of text or Parquet whose lines are entries.
struct TableCatalogue {
  CatalogueInfo info;
  std::unique_ptr<Source> lines;
  std::string id;                  ///< column of the raw ids
  std::vector<std::string> cells;  ///< the other columns that are read
  /// Fills the cells of the entry from the id and `cells` of a line, all texts; returns why the
  /// line is no entry, or "". Empty: `cells` are the columns.
  std::function<std::string(std::span<const std::string_view> line, std::span<CatalogueCell> entry,
                            std::vector<std::string>& made)>
      make{};
  bool isTyped = false;    ///< columns of fractions are asked for as such
  bool isLatin1 = false;   ///< declared as ISO-8859-1 where it is not UTF-8
  bool isHashed = true;    ///< hashInto() feeds the file
  std::string fileName{};  ///< "": that of `lines`
};
std::unique_ptr<CatalogueFile> makeCatalogue(TableCatalogue table);

/// The files that `spec.catalogues` names. `idOf(role)` is the name of the column of the data that
/// has the ids of the role, "" if there is none.
///
/// Errors   Data for a file that is not there or cannot be read, InvalidDocument for a column that
///          it has not, both with the pointer of the entry.
Result<std::vector<std::unique_ptr<CatalogueFile>>> openCatalogueFiles(
    const experiment::Dataset& spec, const std::function<std::string(std::string_view role)>& idOf);

}  // namespace parapet::data
