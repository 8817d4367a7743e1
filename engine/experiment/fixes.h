// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/experiment/problem.h"

namespace parapet::experiment {

/// The one who has the last word about a fix.
enum class FixKind {
  kEdit,             ///< `patch` alone does it
  kChooseData,       ///< asks for a file or a folder
  kDownloadData,     ///< asks which data set to download
  kChooseLabel,      ///< asks for the column of labels
  kTrainVocabulary,  ///< trains a WordPiece vocabulary on the texts
};

/// One way out of a problem.
struct Fix {
  FixKind kind = FixKind::kEdit;
  std::string label;     ///< "Add dense 32 to the query tower"
  nlohmann::json patch;  ///< of the document, as RFC 6902; an empty array for questions
};

/// Proposes edits that take problems and warnings of a document away.
///
/// What to try follows from the pointer of a problem and from the document; an edit is offered only
/// if the problem is gone after it and nothing else is wrong that was right. Problems that need data
/// or devices (workspace::preflight) are not found again, so that their edits must leave a document
/// without problems.
///
/// Thread   safe; depends on the machine only in how many devices it proposes.
class Fixes {
 public:
  explicit Fixes(nlohmann::json document);
  /// At most three, the most likely first.
  [[nodiscard]] std::vector<Fix> of(const Problem& problem) const;

 private:
  nlohmann::json document_;
  Findings before_;
};

/// The document with a feature that reads a column of the data set, and all that the feature needs: a
/// vocabulary, a table as wide as the others of its tower, and of two towers a layer that keeps their
/// widths equal, the sum of the features or a dense layer. The same document if that cannot be.
///
/// document   an object, whose dataset has the column.
nlohmann::json withFeature(const nlohmann::json& document, const std::string& column);

}  // namespace parapet::experiment
