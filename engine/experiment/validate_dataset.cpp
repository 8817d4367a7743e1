// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include "engine/base/text.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

// Shares such as 0.8 + 0.1 + 0.1 do not sum to exactly 1.
constexpr double kShareTolerance = 1e-9;

void checkOovPolicy(const Vocabulary& vocabulary, const Location& at) {
  if (vocabulary.kind == VocabularyKind::kHash) return;
  const std::int64_t buckets =
      vocabulary.oovKind() == OovKind::kBuckets ? vocabulary.oovBuckets : 0;
  if (buckets > 0 && vocabulary.size.kind == VocabularySize::Kind::kFixed &&
      vocabulary.size.fixed < buckets + 2)
    (at / "size")
        .problem(fmt::format("row 0 and {} oov_buckets leave no row of {} for a known id", buckets,
                             vocabulary.size.fixed),
                 fmt::format("at least {}", buckets + 2));
  if (buckets == 0 && vocabulary.oovBuckets != Vocabulary{}.oovBuckets)
    (at / "oov_buckets").warning("not used: oov is not \"buckets\"", "oov \"buckets\"");
  if (vocabulary.oov == OovKind::kError && vocabulary.kind == VocabularyKind::kCompressed &&
      vocabulary.minCount > 1)
    (at / "oov")
        .problem(fmt::format("lines with ids of fewer than {} rows would be rejected, which is "
                             "known only at the end",
                             vocabulary.minCount),
                 "\"row\", \"buckets\", or min_count 1");
}

void checkVocabularies(const Dataset& dataset, const DocumentIndex& names,
                       const Location& location) {
  refuseDuplicateNames(dataset.vocabularies, location);
  std::vector<std::string> used;
  for (const std::string& column : names.idColumns)
    if (const std::string* vocabulary = names.vocabularyOf(column)) used.push_back(*vocabulary);
  const std::unordered_set<std::string_view> isUsed(used.begin(), used.end());
  for (std::size_t index = 0; index < dataset.vocabularies.size(); ++index) {
    const Vocabulary& vocabulary = dataset.vocabularies[index];
    const Location at = location / index;
    if (!vocabulary.name.empty() && !isUsed.contains(vocabulary.name) && names.unreadRoles.empty())
      (at / "name")
          .problem("no id column has the vocabulary \"" + vocabulary.name + "\"" +
                       hint(vocabulary.name, used, at),
                   used.empty() ? "a column of ids; there is none" : oneOf(used));
    const auto size = vocabulary.size.kind;
    const bool ofDirectIds = size == VocabularySize::Kind::kMaxPlusOne ||
                             size == VocabularySize::Kind::kCataloguePlusOne;
    if (vocabulary.kind == VocabularyKind::kCompressed && ofDirectIds)
      (at / "size")
          .problem("this size needs direct ids, and kind is \"compressed\"",
                   "\"auto\" or a number of rows");
    if (vocabulary.kind == VocabularyKind::kHash && size != VocabularySize::Kind::kFixed)
      (at / "size").problem("kind \"hash\" needs a number of rows", "a number of rows");
    checkOovPolicy(vocabulary, at);
  }
}

void checkRoles(const std::vector<Column>& columns, const DocumentIndex& names,
                const Location& location) {
  if (columns.empty() || names.isText()) return;
  for (const auto& [role, name, needed] :
       {std::tuple{ColumnRole::kUser, "user", true}, std::tuple{ColumnRole::kItem, "item", true},
        std::tuple{ColumnRole::kTime, "time", false}}) {
    const auto count = std::ranges::count(columns, role, &Column::role);
    if (count > 1 || (count == 0 && needed && names.unreadRoles.empty()))
      location.problem(fmt::format("{} columns have the role \"{}\"", count, name),
                       needed ? "exactly one" : "at most one");
  }
}

