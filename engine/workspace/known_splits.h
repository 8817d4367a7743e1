// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/split/split.h"
#include "engine/experiment/experiment.h"

namespace parapet::workspace {

/// The splits that were asked for last. The window asks at every edit of a document, and few edits
/// concern the split.
///
/// Thread   safe.
class KnownSplits {
 public:
  /// A data set with all its ids has one, and with the rows of its vocabularies another.
  static constexpr std::size_t kMaxKnown = 2;

  /// The split of a document (splitFor), made unless it is known of the same data and settings.
  ///
  /// Errors   those of splitFor.
  Result<std::shared_ptr<const data::Split>> of(const experiment::Experiment& experiment,
                                                const data::Dataset& dataset);

 private:
  std::mutex mutex_;
  std::vector<std::pair<std::string, std::shared_ptr<const data::Split>>> known_;  ///< newest last
};

}  // namespace parapet::workspace
