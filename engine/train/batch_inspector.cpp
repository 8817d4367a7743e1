// SPDX-License-Identifier: Apache-2.0
#include "engine/train/batch_inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <unordered_set>

#include "engine/experiment/query_context.h"
#include "engine/mesh/table_routes.h"

namespace parapet::train {
namespace {

using experiment::BatchReport;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

experiment::Experiment withPlainDescent(experiment::Experiment experiment) {
  experiment::Optimizer plain;
  plain.kind = experiment::OptimizerKind::kSgd;
  plain.learningRate = BatchInspector::kRate;
  plain.schedule = experiment::Schedule{};
  experiment.optimizer = plain;
  for (experiment::Table& table : experiment.tables) table.optimizer.reset();
  return experiment;
}

double normOf(std::span<const float> values) {
  double sum = 0.0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum);
}

/// Ids of a row, [begin, end); of a sequence that rows share those before the row.
std::pair<std::size_t, std::size_t> idsOf(const data::Batch& batch, const data::FeatureIds& values,
                                          std::size_t row, bool isShared) {
  if (values.offsets.empty()) return {row, row + 1};
  const auto offset = [&](std::size_t of) { return static_cast<std::size_t>(values.offsets[of]); };
  if (!isShared || batch.positions.empty()) return {offset(row), offset(row + 1)};
  const auto after = std::ranges::upper_bound(batch.lists, static_cast<std::int32_t>(row));
  const auto first = static_cast<std::size_t>(*std::prev(after));
  return {offset(first), offset(first + 1) - static_cast<std::size_t>(batch.positions[row])};
}

std::string withoutFolder(const std::string& tensor) {
  const auto slash = tensor.find('/');
  return slash == std::string::npos ? tensor : tensor.substr(slash + 1);
}

}  // namespace

BatchInspector::BatchInspector(Session& session, experiment::Experiment experiment)
    : session_(session), experiment_(withPlainDescent(std::move(experiment))) {}

BatchInspector::~BatchInspector() = default;

BatchInspector::Weights BatchInspector::weightsOf(Session& session) {
  Weights weights;
  for (const nn::Parameter& parameter : session.parameters()) {
    weights.emplace_back(static_cast<std::size_t>(parameter.size()));
    session.gatherRows(parameter, -1, weights.back());
  }
  return weights;
}

Status BatchInspector::look(const data::Batch& batch, std::int64_t step) {
  before_ = weightsOf(session_);
  gradients_.clear();
  return measureGradients(batch, step);
}

Status BatchInspector::measureGradients(const data::Batch& batch, std::int64_t step) {
  // The session beside would have to be one of all processes.
  if (session_.mesh().isDivided())
    return Error{ErrorCode::kDevice, "a run of several processes keeps no model beside it"};
  if (!beside_) {
    // The copy borrows the rows of the session's data set and must outlive no batch of it.
    const std::shared_ptr<const data::Dataset> dataset(&session_.dataset(), [](const auto*) {});
    PARAPET_ASSIGN(ResolvedModel resolved, rebuilt(session_.resolved(), experiment_, *dataset));
    PARAPET_ASSIGN(beside_, Session::create(experiment_, dataset, std::move(resolved),
                                            session_.workers().count(), session_.communicators()));
    beside_->useHistory(session_.history());
  }
  const std::span<nn::Parameter> parameters = beside_->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    nn::scatterRows(parameters[i], -1, before_[i]);
  PARAPET_TRY(beside_->train(batch, step));
  gradients_ = weightsOf(*beside_);
  for (std::size_t i = 0; i < gradients_.size(); ++i)
    for (std::size_t at = 0; at < gradients_[i].size(); ++at)
      gradients_[i][at] = static_cast<float>(
          (static_cast<double>(before_[i][at]) - static_cast<double>(gradients_[i][at])) / kRate);
  return {};
}

BatchReport BatchInspector::report(const data::Batch& batch, std::int64_t step,
                                   std::int64_t epoch) {
  BatchReport report;
  report.step = step;
  report.epoch = epoch;
  report.examples = batch.rows;
  report.loss = session_.loss();
  const auto sums = session_.losses();
  const auto& specs = session_.model().graph.losses();
  for (std::size_t head = 0; head < session_.model().heads.size(); ++head)
    report.losses.push_back(
        {session_.model().heads[head].name, specs[head].weight, sums[head].mean()});
  addContents(report, batch);
  addFeatures(report, batch);
  addRoutes(report);
  addParameters(report);
  return report;
}

bool BatchInspector::isHistory(std::size_t column) const {
  return column < experiment_.features.size() && experiment_.features[column].history;
}

std::string BatchInspector::nameOf(std::size_t column) const {
  return isHistory(column) ? experiment_.features[column].name : session_.model().columns[column];
}