void checkColumns(const Dataset& dataset, const DocumentIndex& names, const Location& location) {
  refuseDuplicateNames(dataset.columns, location / "columns");
  checkRoles(dataset.columns, names, location / "columns");
  for (std::size_t index = 0; index < dataset.columns.size(); ++index) {
    const Column& column = dataset.columns[index];
    const Location at = location / "columns" / index;

    if (column.weights && !column.separator)
      (at / "weights")
          .problem("weights need several ids per cell, and separator is null",
                   "a separator, or null");
    if (column.weights && column.weights == column.separator)
      (at / "weights").problem("it is the separator as well", "another text");
  }
  std::unordered_set<std::string_view> timed;
  for (std::size_t index = 0; index < dataset.times.size(); ++index)
    if (!timed.insert(dataset.times[index].column).second)
      (location / "times" / index / "column")
          .problem("the column \"" + dataset.times[index].column + "\" has an entry already",
                   "one entry per column");
  refuseDuplicateNames(dataset.derived, location / "derived");
  for (std::size_t index = 0; index < dataset.derived.size(); ++index) {
    const std::vector<double>& bounds = dataset.derived[index].bounds;
    const bool ascend = std::ranges::adjacent_find(bounds, std::greater_equal<>()) == bounds.end();
    if (!ascend)
      (location / "derived" / index / "bounds")
          .problem("the bounds do not ascend", "ascending numbers");
    if (dataset.derived[index].kind == DerivedKind::kBuckets && bounds.empty())
      (location / "derived" / index / "bounds")
          .problem("buckets need bounds", "at least one number");
  }
}

bool isNpy(const std::string& path) {
  return toLowerAscii(path).ends_with(".npy");
}

// Files beside the data.
void checkSideFiles(const Dataset& dataset, const DocumentIndex& names, const Location& location) {
  for (std::size_t index = 0; index < dataset.catalogues.size(); ++index) {
    const Catalogue& catalogue = dataset.catalogues[index];
    const Location at = location / "catalogues" / index;
    const auto first = dataset.catalogues.begin();
    const auto self = first + static_cast<std::ptrdiff_t>(index);
    if (std::any_of(first, self, [&](const Catalogue& other) {
          return other.of == catalogue.of && other.path == catalogue.path;
        }))
      (at / "path").problem("this file is a catalogue of the same ids already", "another file");
    if (!catalogue.columns) continue;
    std::unordered_set<std::string_view> seen;
    for (std::size_t c = 0; c < catalogue.columns->size(); ++c)
      if (const std::string& name = (*catalogue.columns)[c]; !seen.insert(name).second)
        (at / "columns" / c)
            .problem(fmt::format("\"{}\" is there already", name), "each name once");
  }
  refuseDuplicateNames(dataset.vectors, location / "vectors");
  for (std::size_t index = 0; index < dataset.vectors.size(); ++index) {
    const PretrainedEmbeddings& vectors = dataset.vectors[index];
    const Location at = location / "vectors" / index;
    requireNamed(names.vocabularies, vectors.of, "vocabulary", at / "of");
    if (vectors.column && isNpy(vectors.path))
      (at / "column").warning("not used: a NumPy array has no columns", "null");
    if (vectors.ids && !isNpy(vectors.path))
      (at / "ids").warning("not used: the file has a column of ids", "null");
  }
}

void checkFormat(const Dataset& dataset, const Location& location) {
  if (!dataset.format) return;
  const TextFormat& format = *dataset.format;
  if (format.decimal && format.decimal != "." && format.decimal != ",")
    (location / "decimal")
        .problem("no decimal mark: \"" + *format.decimal + "\"", "\".\", \",\" or null");
  if (format.decimal && format.decimal == format.delimiter)
    (location / "decimal")
        .problem("the decimal mark is the delimiter", "another delimiter, or another decimal mark");
  if (!format.quote || !format.delimiter) return;
  if (format.delimiter->find(*format.quote) != std::string::npos)
    (location / "delimiter")
        .problem("the delimiter contains the quote", "another delimiter, or null as the quote");
}

void checkLabel(const Dataset& dataset, const Location& location) {
  if (!dataset.label.column && dataset.label.scale)
    (location / "label" / "scale")
        .problem("there is no label column to scale: every label is 1", "null");
  if (dataset.source == SourceKind::kGenerated && dataset.path)
    (location / "path").warning("not used: the data are generated", "null");
}

// Rows per user: no shares.
void checkAmountsOfUsers(const Split& split, const Location& location) {
  double shares = 0.0;
  for (const auto& [name, amount] :
       {std::pair{"validation", &split.validation}, std::pair{"test", &split.test}}) {
    if (!amount->isRatio) continue;
    shares += amount->value;
    if (shares >= 1.0)
      (location / name)
          .problem(amount->value == 1.0
                       ? "1.0 is a share, all rows of a user; 1 would be one row"
                       : fmt::format("{} of the rows of every user are held out", shares),
                   "a number of rows per user, or shares below 1.0 together");
  }
}

