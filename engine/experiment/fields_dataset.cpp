// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/fields.h"

namespace parapet::experiment {
namespace {

constexpr std::int64_t kMostRows = std::numeric_limits<std::int32_t>::max();

}  // namespace

template <>
const Record<Label>& recordOf<Label>() {
  static const auto record =
      Record<Label>()
          .field("column", &Label::column, text(), "Column that the model predicts.")
          .field("scale", &Label::scale, optional(interval()),
                 "[lo, hi]: lo becomes 0 and hi becomes 1. null: the values as they are.");
  return record;
}

template <>
const Record<Vocabulary>& recordOf<Vocabulary>() {
  static const auto record =
      Record<Vocabulary>()
          .field("name", &Vocabulary::name, pathName(), "Name; that of the column it encodes.")
          .required()
          .selector(
              "kind", &Vocabulary::kind,
              choice<VocabularyKind>({{"direct", VocabularyKind::kDirect},
                                      {"compressed", VocabularyKind::kCompressed}}),
              "direct: the raw id is the row. compressed: rows by descending frequency, row 0 "
              "for everything else.")
          .field("size", &Vocabulary::size, vocabularySize(),
                 "Rows: a number, \"max+1\" (largest id + 1), \"catalogue+1\" (entries of the "
                 "catalogue + 1) or \"auto\".")
          .field("min_count", &Vocabulary::minCount, integer({.min = 1}),
                 "Ids that occur less often become out-of-vocabulary.")
          .of({"compressed"});
  return record;
}

template <>
const Record<Split>& recordOf<Split>() {
  static const auto record =
      Record<Split>()
          .selector("kind", &Split::kind, choice<SplitKind>({{"random", SplitKind::kRandom}}),
                    "How rows are assigned to the parts. random: after one seeded shuffle.")
          .field("train", &Split::train, splitAmount(), "Training rows: a count, or a share.")
          .field("validation", &Split::validation, splitAmount(),
                 "Rows measured during training: a count, or a share.")
          .field("test", &Split::test, splitAmount(),
                 "Rows measured once, at the end: a count, or a share.")
          .field("seed", &Split::seed, optional(seedNumber()),
                 "Seed of the shuffle. null: that of the training.");
  return record;
}

template <>
const Record<Batch>& recordOf<Batch>() {
  static const auto record =
      Record<Batch>()
          .field("size", &Batch::size, optional(integer({.min = 1, .max = kMostRows})),
                 "Rows of a batch over all devices. Exactly one of size and per_device is given.")
          .field("per_device", &Batch::perDevice, optional(integer({.min = 1, .max = kMostRows})),
                 "Rows of a batch on each device.")
          .field("drop_remainder", &Batch::dropRemainder, boolean(),
                 "Leave out the last batch of an epoch if it is short.")
          .field("shuffle", &Batch::shuffle,
                 choice<BatchOrder>({{"once", BatchOrder::kOnce},
                                     {"epoch", BatchOrder::kEpoch},
                                     {"none", BatchOrder::kNone}}),
                 "once: the same shuffled batches every epoch. epoch: shuffled anew every epoch. "
                 "none: in the order of the data.")
          .field("cache", &Batch::cache, boolean(), "Keep gathered batches in memory.");
  return record;
}

template <>
const Record<Generator>& recordOf<Generator>() {
  static const auto record =
      Record<Generator>()
          .field("users", &Generator::users, integer({.min = 2, .max = kMostRows - 1}), "Users.")
          .field("items", &Generator::items, integer({.min = 2, .max = kMostRows - 1}), "Items.")
          .field("events", &Generator::events, integer({.min = 1, .max = kMostRows}),
                 "Ratings: rows of the data set.")
          .field("seed", &Generator::seed, seedNumber(), "Seed of the generated data.");
  return record;
}

template <>
const Record<Dataset>& recordOf<Dataset>() {
  static const auto record =
      Record<Dataset>()
          .selector(
              "source", &Dataset::source, word({"movielens", "generated"}),
              "Where rows come from. movielens: a MovieLens folder. generated: made on the spot "
              "from a seed.")
          .defaults([](Dataset& dataset) {
            dataset.generator =
                dataset.source == "generated" ? std::optional(Generator{}) : std::nullopt;
          })
          .field("path", &Dataset::path, optional(text()), "Folder of the source.")
          .field("generator", &Dataset::generator, orStandard(object<Generator>()),
                 "Settings of the generated data.")
          .of({"generated"})
          .field("label", &Dataset::label, object<Label>(), "What is predicted.")
          .field("weight", &Dataset::weight, optional(text()),
                 "Column of example weights. null: every row weighs 1.")
          .field("max_bad_share", &Dataset::maxBadShare, number({.min = 0.0, .max = 1.0}),
                 "The import fails if a larger share of the lines cannot be read.")
          .field("vocabularies", &Dataset::vocabularies, list(object<Vocabulary>()),
                 "How raw ids become rows of embedding tables, one entry per column.")
          .field("split", &Dataset::split, object<Split>(), "Which rows train, validate and test.")
          .field("batch", &Dataset::batch, object<Batch>(), "How training rows come in batches.");
  return record;
}

}  // namespace parapet::experiment
