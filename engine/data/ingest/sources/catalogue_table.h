// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/dataset/row_block.h"
#include "engine/data/dataset/vocabulary_writer.h"
#include "engine/data/ingest/import/id_table.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// A column of a catalogue, with a value for every id.
struct CatalogueColumn {
  std::string name;       ///< of the column that rows get; "": none
  std::string attribute;  ///< in the vocabulary; "": none
  ValueType type = ValueType::kText;
  bool isList = false;
};

/// One file of a catalogue.
struct CatalogueInfo {
  std::string of = "item";  ///< "item" or "user"
  std::string file;         ///< path, for messages
  std::string pointer{};    ///< "/dataset/catalogues/0"; "": the data come with it
  std::vector<CatalogueColumn> columns{};
  std::optional<std::size_t> title{};  ///< index into columns
  experiment::ColdRows cold = experiment::ColdRows::kKeep;
  bool isOfRows = false;  ///< the file of the data itself: many lines of an id, the first counts
};

/// A cell of an entry: one text, or several where its column has lists.
struct CatalogueCell {
  std::string_view text{};
  std::span<const std::string_view> list{};
};

/// The entries of catalogues for the ids of a role, "user" or "item", from one file or several: an
/// entry per raw id. Texts are kept end to end, so that an entry costs its bytes, 8 of them per
/// column and about 40 for its id.
///
/// Thread   safe to read from many once it is filled.
class CatalogueTable {
 public:
  /// `idType`: of the ids of the data, kInteger or kText.
  explicit CatalogueTable(ValueType idType) : ids_(idType, "catalogue") {}

  /// The entries to come are of this file.
  void begin(CatalogueInfo info);
  /// Adds an entry with a cell per column; returns why it is none, or "". The first of an id
  /// counts; a second one has a reason against it unless the file is of rows.
  std::string add(std::string_view id, std::span<const CatalogueCell> cells);

  [[nodiscard]] ValueType idType() const { return ids_.type(); }
  /// Entries, all ids different.
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(ids_.size()); }
  /// The entry of an id, −1 if there is none; of tables of kInteger and of kText.
  [[nodiscard]] std::int32_t find(std::int64_t id) const { return ids_.find(id); }
  [[nodiscard]] std::int32_t find(std::string_view id) const { return ids_.find(id); }
  [[nodiscard]] std::string id(std::int32_t entry) const {
    return ids_.text(static_cast<std::size_t>(entry));
  }
  /// The id as an integer; kInteger tables only.
  [[nodiscard]] std::int64_t integer(std::int32_t entry) const {
    return ids_.integer(static_cast<std::size_t>(entry));
  }
  /// Whether a comes before b: by value, texts as bytes.
  [[nodiscard]] bool isBefore(std::int32_t a, std::int32_t b) const {
    return ids_.isBefore(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
  }
  /// Whether the entry is a candidate without a row of the data.
  [[nodiscard]] bool keepsCold(std::int32_t entry) const;
  /// Title from the files that the document names, in their order, before those that come with the
  /// data.
  [[nodiscard]] std::string_view title(std::int32_t entry) const;
  [[nodiscard]] std::vector<std::string> attributeNames() const;
  /// Values of attributeNames(), in that order; the values of a list with | between them.
  [[nodiscard]] std::vector<std::string> attributes(std::int32_t entry) const;

  [[nodiscard]] std::size_t files() const { return files_.size(); }
  [[nodiscard]] const CatalogueInfo& info(std::size_t file) const { return files_[file].info; }
  [[nodiscard]] bool has(std::size_t file, std::int32_t entry) const {
    return files_[file].lineOf(entry) >= 0;
  }
  /// The first ids of a file, for messages: "7", "318", …
  [[nodiscard]] std::string exampleIds(std::size_t file) const;
  /// The cell of an entry, "" or no values where it has none; list columns fill `values`.
  [[nodiscard]] std::string_view cell(std::size_t file, std::size_t column,
                                      std::int32_t entry) const;
  void list(std::size_t file, std::size_t column, std::int32_t entry,
            std::vector<std::string_view>& values) const;

 private:
  struct Column {
    CompactTexts texts;
    std::vector<std::uint64_t> ends{0};  // lists: values of line i are [ends[i], ends[i + 1])
  };
  struct File {
    CatalogueInfo info;
    std::vector<Column> columns;
    std::vector<std::int32_t> lines;  // of each entry; −1: it has none
    std::int32_t count = 0;           // lines
    [[nodiscard]] std::int32_t lineOf(std::int32_t entry) const {
      const auto at = static_cast<std::size_t>(entry);
      return entry >= 0 && at < lines.size() ? lines[at] : -1;
    }
  };

  IdTable ids_;
  std::vector<File> files_;
  std::vector<std::int32_t> uniqueIndex_;
};

}  // namespace parapet::data
