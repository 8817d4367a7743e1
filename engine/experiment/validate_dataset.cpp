// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "engine/base/text.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

// Both sources have the columns of MovieLens ratings.
const std::vector<std::string> kIdColumns{"user", "item"};
constexpr const char* kLabelColumn = "rating";
// Shares such as 0.8 + 0.1 + 0.1 do not sum to exactly 1.
constexpr double kShareTolerance = 1e-9;

void checkVocabularies(const Dataset& dataset, const Place& place) {
  refuseDuplicateNames(dataset.vocabularies, place);
  for (std::size_t index = 0; index < dataset.vocabularies.size(); ++index) {
    const Vocabulary& vocabulary = dataset.vocabularies[index];
    const Place at = place / index;
    if (!vocabulary.name.empty() &&
        std::ranges::find(kIdColumns, vocabulary.name) == kIdColumns.end())
      (at / "name")
          .problem("the source has no id column \"" + vocabulary.name + "\"" +
                       didYouMean(vocabulary.name, kIdColumns),
                   "a column: " + join(kIdColumns));
    const bool compressed = vocabulary.kind == VocabularyKind::kCompressed;
    const bool ofDirectIds = vocabulary.size.kind == VocabularySize::Kind::kMaxPlusOne ||
                             vocabulary.size.kind == VocabularySize::Kind::kCataloguePlusOne;
    if (compressed && ofDirectIds)
      (at / "size")
          .problem("this size is one of direct ids, and kind is \"compressed\"",
                   "\"auto\" or a number of rows");
  }
}

void checkColumns(const Dataset& dataset, const Place& place) {
  if (dataset.label.column && *dataset.label.column != kLabelColumn)
    (place / "label" / "column")
        .problem("the source has no label column \"" + *dataset.label.column + "\"",
                 fmt::format("\"{}\"", kLabelColumn));
  if (dataset.weight && *dataset.weight != kLabelColumn)
    (place / "weight")
        .problem("the source has no number column \"" + *dataset.weight + "\"",
                 fmt::format("\"{}\", or null", kLabelColumn));
  if (dataset.source == "generated" && dataset.path)
    (place / "path").warning("not used: the data of this source are generated", "null");
}

void checkSplit(const Split& split, const Training& training, const Place& place) {
  const std::array parts{std::pair{"train", &split.train},
                         std::pair{"validation", &split.validation},
                         std::pair{"test", &split.test}};
  bool counts = false;
  bool shares = false;
  double sum = 0.0;
  for (const auto& [name, amount] : parts) {
    if (amount->value <= 0.0) continue;
    (amount->isRatio ? shares : counts) = true;
    sum += amount->value;
  }
  if (split.train.value <= 0.0)
    (place / "train").problem("no row is left to train on", "a share, or at least one row");
  if (counts && shares)
    place.problem("counts and shares are mixed", "three counts, or three shares below 1");
  if (shares && !counts && sum > 1.0 + kShareTolerance)
    place.problem(fmt::format("the shares sum to {:.6g}", sum), "shares that sum to at most 1");
  if (shares && !counts && sum < 1.0 - kShareTolerance)
    place.warning(fmt::format("{:.3g} % of the rows are in no part", 100.0 * (1.0 - sum)));
  if (split.validation.value <= 0.0 && training.validateEvery > 0)
    (place / "validation")
        .warning("no row is left to validate on: nothing is measured during training");
}

void checkBatch(const Dataset& dataset, const Place& place) {
  const Batch& batch = dataset.batch;
  if (batch.size.has_value() == batch.perDevice.has_value())
    place.problem(
        batch.size ? "size and per_device are both given" : "neither size nor per_device is given",
        "exactly one of size and per_device");
  const SplitAmount& train = dataset.split.train;
  if (batch.dropRemainder && batch.size && !train.isRatio && train.value > 0.0 &&
      static_cast<double>(*batch.size) > train.value)
    (place / "size")
        .problem(
            fmt::format(
                "a batch of {} rows is never full with {} training rows, and drop_remainder is set",
                *batch.size, train.value),
            "a smaller batch, or drop_remainder false");
}

}  // namespace

void validateDataset(const Dataset& dataset, const Training& training, const Place& place) {
  checkVocabularies(dataset, place / "vocabularies");
  checkColumns(dataset, place);
  checkSplit(dataset.split, training, place / "split");
  checkBatch(dataset, place / "batch");
}

}  // namespace parapet::experiment
