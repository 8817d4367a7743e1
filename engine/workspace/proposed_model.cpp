// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/proposed_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "engine/base/quoting.h"
#include "engine/base/text.h"
#include "engine/data/ingest/sources/corpus_source.h"
#include "engine/data/ingest/sources/text_input.h"
#include "engine/experiment/experiment.h"

namespace parapet::workspace {
namespace {

using data::SourceSurvey;
using experiment::Column;
using experiment::ColumnRole;
using experiment::Experiment;
using experiment::Feature;
using experiment::Layer;
using experiment::LayerKind;
using experiment::Tower;

constexpr std::int64_t kHistoryLength = 20;
// Rows of a user in the median; below it an embedding of his own is noise: a model learns his few
// training rows by heart and finds nothing else.
constexpr std::int64_t kRowsThatTellAUser = 20;
// Share of the rows; below it users do not want an item that they had again.
constexpr double kRepeats = 0.01;

/// By the number of items: more of them need more dimensions to be told apart, and a sharper softmax.
struct TowerSize {
  std::int64_t width;
  double temperature;
};
// Chosen on validation rows of MovieLens-100K and of generated events (docs/fidelity.md); widths and
// temperatures of more items are those that published models of such catalogues have.
TowerSize towerSize(std::int64_t items) {
  if (items < 100) return {32, 0.2};
  if (items < 500) return {64, 0.2};
  if (items <= 10'000) return {128, 0.2};
  if (items <= 100'000) return {128, 0.1};
  return {128, 0.07};
}

class ModelProposer {
 public:
  ModelProposer(Proposal& proposal, const SourceSurvey& survey, Feedback feedback,
                const std::vector<Column>& columns)
      : proposal_(proposal),
        out_(proposal.experiment),
        survey_(survey),
        feedback_(feedback),
        columns_(columns),
        size_(towerSize(survey.items)) {}

  void propose() {
    feedback_ == Feedback::kYesOrNo ? rankingFeatures() : towerFeatures();
    feedback_ == Feedback::kYesOrNo ? rankingModel() : towers();
    loss();
    optimizer();
    training();
    evaluation();
  }

 private:
  void say(std::string pointer, std::string reason) {
    proposal_.reasons.push_back({std::move(pointer), std::move(reason)});
  }
  [[nodiscard]] const Column* columnOf(ColumnRole role) const {
    const auto found = std::ranges::find(columns_, role, &Column::role);
    return found == columns_.end() ? nullptr : &*found;
  }
  /// Whether the cells of a column say something about users rather than items.
  [[nodiscard]] bool isOfQuery(const Column& column) const {
    if (column.role == ColumnRole::kUser || column.role == ColumnRole::kContext) return true;
    if (column.role == ColumnRole::kItem) return false;
    const auto found =
        std::ranges::find(survey_.columns, column.originName(), &data::ColumnSurvey::name);
    return found == survey_.columns.end() || found->followsUser || !found->followsItem;
  }
  [[nodiscard]] std::int64_t distinctOf(const Column& column) const {
    const auto found =
        std::ranges::find(survey_.columns, column.originName(), &data::ColumnSurvey::name);
    return found == survey_.columns.end() ? 0 : found->distinct;
  }

  void addTable(const std::string& vocabulary, std::int64_t width) {
    if (std::ranges::find(out_.tables, vocabulary, &experiment::Table::name) != out_.tables.end())
      return;
    experiment::Table table;
    table.name = table.vocabulary = vocabulary;
    table.embeddingDim = width;
    out_.tables.push_back(std::move(table));
  }
  Feature& addFeature(const std::string& name, const Column& column, Tower tower) {
    Feature feature;
    feature.name = name;
    feature.column = column.name;
    feature.tower = tower;
    if (column.role == ColumnRole::kNumeric)
      feature.transform = experiment::NumericTransform::kStandardize;
    else
      feature.table = column.vocabularyName();
    return out_.features.emplace_back(std::move(feature));
  }

  /// All columns that models read; a history first among those of the query.
  void towerFeatures() {
    const Column& item = *columnOf(ColumnRole::kItem);
    for (const Column& column : columns_)
      if (experiment::holdsIds(column.role) && !isLeftToHistory(column))
        addTable(column.vocabularyName(), size_.width);
    say("/tables",
        fmt::format(
            "{} dimensions for {} items: all features of a tower are as wide, and are added "
            "up",
            size_.width, formatCount(survey_.items)));
    for (const Tower tower : {Tower::kQuery, Tower::kCandidate})
      for (const Column& column : columns_) {
        if (column.role == ColumnRole::kTime || isOfQuery(column) != (tower == Tower::kQuery))
          continue;
        const char* side = tower == Tower::kQuery ? "query" : "candidate";
        const char* kind = column.role == ColumnRole::kNumeric ? "numbers" : "ids";
        if (!isLeftToHistory(column)) {
          addFeature(fmt::format("{}/{}/{}", side, kind, column.name), column, tower);
          sayFeature(column);
        }
        if (column.role == ColumnRole::kUser) addHistory(item);
      }
  }

  void sayFeature(const Column& column) {
    const std::string pointer = fmt::format("/features/{}", out_.features.size() - 1);
    if (column.role == ColumnRole::kContext)
      say(pointer, fmt::format("the context {}, {} values, is known when recommendations are asked "
                               "for",
                               column.name, formatCount(distinctOf(column))));
    if (column.role == ColumnRole::kFeature || column.role == ColumnRole::kNumeric)
      say(pointer, fmt::format("{} is the same in every row of {}", column.name,
                               feedback_ == Feedback::kYesOrNo ? "the example"
                               : isOfQuery(column)             ? "a user"
                                                               : "an item"));
    if (column.role == ColumnRole::kNumeric)
      say(pointer + "/transform",
          "mean 0 and deviation 1 over the training rows, so that no number outweighs the others");
  }

  /// Whether the id of a user is no feature: with hardly any rows of each his items tell more of him.
  [[nodiscard]] bool isLeftToHistory(const Column& column) const {
    return column.role == ColumnRole::kUser && columnOf(ColumnRole::kTime) &&
           survey_.medianRowsOfUser < kRowsThatTellAUser;
  }

  void addHistory(const Column& item) {
    if (!columnOf(ColumnRole::kTime)) return;
    Feature& history = addFeature("query/ids/history", item, Tower::kQuery);
    // Parts that were given need not have been cut by time.
    const experiment::SplitKind kind = out_.dataset.split.kind;
    const bool heldOutIsLater =
        kind != experiment::SplitKind::kColumn && kind != experiment::SplitKind::kFiles;
    history.history = experiment::History{
        .length = kHistoryLength,
        .rows = heldOutIsLater ? experiment::HistoryRows::kAll : experiment::HistoryRows::kTrain};
    const std::string pointer = fmt::format("/features/{}/history", out_.features.size() - 1);
    say(pointer,
        fmt::format("rows have a time: the last {} items of the user before an example say what is "
                    "wanted next{}",
                    kHistoryLength,
                    isLeftToHistory(*columnOf(ColumnRole::kUser))
                        ? fmt::format("; {} rows of a user in the median are too few for an "
                                      "embedding of his own",
                                      formatCount(survey_.medianRowsOfUser))
                        : std::string()));
    say(pointer + "/rows",
        heldOutIsLater
            ? "what is held out comes after the training rows, so a history may know all before "
              "it, as when a list is asked for"
            : "training rows alone: the parts are given, and held-out rows may come before others");
  }

  /// Whether a query is the history and nothing else, so that one without a history would be zero.
  [[nodiscard]] bool isHistoryAlone() const {
    return std::ranges::all_of(out_.features, [](const Feature& feature) {
      return feature.tower == Tower::kCandidate || feature.history.has_value();
    });
  }

  /// A layer whose bias is what users without a history want. Its weights begin at 0: the history itself
  /// is added beside it.
  [[nodiscard]] Layer usualQuery(const std::string& side) const {
    return {.kind = LayerKind::kDense,
            .name = side + "-usual",
            .inputs = {side + "/ids"},
            .units = size_.width,
            .initializer = {.kind = experiment::InitializerKind::kConstant, .value = 0.0}};
  }

  /// Features of a tower added up; numbers go through a layer first, to be as wide.
  [[nodiscard]] std::vector<Layer> layersOf(Tower tower, const std::string& side) const {
    std::int64_t ids = 0, numbers = 0;
    for (const Feature& feature : out_.features)
      if (feature.tower == tower) ++(feature.table.empty() ? numbers : ids);
    std::vector<Layer> layers;
    if (numbers > 0)
      layers.push_back({.kind = LayerKind::kDense,
                        .name = side + "-numbers",
                        .inputs = {side + "/numbers"},
                        .units = size_.width});
    std::vector<std::string> inputs{side + "/ids"};
    if (numbers > 0) inputs.push_back(side + "-numbers");
    const bool isHistory = tower == Tower::kQuery && isHistoryAlone();
    if (isHistory) {
      layers.push_back(usualQuery(side));
      inputs.push_back(*layers.back().name);
    }
    if (ids + numbers > 1 || isHistory)
      layers.push_back({.kind = LayerKind::kAdd, .inputs = inputs});
    return layers;
  }

  void towers() {
    out_.model.kind = experiment::ModelKind::kRetrieval;
    out_.model.query = layersOf(Tower::kQuery, "query");
    out_.model.candidate = layersOf(Tower::kCandidate, "candidate");
    out_.model.score = experiment::Score::kCosine;
    say("/model/kind", "two towers: lists of the whole catalogue are asked for");
    if (isHistoryAlone())
      say("/model/query/0", "a layer over the history, whose bias is what users without one want");
    say("/model/score", "cosine: popular items do not win by their length, and no decay is needed");
    if (feedback_ != Feedback::kRatings) return;
    experiment::Head head;
    head.name = "rating";
    head.inputs = {"query", "candidate"};
    head.layers = {{.kind = LayerKind::kDense,
                    .units = size_.width,
                    .activation = experiment::Activation::kRelu},
                   {.kind = LayerKind::kDense, .units = 1}};
    head.loss.kind = experiment::LossKind::kMse;
    out_.model.heads = {std::move(head)};
    say("/model/heads/0",
        "labels are ratings: a head learns them by squared error, while the score learns which "
        "items "
        "are rated at all");
  }

  void rankingFeatures() {
    constexpr std::int64_t kWidth = 16;
    for (const Column& column : columns_)
      if (experiment::holdsIds(column.role)) addTable(column.vocabularyName(), kWidth);
    say("/tables", fmt::format("{} dimensions: layers above them do the rest", kWidth));
    for (const Column& column : columns_) {
      if (column.role == ColumnRole::kTime) continue;
      const char* kind = column.role == ColumnRole::kNumeric ? "numbers" : "ids";
      addFeature(fmt::format("{}/{}", kind, column.name), column,
                 isOfQuery(column) ? Tower::kQuery : Tower::kCandidate);
      if (column.role == ColumnRole::kNumeric)
        say(fmt::format("/features/{}/transform", out_.features.size() - 1),
            "mean 0 and deviation 1 over the training rows, so that no number outweighs the "
            "others");
    }
  }

  void rankingModel() {
    using experiment::Activation;
    out_.model.kind = experiment::ModelKind::kRanking;
    out_.model.layers = {{.kind = LayerKind::kDense, .units = 64, .activation = Activation::kRelu},
                         {.kind = LayerKind::kDense, .units = 32, .activation = Activation::kRelu},
                         {.kind = LayerKind::kDense, .units = 1}};
    say("/model/kind",
        "labels say yes or no for rows that were shown: a ranking model reads all of a row at "
        "once");
  }

  void loss() {
    experiment::Loss& loss = out_.loss;
    if (feedback_ == Feedback::kYesOrNo) {
      loss.kind = experiment::LossKind::kBce;
      say("/loss/kind", "labels are 0 or 1: scores become probabilities by cross entropy");
      return;
    }
    loss.kind = experiment::LossKind::kInBatchSoftmax;
    // Where pairs come again chance decides more of the next one, and scores need less contrast.
    constexpr double kSofter = 1.75;
    const bool repeats = survey_.repeatedShare() >= kRepeats;
    loss.temperature.initial =
        std::round(1000.0 * size_.temperature * (repeats ? kSofter : 1.0)) / 1000.0;
    loss.logQ = experiment::LogQ::kStandard;
    loss.accidentalHits = experiment::AccidentalHits::kMask;
    say("/loss/kind",
        feedback_ == Feedback::kRatings
            ? "the items of the batch are the negatives of each query; all rated items are wanted "
              "ones"
            : "there are no negatives: the items of the batch are those of each query");
    say("/loss/temperature", fmt::format("{} suits cosines over {} items{}",
                                         loss.temperature.initial, formatCount(survey_.items),
                                         repeats ? " of which users have the same again" : ""));
    say("/loss/log_q",
        "popular items come as negatives more often; the logarithm of their share corrects it");
    say("/loss/accidental_hits", "the query's own item, drawn for another row, is no negative");
  }

  void optimizer() {
    out_.optimizer = {.kind = experiment::OptimizerKind::kAdam};
    const bool ranks = feedback_ == Feedback::kYesOrNo;
    out_.optimizer.learningRate = ranks ? 0.001 : survey_.rowsExpected > 2'000'000 ? 0.003 : 0.01;
    say("/optimizer/learning_rate", fmt::format("Adam with {}, {}", out_.optimizer.learningRate,
                                                ranks ? "its usual rate for layers"
                                                      : "at which embeddings learn in few epochs"));
    say("/optimizer/weight_decay",
        ranks ? "none; early stopping ends a run that overfits" : "none: the cosine bounds scores");
  }

  void training() {
    const bool large = survey_.rowsExpected > 2'000'000;
    const bool ranks = feedback_ == Feedback::kYesOrNo;
    const std::int64_t patience = large || ranks ? 2 : 5;
    out_.training.epochs = large ? 10 : 50;
    out_.training.validateEvery = 1;
    const std::string metric = ranks ? "val_loss" : fmt::format("val_ndcg@{}", proposedK());
    out_.training.earlyStopping =
        experiment::EarlyStopping{.metric = metric, .patience = patience, .minDelta = 0.0};
    out_.training.checkpoints.best = metric;
    say("/training/epochs",
        fmt::format("at most {}: early stopping ends the run when {} has not improved {} times",
                    out_.training.epochs, metric, patience));
    say("/training/checkpoints/best",
        fmt::format("the epoch with the best {} is kept: `evaluate --checkpoint best`", metric));
  }

  /// The first label in the upper quarter of a scale of few values: 4 of five stars. A scale of
  /// small numbers begins at 1 at the latest, though nobody may have given it.
  void relevance() {
    const std::string label = out_.dataset.label.column.value_or("");
    const auto cells = std::ranges::find(survey_.columns, label, &data::ColumnSurvey::name);
    if (feedback_ != Feedback::kRatings || cells == survey_.columns.end()) return;
    if (cells->values.size() < 2) {
      say("/evaluation/relevance_threshold",
          fmt::format("{} has {} different values, and none of them is known to mean that an item "
                      "is wanted: every held-out row counts",
                      printable(label), formatCount(cells->distinct)));
      return;
    }
    constexpr double kMaxGrade = 10.0;
    const double low = cells->most <= kMaxGrade ? std::min(cells->least, 1.0) : cells->least;
    const double from = std::max(cells->values[1], low + 0.75 * (cells->most - low) - 1e-9);
    const double threshold = *std::ranges::lower_bound(cells->values, from);
    out_.evaluation.relevanceThreshold = threshold;
    say("/evaluation/relevance_threshold",
        fmt::format("{} goes from {:.6g} to {:.6g}: lists are to find what was rated {:.6g} or "
                    "more, the upper quarter of the scale; null counts every row as wanted",
                    printable(label), cells->least, cells->most, threshold));
  }

  [[nodiscard]] std::int64_t proposedK() const {
    return std::clamp<std::int64_t>(survey_.items / 2, 1, 10);
  }

  void evaluation() {
    if (feedback_ == Feedback::kYesOrNo) return;
    constexpr std::int64_t kMaxQueries = 10'000;
    experiment::Evaluation& evaluation = out_.evaluation;
    // Half of the catalogue is no list any more.
    evaluation.k = {proposedK()};
    for (const std::int64_t k : {20, 100})
      if (2 * k <= survey_.items) evaluation.k.push_back(k);
    if (evaluation.k.size() < 3)
      say("/evaluation/k",
          fmt::format("lists of at most half of the {} items", formatCount(survey_.items)));
    evaluation.excludeSeen = survey_.repeatedShare() < kRepeats;
    // A list without what the user had cannot hold a pair that came before.
    if (evaluation.excludeSeen) evaluation.seenPairs = experiment::SeenPairs::kDrop;
    say("/evaluation/exclude_seen",
        fmt::format("{:.1f} % of the rows repeat the user and item of an earlier one: {}",
                    100.0 * survey_.repeatedShare(),
                    evaluation.excludeSeen ? "what a user had is not wanted again"
                                           : "what a user had is wanted again"));
    relevance();
    if (survey_.users <= 2 * kMaxQueries) return;
    evaluation.sample = kMaxQueries;
    say("/evaluation/sample",
        fmt::format("{} of the held-out queries measure as well as all of them",
                    formatCount(kMaxQueries)));
  }

  Proposal& proposal_;
  Experiment& out_;
  const SourceSurvey& survey_;
  const Feedback feedback_;
  const std::vector<Column>& columns_;
  const TowerSize size_;
};

namespace fs = std::filesystem;

constexpr const char* kRecipe = "bert-tiny-mlm";
constexpr std::int64_t kLongLine = 101;  // bytes: longer than headings

/// Whether headings and fragments stand among the lines of a file.
bool mixesLongAndShort(const data::CorpusFile& file) {
  constexpr int kLines = 200;
  const auto input = data::openCorpusFile(file);
  data::Source::Piece piece;
  if (!input) return false;
  if (const auto more = (*input)->next(piece); !more || !*more) return false;
  int lines = 0, longOnes = 0;
  std::string_view rest = piece.text;
  for (int read = 0; read < 4 * kLines && lines < kLines && !rest.empty(); ++read) {
    const std::string_view line = data::takeLine(rest);
    if (line.find_first_not_of(" \r\t") == line.npos) continue;
    ++lines;
    longOnes += static_cast<std::int64_t>(line.size()) >= kLongLine ? 1 : 0;
  }
  return 4 * longOnes >= lines && longOnes < lines;
}

std::string fileNamesOf(const data::CorpusFiles& corpus) {
  std::string names;
  for (const data::CorpusFile& file : corpus.files)
    names += (names.empty() ? "" : ", ") + file.name;
  return names;
}

void proposeTexts(Proposal& proposal, const experiment::Dataset& corpus) {
  experiment::Dataset& spec = proposal.experiment.dataset;
  const auto say = [&proposal](const char* pointer, std::string reason) {
    proposal.reasons.push_back({pointer, std::move(reason)});
  };
  spec.path = corpus.path;
  const auto files = data::findCorpus(corpus);
  say("/dataset/source", files ? fmt::format("lines of text: {}", fileNamesOf(*files))
                               : "lines of text, which have neither users nor items");
  const bool found = !corpus.text->vocabulary.empty();
  spec.text->vocabulary = found ? corpus.text->vocabulary : "vocab.txt";
  spec.text->lowercase = corpus.text->lowercase;
  const fs::path path(*corpus.path);
  std::error_code ignored;
  const fs::path folder = fs::is_directory(path, ignored) ? path : path.parent_path();
  if (!found)
    proposal.commandBefore =
        fmt::format("parapet-cli vocabulary {} --size 8000 --out {}", shellWord(path.string()),
                    shellWord((folder / "vocab.txt").string()));
  say("/dataset/text/vocabulary",
      found ? fmt::format("{} lies beside the texts", spec.text->vocabulary)
            : fmt::format("no vocabulary of tokens lies beside the texts; train one: `{}`",
                          proposal.commandBefore));
  say("/dataset/text/lowercase", spec.text->lowercase
                                     ? "lower case: fewer tokens for the same words"
                                     : "the name of the vocabulary says that it has capitals");
  const bool mixed =
      files && files->files.front().archive.empty() && mixesLongAndShort(files->files.front());
  spec.text->minBytes = mixed ? kLongLine : 0;
  say("/dataset/text/min_bytes",
      mixed ? "shorter lines are headings and fragments" : "all lines: they are of like length");
  if (files && files->files.front().trainingLines > 0)
    say("/dataset/split", files->warnings.front());
  else
    say("/dataset/split", "by the files of the corpus");
}

void sayModel(Proposal& proposal) {
  const Experiment& out = proposal.experiment;
  const auto say = [&proposal](const char* pointer, std::string reason) {
    proposal.reasons.push_back({pointer, std::move(reason)});
  };
  say("/dataset/text/max_length",
      fmt::format("{} tokens: attention grows with their square", out.dataset.text->maxLength));
  say("/model/kind", "texts have no labels: the model predicts tokens that are masked");
  say("/model/masking", "15 % of the tokens, as BERT was trained");
  say("/model/layers",
      fmt::format("those of the recipe {}: two blocks learn on a CPU in minutes", kRecipe));
  say("/training/epochs", fmt::format("{}, as the recipe", out.training.epochs));
}

}  // namespace

// A batch of sequences has about as many rows as the one of rows had.
bool addSequence(experiment::Experiment& experiment) {
  using experiment::Layer;
  using experiment::LayerKind;
  const auto sum = std::ranges::find_if(experiment.model.query, [](const Layer& layer) {
    return layer.kind == LayerKind::kAdd &&
           std::ranges::find(layer.inputs, "query/ids") != layer.inputs.end();
  });
  if (sum == experiment.model.query.end()) return false;
  const auto history = std::ranges::find_if(
      experiment.features, [](const auto& each) { return each.history.has_value(); });
  if (history == experiment.features.end()) return false;
  sum->inputs.emplace_back("sequence/read");
  experiment::Table table =
      *std::ranges::find(experiment.tables, history->table, &experiment::Table::name);
  table.name = history->table + "-sequence";
  experiment::Feature feature{
      .name = "sequence/items", .column = history->column, .table = table.name};
  feature.history = history->history;
  feature.history->length = kSequenceItems;
  feature.sequence = true;
  Layer block{.kind = LayerKind::kTransformerBlock,
              .units = table.embeddingDim,
              .activation = experiment::Activation::kGelu,
              .rate = 0.2,
              .epsilon = 1e-8,
              .heads = 2,
              .causal = true};
  Layer position{.kind = LayerKind::kPosition, .inputs = {feature.name}};
  position.initializer = {.kind = experiment::InitializerKind::kTruncatedNormal, .stddev = 0.02};
  const std::vector<Layer> layers{
      position,
      block,
      block,
      {.kind = LayerKind::kLayerNorm, .epsilon = 1e-8},
      {.kind = LayerKind::kPool, .name = "sequence/read", .by = experiment::PoolKind::kLast}};
  experiment.model.query.insert(experiment.model.query.begin(), layers.begin(), layers.end());
  experiment.features.push_back(std::move(feature));
  experiment.tables.push_back(std::move(table));
  experiment.training.objective = experiment::Objective::kAllPositions;
  experiment.dataset.batch.size = std::max<std::int64_t>(1, *experiment.dataset.batch.size / 64);
  experiment.loss.kind = experiment::LossKind::kSampledSoftmax;
  experiment.loss.logQ = experiment::LogQ::kOff;
  experiment.loss.extraNegatives = experiment::ExtraNegatives{};
  // Uniform negatives are easier than popular ones, so a sharper softmax is wanted.
  experiment.loss.temperature.initial /= 2.0;
  experiment.optimizer.learningRate /= 10.0;
  return true;
}

void proposeModel(Proposal& proposal, const SourceSurvey& survey, Feedback feedback,
                  const std::vector<Column>& columns) {
  ModelProposer(proposal, survey, feedback, columns).propose();
}

Result<Proposal> proposeLanguageModel(const experiment::Dataset& corpus) {
  PARAPET_ASSIGN(const experiment::Recipe recipe, experiment::findRecipe(kRecipe));
  PARAPET_ASSIGN(const auto document, experiment::parseJson(recipe.text, recipe.name));
  Proposal proposal;
  proposal.experiment = experiment::parse(document).experiment;
  proposeTexts(proposal, corpus);
  sayModel(proposal);
  return proposal;
}

}  // namespace parapet::workspace
