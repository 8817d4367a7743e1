// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/held_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/experiment/metric_key.h"
#include "engine/experiment/query_context.h"
#include "engine/retrieval/prediction_metrics.h"
#include "engine/retrieval/row_baselines.h"
#include "engine/train/catalogue_lists.h"
#include "engine/train/evaluator.h"
#include "engine/train/masked_losses.h"
#include "engine/train/task.h"
#include "engine/workspace/comparison.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;
using experiment::LossKind;
using retrieval::QuerySums;

constexpr double kSignificantErrors = 3.0;

/// The error of a row that orders runs as a metric of all rows does: 0 its loss; 1 its absolute error,
/// or with logits and tokens whether it is right. Rows of tokens are masked ones. nullopt: none.
std::optional<std::size_t> rowErrorOf(const std::string& metric, LossKind loss) {
  if (metric == "loss") return 0;
  const auto& errors = experiment::traitsOf(loss).rowErrors;
  const auto found = std::ranges::find(errors, metric);
  return found == errors.end() || metric.empty() ? std::nullopt
                                                 : std::optional(found - errors.begin());
}

/// The loss of a row if it is one of the score alone and without weights: means over rows are those
/// of the metrics then.
std::optional<LossKind> rowLossOf(const OpenedRun& opened) {
  const auto& heads = opened.session->model().heads;
  const experiment::Loss& loss = heads[0].loss;
  if (experiment::isOfTokens(loss.kind)) return loss.kind;
  if (!experiment::isRowwise(loss.kind) || heads.size() > 1 ||
      loss.reduction == experiment::Reduction::kSum || opened.experiment.dataset.weight)
    return std::nullopt;
  return loss.kind;
}

Result<std::shared_ptr<const QuerySums>> measureRows(OpenedRun& opened, LossKind loss,
                                                     experiment::SplitPart part,
                                                     const WorkContext& context) {
  train::Session& session = *opened.session;
  const std::string& users = session.model().queryColumn;
  auto sums = std::make_shared<QuerySums>(2, opened.dataset->vocabularyOf(users).size());
  const auto loader = session.loader(opened.split, part, {users});
  loader->begin(1);
  while (const data::Batch* batch = loader->next(context.stop)) {
    PARAPET_TRY(session.evaluate(*batch));
    for (std::size_t row = 0; row < static_cast<std::size_t>(batch->rows); ++row) {
      const double predicted = static_cast<double>(session.predictions(0)[row]),
                   label = static_cast<double>(batch->labels[row]);
      const double other = experiment::traitsOf(loss).takesLogits
                               ? ((predicted >= 0.0) == (label >= 0.5) ? 1.0 : 0.0)
                               : std::abs(predicted - label);
      const std::array<double, 2> values{retrieval::rowLoss(loss, predicted, label), other};
      sums->add(batch->features.back().ids[row], values);
    }
  }
  return std::shared_ptr<const QuerySums>(std::move(sums));
}

Result<std::shared_ptr<const QuerySums>> measureLines(OpenedRun& opened, experiment::SplitPart part,
                                                      const WorkContext& context) {
  train::MaskedLosses losses(*opened.session, opened.split, part);
  PARAPET_ASSIGN(auto sums, losses.sumsOfLines(context));
  return sums ? std::make_shared<const QuerySums>(std::move(*sums)) : nullptr;
}

Result<retrieval::CatalogueRanking::Measured> rankHeldOut(OpenedRun& opened,
                                                          const Experiment& protocol,
                                                          experiment::SplitPart part,
                                                          const WorkContext& context) {
  Experiment experiment = opened.experiment;
  experiment.evaluation = protocol.evaluation;
  experiment.training.seed = protocol.training.seed;  // of samples
  const nn::Model& model = opened.session->model();
  const retrieval::Interactions interactions(*opened.dataset, model.queryColumn,
                                             model.candidateColumn, opened.split, context.stop);
  train::CatalogueLists lists(*opened.session, experiment, opened.split, interactions, part);
  return lists.rank(context);
}