void checkTemporal(const Experiment& experiment, const DocumentIndex& names,
                   const Location& location) {
  const Dataset& dataset = experiment.dataset;
  const bool timed =
      dataset.columns.empty() || !names.unreadRoles.empty() ||
      std::ranges::find(dataset.columns, ColumnRole::kTime, &Column::role) != dataset.columns.end();
  const Split& split = dataset.split;
  const bool needsTime = split.kind == SplitKind::kTemporal ||
                         (split.kind == SplitKind::kLeaveLast && split.order == EventOrder::kTime);
  const bool isOrdered = std::ranges::any_of(experiment.features, [](const Feature& feature) {
    return feature.history && feature.history->order == EventOrder::kData;
  });
  if (needsTime && !timed && isOrdered && split.kind == SplitKind::kLeaveLast)
    (location / "order")
        .warning("rows have no time: the last of a user are those furthest down, as in its history",
                 "\"data\"");
  else if (needsTime && !timed)
    (location / "kind")
        .problem("rows have no time: no column has the role \"time\"",
                 split.kind == SplitKind::kLeaveLast
                     ? "a column of times, \"order\": \"data\", or \"random\" or \"leave_random\""
                     : "a column of times, or \"random\" or \"leave_random\"");
}

// Counts, or shares of all rows or of all batches.
void checkAmounts(const Split& split, const Location& location) {
  const std::array parts{std::pair{"train", &split.train},
                         std::pair{"validation", &split.validation},
                         std::pair{"test", &split.test}};
  bool counts = false;
  bool shares = false;
  double sum = 0.0;
  std::string one;  // pointer of the count 1, which is easily meant as the share 1.0
  for (const auto& [name, amount] : parts) {
    if (amount->value <= 0.0) continue;
    (amount->isRatio ? shares : counts) = true;
    sum += amount->value;
    if (!amount->isRatio && amount->value == 1.0) one = name;
  }
  const std::string unit = split.kind == SplitKind::kBatches ? "batch" : "row";
  if (counts && shares)
    location.problem(one.empty() ? "counts and shares are mixed"
                                 : fmt::format("counts and shares are mixed: {} 1 is one {}, and "
                                               "1.0 would be all of them",
                                               one, unit),
                     "three counts, or three shares that sum to at most 1.0");
  if (shares && !counts && sum > 1.0 + kShareTolerance)
    location.problem(fmt::format("the shares sum to {:.6g}", sum), "shares that sum to at most 1");
  if (shares && !counts && sum < 1.0 - kShareTolerance)
    location.warning(fmt::format("{:.3g} % of the {} are in no part", 100.0 * (1.0 - sum),
                                 split.kind == SplitKind::kBatches ? "batches" : "rows"));
  if (counts && !shares && one == "train")
    (location / "train")
        .warning(fmt::format("1 is one {}; the share of all of them is written 1.0", unit), "1.0");
}

// A file for each part.
void checkSplitFiles(const Dataset& dataset, const Training& training, const Location& location) {
  const Split& split = dataset.split;
  const SourceKind source = dataset.source;
  if (source != SourceKind::kCsv && source != SourceKind::kJson && source != SourceKind::kParquet)
    (location / "kind")
        .problem(fmt::format("the source \"{}\" is no file for each part", sourceName(source)),
                 "the source \"csv\", \"json\" or \"parquet\"");
  if (!split.trainFile) (location / "train").problem("no file of training rows is named", "a path");
  const bool draws = split.validation.value > 0.0;
  if (!split.validationFile && !split.testFile && !draws)
    (location / "validation")
        .problem("neither validation nor test has a file: nothing can be measured",
                 "a path here or at test, or validation_rows");
  else if (!split.validationFile && !draws && training.validateEvery > 0)
    (location / "validation_rows")
        .warning("there is no validation row: nothing is measured during training", "0.1");
  refuseSharedFiles(split, location);
  if (dataset.slice)
    (location / "kind")
        .problem("a slice counts the rows of one source, and each part has its own",
                 "another kind of split, or slice null");
}