void BatchInspector::addContents(BatchReport& report, const data::Batch& batch) const {
  const std::vector<std::string>& columns = session_.model().columns;
  for (std::size_t column = 0; column < columns.size(); ++column)
    report.columns.push_back(nameOf(column));
  report.columns.emplace_back("label");
  const auto textOf = [&](std::size_t column, std::int64_t row) -> std::string {
    const data::FeatureIds& values = batch.features[column];
    const auto at = static_cast<std::size_t>(row);
    if (!values.dense.empty()) return fmt::format("{:.6g}", values.dense[at]);
    const data::Vocabulary& vocabulary = session_.dataset().vocabularyOf(
        isHistory(column) ? experiment_.features[column].column : columns[column]);
    const bool isShared = isHistory(column) &&
                          experiment::isSharedSequence(experiment_, experiment_.features[column]);
    const auto [begin, end] = idsOf(batch, values, at, isShared);
    std::string text;
    for (std::size_t i = begin; i < end; ++i)
      text += (i > begin ? ", " : "") + (values.ids[i] > 0 && values.ids[i] < vocabulary.size()
                                             ? std::string(vocabulary.rawId(values.ids[i]))
                                             : std::string("(unknown)"));
    return text;
  };
  for (std::int64_t row = 0; row < std::min(batch.rows, BatchReport::kShownExamples); ++row) {
    std::vector<std::string> texts;
    for (std::size_t column = 0; column < columns.size(); ++column)
      texts.push_back(textOf(column, row));
    const auto at = static_cast<std::size_t>(row);
    texts.push_back(at < batch.labels.size() ? fmt::format("{:.6g}", batch.labels[at]) : "");
    report.contents.push_back(std::move(texts));
  }
}

void BatchInspector::addFeatures(BatchReport& report, const data::Batch& batch) const {
  const nn::Graph& graph = session_.model().graph;
  for (std::size_t i = 0; i < graph.lookups().size(); ++i) {
    const nn::Lookup& lookup = graph.lookups()[i];
    const auto feature = static_cast<std::size_t>(lookup.feature);
    const nn::FeatureCounts& counts = session_.counts(i);
    const data::FeatureIds& values = batch.features[feature];
    const std::size_t used =
        values.offsets.empty()
            ? static_cast<std::size_t>(batch.rows)
            : static_cast<std::size_t>(values.offsets[static_cast<std::size_t>(batch.rows)]);
    const std::unordered_set<std::int32_t> distinct(
        values.ids.begin(),
        values.ids.begin() + static_cast<std::ptrdiff_t>(std::min(used, values.ids.size())));
    const auto& parameters = graph.parameters();
    report.features.push_back(
        {nameOf(feature), withoutFolder(parameters[static_cast<std::size_t>(lookup.table)].name),
         counts.ids, static_cast<std::int64_t>(distinct.size()), counts.truncated, counts.oov,
         counts.empty});
  }
}

void BatchInspector::addRoutes(BatchReport& report) const {
  const auto stacks = session_.routes();
  // Exchanges between memory spaces are told as those of their first ranks.
  const auto rankOf = [spaces = session_.resolved().mesh.spaces()](int space) {
    return spaces[static_cast<std::size_t>(space)].firstRank;
  };
  for (std::size_t stack = 0; stack < stacks.size(); ++stack) {
    const mesh::TableRoutes& routes = *stacks[stack];
    const std::string name = fmt::format("{} table{} of stack {}", routes.tables().size(),
                                         routes.tables().size() == 1 ? "" : "s", stack + 1);
    for (int space = routes.local().first; space < routes.local().end(); ++space)
      for (int shard = 0; shard < routes.shards(); ++shard) {
        const mesh::RouteCounts counts = routes.counts(space, shard);
        report.routes.push_back({name, rankOf(space), shard,
                                 rankOf(routes.tables()[0].owners(shard)[0]), counts.ids,
                                 counts.distinct});
      }
  }
}

void BatchInspector::addParameters(BatchReport& report) {
  const Weights after = weightsOf(session_);
  const std::span<nn::Parameter> parameters = session_.parameters();
  for (std::size_t i = 0; i < parameters.size() && i < before_.size(); ++i) {
    const nn::ParameterSpec& spec = parameters[i].spec;
    BatchReport::Parameter told;
    told.name = withoutFolder(spec.name);
    told.isTable = spec.sparse;
    const auto cols = static_cast<std::size_t>(spec.cols);
    const auto rowOf = [&](const std::vector<float>& values, std::int64_t row) {
      return std::span(values).subspan(static_cast<std::size_t>(row) * cols, cols);
    };
    std::vector<float> change(before_[i].size());
    for (std::size_t at = 0; at < change.size(); ++at) change[at] = after[i][at] - before_[i][at];
    told.update = normOf(change);
    // Moving statistics are set by their node and have no gradient.
    if (gradients_.empty() || spec.isState) {
      told.gradient = told.maxRowGradient = kUnknown;
      told.rows = spec.rows;
      told.weight = normOf(before_[i]);
      report.parameters.push_back(std::move(told));
      continue;
    }
    double weights = 0.0;
    for (std::int64_t row = 0; row < spec.rows; ++row) {
      const double gradient = normOf(rowOf(gradients_[i], row));
      told.maxRowGradient = std::max(told.maxRowGradient, gradient);
      if (told.isTable && gradient == 0.0) continue;
      ++told.rows;
      const double weight = normOf(rowOf(before_[i], row));
      weights += weight * weight;
    }
    told.weight = std::sqrt(weights);
    told.gradient = normOf(gradients_[i]);
    report.parameters.push_back(std::move(told));
  }
}

}  // namespace parapet::train
