// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/experiment/name_index.h"
#include "engine/experiment/problem.h"

namespace parapet::experiment {

/// What the rules look up in an experiment, prepared once: documents may have thousands of columns,
/// tables and features. The experiment must outlive the index and stay unchanged.
class DocumentIndex {
 public:
  /// `read`: what the reader of the document has found.
  DocumentIndex(const Experiment& experiment, const Findings& read);

  NameIndex<Column> columns;
  NameIndex<Vocabulary> vocabularies;
  NameIndex<PretrainedEmbeddings> vectors;
  NameIndex<Table> tables;
  /// Vocabularies of tables whose names earlier tables have. A feature that names no table may mean
  /// one of them; the duplicate name is what is wrong then.
  std::unordered_set<std::string_view> duplicateTableVocabularies;
  /// Names of columns whose roles could not be read: whether they hold ids is not known, and what
  /// would follow from it is not said.
  std::unordered_set<std::string_view> unreadRoles;
  /// Nothing of the tables, or of the features, could be read: what would follow from it is not said.
  bool lacksTables = false, lacksFeatures = false;
  /// Names of the columns that hold ids, and of the numeric columns.
  std::vector<std::string> idColumns, numericColumns;
  /// One name per mesh rank; empty if the list of devices is wrong.
  std::vector<std::string> devices;
  /// Examples of a global batch; nullopt if that cannot be known.
  std::optional<std::int64_t> batchSize;

  /// As Dataset::isText, Dataset::roleOf and Dataset::vocabularyOf.
  [[nodiscard]] bool isText() const { return dataset_->isText(); }
  [[nodiscard]] std::optional<ColumnRole> roleOf(const std::string& column) const;
  [[nodiscard]] const std::string* vocabularyOf(const std::string& column) const;

 private:
  const Dataset* dataset_;
};

}  // namespace parapet::experiment