void checkSplit(const Experiment& experiment, const DocumentIndex& names,
                const Location& location) {
  const Dataset& dataset = experiment.dataset;
  const Training& training = experiment.training;
  const Split& split = dataset.split;
  if (split.kind == SplitKind::kFiles && dataset.isText()) return;  // validateText()
  if (split.kind == SplitKind::kFiles) return checkSplitFiles(dataset, training, location);
  if (split.kind == SplitKind::kColumn) return;  // the rows tell
  const bool ofUsers = split.kind == SplitKind::kLeaveLast || split.kind == SplitKind::kLeaveRandom;
  if (split.kind == SplitKind::kRandom || split.kind == SplitKind::kBatches)
    checkAmounts(split, location);
  if (ofUsers) checkAmountsOfUsers(split, location);
  checkTemporal(experiment, names, location);
  const bool ownTrain = split.kind == SplitKind::kRandom || split.kind == SplitKind::kBatches;
  if (ownTrain && split.train.value <= 0.0)
    (location / "train").problem("there is no training row", "a share, or at least one row");
  if (split.kind == SplitKind::kBatches && dataset.batch.shuffle != BatchOrder::kEpoch)
    (location / "kind")
        .warning("the batches of a reshuffled set differ every epoch, whatever shuffle says");
  const bool timedValidation = split.kind == SplitKind::kTemporal && split.validationSeconds;
  if (timedValidation ? *split.validationSeconds == 0 : split.validation.value <= 0.0)
    if (training.validateEvery > 0)
      (location / "validation")
          .warning("there is no validation row: nothing is measured during training");
}

void checkBatch(const Dataset& dataset, const Location& location) {
  const Batch& batch = dataset.batch;
  if (batch.size.has_value() == batch.perDevice.has_value())
    location.problem(
        batch.size ? "size and per_device are both given" : "neither size nor per_device is given",
        "exactly one of size and per_device");
  if (batch.groupSize && dataset.split.kind == SplitKind::kBatches)
    (location / "group_size")
        .problem("batches of a reshuffled set would split groups",
                 "another kind of split, or null");
  const SplitAmount& train = dataset.split.train;
  if (dataset.split.kind == SplitKind::kRandom && batch.dropRemainder && batch.size &&
      !train.isRatio && train.value > 0.0 && static_cast<double>(*batch.size) > train.value)
    (location / "size")
        .problem(
            fmt::format(
                "a batch of {} rows is never full with {} training rows, and drop_remainder is set",
                *batch.size, train.value),
            "a smaller batch, or drop_remainder false");
}

}  // namespace

void refuseSharedFiles(const Split& split, const Location& location) {
  const std::array parts{std::pair{"train", &split.trainFile},
                         std::pair{"validation", &split.validationFile},
                         std::pair{"test", &split.testFile}};
  for (std::size_t part = 1; part < parts.size(); ++part)
    for (std::size_t other = 0; other < part; ++other)
      if (*parts[part].second && *parts[part].second == *parts[other].second)
        (location / parts[part].first)
            .problem(fmt::format("it is the file of {} as well", parts[other].first),
                     "a file for each part");
}

bool Dataset::namesData() const {
  const bool files =
      split.kind == SplitKind::kFiles && split.trainFile && !split.trainFile->empty();
  return source == SourceKind::kGenerated || (path && !path->empty()) || files;
}

std::optional<ColumnRole> Dataset::roleOf(const std::string& column) const {
  if (columns.empty() && column == "user") return ColumnRole::kUser;
  if (columns.empty() && column == "item") return ColumnRole::kItem;
  const auto found = std::ranges::find(columns, column, &Column::name);
  return found == columns.end() ? std::nullopt : std::optional(found->role);
}

const std::string* Dataset::vocabularyOf(const std::string& column) const {
  static const std::string kUser = "user", kItem = "item";
  if (columns.empty()) return column == kUser ? &kUser : column == kItem ? &kItem : nullptr;
  const auto found = std::ranges::find(columns, column, &Column::name);
  if (found == columns.end() || !holdsIds(found->role)) return nullptr;
  return &found->vocabularyName();
}

std::vector<std::string> Dataset::idColumns() const {
  if (columns.empty()) return {"user", "item"};
  std::vector<std::string> names;
  for (const Column& column : columns)
    if (holdsIds(column.role)) names.push_back(column.name);
  return names;
}

std::vector<std::string> Dataset::numericColumns() const {
  std::vector<std::string> names;
  for (const Column& column : columns)
    if (column.role == ColumnRole::kNumeric) names.push_back(column.name);
  return names;
}

void validateDataset(const Experiment& experiment, const DocumentIndex& index,
                     const Location& root) {
  const Dataset& dataset = experiment.dataset;
  const Location location = root / "dataset";
  checkVocabularies(dataset, index, location / "vocabularies");
  checkColumns(dataset, index, location);
  checkSideFiles(dataset, index, location);
  checkFormat(dataset, location / "format");
  checkLabel(dataset, location);
  checkSplit(experiment, index, location / "split");
  checkBatch(dataset, location / "batch");
}

}  // namespace parapet::experiment