/// By the protocol of the run itself.
Result<std::vector<experiment::Metric>> evaluateHeldOut(OpenedRun& opened,
                                                        experiment::SplitPart part,
                                                        const std::string& prefix,
                                                        const WorkContext& context) {
  const auto interactions = train::Task::of(opened.experiment.model.kind)
                                .interactions(*opened.session, opened.split, context.stop);
  train::Evaluator evaluator(*opened.session, opened.experiment, opened.split, interactions.get(),
                             part);
  PARAPET_ASSIGN(auto measured, evaluator.measure(prefix, opened.manifest.epoch, context));
  return std::move(measured.metrics);
}

/// The protocol is that of the first run; of a model in a context rows are queries for all.
Result<Experiment> protocolOf(Shared& shared, const std::vector<std::string>& runs) {
  std::optional<Experiment> protocol;
  bool byExample = false;
  for (const std::string& run : runs) {
    PARAPET_ASSIGN(const store::RunRecord record, shared.store->find(run));
    PARAPET_ASSIGN(const Experiment experiment, parseStored(record));
    byExample =
        byExample || experiment::evaluationUnit(experiment) == experiment::EvaluationUnit::kExample;
    if (!protocol) protocol = experiment;
  }
  protocol->evaluation.segments.clear();
  if (byExample) {
    protocol->evaluation.unit = experiment::EvaluationUnit::kExample;
    protocol->evaluation.protocol.reset();  // asks for users
  }
  return *protocol;
}

/// The settings that must be equal for two runs to have the same held-out rows.
struct Rows {
  std::string dataset;
  data::RowBits train, heldOut;
};

std::string whyOthers(const Rows& rows, const std::optional<Rows>& first,
                      experiment::SplitPart part) {
  if (first && rows.dataset != first->dataset) return "the data sets differ";
  if (std::ranges::all_of(rows.heldOut, [](auto bits) { return bits == 0; }))
    return fmt::format("there are no {} rows", experiment::splitPartName(part));
  if (first && (rows.heldOut != first->heldOut || rows.train != first->train))
    return "the splits differ";
  return {};
}

}  // namespace

bool isSignificant(const experiment::PairedDifference& difference) {
  return difference.pairs >= experiment::kMinPairs &&
         std::abs(difference.mean) > kSignificantErrors * difference.standardError;
}

Result<HeldOut> HeldOut::measure(Shared& shared, const std::vector<std::string>& runs,
                                 const CompareOptions& options, const WorkContext& context) try {
  PARAPET_ASSIGN(const Experiment protocol, protocolOf(shared, runs));
  HeldOut heldOut;
  const bool isTest = options.part == experiment::SplitPart::kTest;
  heldOut.prefix_ = isTest ? "test_" : "val_";
  std::optional<Rows> first;
  for (const std::string& id : runs) {
    Run& run = heldOut.runs_.emplace_back();
    auto opened = openRun(shared, id, {options.checkpoint}, 0, context);
    if (!opened && opened.error().code == ErrorCode::kCancelled) return opened.error();
    if (!opened) {
      run.missing = opened.error().text();
      continue;
    }
    const std::int64_t count = opened->dataset->rows();
    Rows rows{opened->dataset->rowsKey(), opened->split.train.bits(count),
              retrieval::rowsOf(opened->split, options.part).bits(count)};
    run.missing = whyOthers(rows, first, options.part);
    if (!run.missing.empty()) continue;
    if (!first) first = std::move(rows);
    if (isTest) {
      PARAPET_ASSIGN(run.metrics, evaluateHeldOut(*opened, options.part, heldOut.prefix_, context));
    }
    if (experiment::hasTowers(opened->experiment.model.kind)) {
      PARAPET_ASSIGN(const auto ranked, rankHeldOut(*opened, protocol, options.part, context));
      for (const auto& metric : ranked.standardErrors) run.listMetrics.push_back(metric.first);
      run.lists = ranked.sums;
    }
    run.rowLoss = rowLossOf(*opened);
    if (run.rowLoss) {
      PARAPET_ASSIGN(run.rows, experiment::isOfTokens(*run.rowLoss)
                                   ? measureLines(*opened, options.part, context)
                                   : measureRows(*opened, *run.rowLoss, options.part, context));
    }
    if (context.cancelled()) throw data::PassStopped();
  }
  return heldOut;
} catch (const data::PassStopped&) {
  return Error{ErrorCode::kCancelled, "the comparison was cancelled"};
}

