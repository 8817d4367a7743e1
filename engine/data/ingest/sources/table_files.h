// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/ingest/sources/packed_files.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/data/ingest/sources/text_input.h"

namespace parapet::data {

/// The form of the lines of a table.
enum class TableKind {
  kDelimited,  ///< cells: .csv, .tsv
  kJson,       ///< a JSON object each: .jsonl, .ndjson, .json
};

/// Whether a file of this name is such a table; it may be packed, too.
bool isTableName(std::string_view name, TableKind kind);
/// Whether a file, folder or archive holds JSON objects: a file by its content, a folder or an archive
/// by the names in it, unless there are delimited tables, too; a member of an archive
/// ("archive.zip/rows.jsonl") by its name.
bool holdsJson(const std::filesystem::path& path);

/// The archive that a path leads into, "archive.zip" of "archive.zip/rows.jsonl"; nullopt if it leads into none.
std::optional<std::filesystem::path> archiveAbove(const std::filesystem::path& path);

/// Where the tables of a source are: one file, those of a folder in the order of their names, or a
/// member of an archive.
struct TableFiles {
  std::filesystem::path path;  ///< of the file, or of the collection
  std::optional<FileCollection> collection{};
  std::vector<std::string> names{};    ///< in the collection, in the order of reading
  std::string fileName;                ///< for messages
  std::vector<std::string> leftOut{};  ///< files of the folder that are no such tables
  std::int64_t bytes = 0;              ///< of all tables of a folder

  /// A file, a folder, an archive with one table, or a table inside one ("archive.zip/table.csv").
  ///
  /// Errors   Data or Io, with the path.
  static Result<TableFiles> find(const std::filesystem::path& path, TableKind kind);
  /// The tables of a data set whose document names a path, which its source owns.
  static Result<std::unique_ptr<TableFiles>> find(const experiment::Dataset& spec, TableKind kind);

  [[nodiscard]] std::size_t count() const { return collection ? names.size() : 1; }
  [[nodiscard]] std::string pathOf(std::size_t table) const {
    return collection ? collection->pathOf(names[table]) : path.string();
  }
  /// Name of a table among others; "" of the only one.
  [[nodiscard]] std::string_view nameAmongOthers(std::size_t table) const {
    return count() > 1 ? std::string_view(names[table]) : std::string_view();
  }
  /// Errors   Data or Io if the table cannot be read.
  [[nodiscard]] Result<std::unique_ptr<ByteStream>> open(std::size_t table) const;
  [[nodiscard]] Result<std::unique_ptr<TextInput>> openText(std::size_t table) const;
  Status hashInto(Hasher& hasher, const WorkContext& context) const;
  /// Names of what the folder has besides; "" if there is nothing.
  [[nodiscard]] std::string leftOutWarning() const;
};

/// A source of texts (`Base`, a TextSource) that are the tables of TableFiles, one after the other.
template <class Base>
class TablesSource : public Base {
 public:
  Status hashInto(Hasher& hasher, const WorkContext& context) const override {
    return tables_->hashInto(hasher, context);
  }
  [[nodiscard]] std::string fileName() const override { return tables_->fileName; }
  [[nodiscard]] std::int64_t total() const override {
    return tables_->count() == 1 ? Base::total() : tables_->bytes;
  }

 protected:
  template <class... Arguments>
  explicit TablesSource(std::unique_ptr<TableFiles> tables, Arguments&&... ofBase)
      : Base(std::forward<Arguments>(ofBase)...), tables_(std::move(tables)) {}
  [[nodiscard]] const TableFiles& tables() const { return *tables_; }
  /// Says which files are left out, if there are any.
  void warnOfLeftOut() {
    if (std::string leftOut = tables_->leftOutWarning(); !leftOut.empty())
      this->warn(std::move(leftOut));
  }
  virtual Result<typename Base::Part> openPart(std::size_t table) = 0;

 private:
  Result<std::optional<typename Base::Part>> nextPart() final {
    if (++current_ >= tables_->count()) return std::optional<typename Base::Part>();
    PARAPET_ASSIGN(typename Base::Part next, openPart(current_));
    return std::optional(std::move(next));
  }

  std::unique_ptr<TableFiles> tables_;
  std::size_t current_ = 0;
};

}  // namespace parapet::data
