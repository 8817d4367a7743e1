// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/base/record/location.h"
#include "engine/base/text.h"
#include "engine/experiment/document.h"
#include "engine/experiment/name_index.h"
#include "engine/experiment/problem.h"

namespace parapet::experiment {

/// An index of the names that the rules look up in an experiment, prepared once: documents may have
/// thousands of columns, tables and features. The experiment must outlive the index and stay unchanged.
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

// Rules between values of a document; the accepted values of a single one are described with its
// field. Each rule takes time proportional to its part of the document.

/// Every rule, over an experiment that was read.
void validate(const Experiment& experiment, const Location& root);

// The parts of validate().
void validateDataset(const Experiment& experiment, const DocumentIndex& index,
                     const Location& root);
/// Rules that follow from the source before any file is read.
void validateSource(const Experiment& experiment, const DocumentIndex& index, const Location& root);
void validateTables(const Experiment& experiment, const DocumentIndex& index, const Location& root);
void validateInitializer(const Initializer& initializer, const Location& location);
void validateFeatures(const Experiment& experiment, const DocumentIndex& index,
                      const Location& root);
void validateModel(const Experiment& experiment, const DocumentIndex& index, const Location& root);
void validateOptimizer(const Optimizer& optimizer, const Location& location);
/// Refuses accumulate_steps where parts of a batch are not worth the whole: losses and layers that look
/// at all examples together, losses with different denominators, tables with a count of their own.
void validateAccumulation(const Experiment& experiment, const Location& root);
/// Warns of patterns that no parameter matches.
void validateDecayExclusions(const Experiment& experiment, const Location& root);
/// Warns of a schedule of the experiment that no optimizer follows.
void validateScheduleUse(const Experiment& experiment, const Location& root);
/// `learningRate`: the full rate that the schedule is applied to.
void validateSchedule(const Schedule& schedule, double learningRate, const Location& location);
/// A file of the split that stands for two parts is a problem of the second.
void refuseSharedFiles(const Split& split, const Location& location);
void validateMesh(const Experiment& experiment, const Location& location);
void validateTraining(const Experiment& experiment, const Location& root);

/// "one of: a, b, c": a long list is truncated, with the count of the others.
std::string oneOf(const std::vector<std::string>& names);

/// didYouMean for a problem at a location. It compares with every name, so it stops after a hundred
/// problems, of which nobody reads more.
std::string hint(const std::string& name, const std::vector<std::string>& names,
                 const Location& location);

/// Refuses an entry whose name an earlier entry has.
template <class T>
void refuseDuplicateNames(const std::vector<T>& entries, const Location& location) {
  std::unordered_set<std::string_view> names;
  for (std::size_t index = 0; index < entries.size(); ++index)
    if (!entries[index].name.empty() && !names.insert(entries[index].name).second)
      (location / index / "name")
          .problem("\"" + entries[index].name + "\" is the name of an earlier entry of this list",
                   "a name of its own");
}

/// Refuses a name that no entry has. A name that could not be read was refused before.
template <class T>
void requireNamed(const NameIndex<T>& entries, const std::string& name, const std::string& what,
                  const Location& location) {
  if (name.empty() || entries.find(name) != nullptr) return;
  const std::vector<std::string>& names = entries.names();
  const std::string a = what.starts_with('e') ? "an " : "a ";
  location.problem("no " + what + " is named \"" + name + "\"" + hint(name, names, location),
                   names.empty() ? a + what + "; there is none" : oneOf(names));
}

}  // namespace parapet::experiment