std::vector<Comparison::PairedMetric> HeldOut::lists(std::size_t a, std::size_t b) const {
  const Run &left = runs_[a], &right = runs_[b];
  std::vector<Comparison::PairedMetric> paired;
  if (!left.lists || !right.lists || !left.lists->hasQueriesOf(*right.lists)) return paired;
  for (std::size_t i = 0; i < left.listMetrics.size(); ++i) {
    const experiment::PairedDifference of = left.lists->difference(*right.lists, i);
    paired.push_back({left.listMetrics[i], of, isSignificant(of)});
  }
  return paired;
}

std::optional<experiment::PairedDifference> HeldOut::difference(const std::string& metric,
                                                                std::size_t a,
                                                                std::size_t b) const {
  if (!metric.starts_with(prefix_)) return std::nullopt;
  const std::string name = metric.substr(prefix_.size());
  const Run &left = runs_[a], &right = runs_[b];
  const auto of = std::ranges::find(left.listMetrics, name);
  if (of != left.listMetrics.end()) {
    if (!right.lists || !left.lists->hasQueriesOf(*right.lists)) return std::nullopt;
    return left.lists->difference(*right.lists,
                                  static_cast<std::size_t>(of - left.listMetrics.begin()));
  }
  if (!left.rows || !right.rows || left.rowLoss != right.rowLoss ||
      !left.rows->hasQueriesOf(*right.rows))
    return std::nullopt;
  const auto error = rowErrorOf(name, *left.rowLoss);
  return error ? std::optional(left.rows->difference(*right.rows, *error)) : std::nullopt;
}

namespace {

double directionOf(const Comparison::MetricRow& row) {
  return experiment::smallerIsBetter(row.name) ? -1.0 : 1.0;
}

std::vector<std::size_t> runsWith(const Comparison::MetricRow& row) {
  std::vector<std::size_t> known;
  for (std::size_t run = 0; run < row.values.size(); ++run)
    if (std::isfinite(row.values[run])) known.push_back(run);
  return known;
}

/// The run with the best value; among equal ones the first.
std::size_t bestOf(const Comparison::MetricRow& row, const std::vector<std::size_t>& runs) {
  return *std::ranges::max_element(
      runs, {}, [&](std::size_t run) { return directionOf(row) * row.values[run]; });
}

void judgeMetric(Comparison::MetricRow& row, const HeldOut& heldOut) {
  if (!row.name.starts_with(heldOut.prefix())) {
    row.notComparable = "it is of training, not of held-out rows";
    return;
  }
  const std::vector<std::size_t> known = runsWith(row);
  if (known.size() < 2) {
    row.notComparable = "only one of the runs has it";
    return;
  }
  const std::size_t best = bestOf(row, known);
  for (const std::size_t other : known) {
    if (other == best) continue;
    const auto gap = heldOut.difference(row.name, best, other);
    if (!gap) {
      const std::string& why =
          heldOut.missing(best).empty() ? heldOut.missing(other) : heldOut.missing(best);
      row.notComparable = why.empty() ? "it has no paired difference over held-out queries or rows"
                                      : fmt::format("there is no paired difference: {}", why);
      return;
    }
    if (isSignificant(*gap) && directionOf(row) * gap->mean < 0.0) {
      row.notComparable =
          "over the same held-out queries or rows the run with the worse value is significantly "
          "better";
      return;
    }
    if (!isSignificant(*gap)) {
      row.notComparable = known.size() == 2
                              ? "the runs do not differ by three paired standard errors"
                              : "the best runs do not differ by three paired standard errors";
      return;
    }
  }
}

}  // namespace

std::optional<std::size_t> bestRun(const Comparison::MetricRow& metric) {
  const std::vector<std::size_t> known = runsWith(metric);
  if (!metric.notComparable.empty() || known.empty()) return std::nullopt;
  return bestOf(metric, known);
}

void judgeRuns(Comparison& comparison, const HeldOut& heldOut) {
  for (Comparison::MetricRow& row : comparison.metrics)
    if (row.notComparable.empty()) judgeMetric(row, heldOut);
}

}  // namespace parapet::workspace
