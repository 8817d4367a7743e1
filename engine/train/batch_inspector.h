// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/experiment/batch_report.h"
#include "engine/train/session.h"

namespace parapet::train {

/// Looks into single training steps of a session.
///
/// A plan applies gradients while it merges them and keeps none. They are measured beside it: a
/// second session with the same weights takes the batch as one step of plain gradient descent,
///
///   w' = w − λ·g,   so   g = (w − w') / λ
///
/// with a rate λ large enough that the difference keeps its digits. It has the seed and the step of
/// the run, so dropout leaves out the same. The run itself is not touched, and its bits are those
/// of a run that is not inspected. Costs the memory of a second model and of two copies of the
/// weights, for as long as it lives.
///
/// Thread   that of the session.
class BatchInspector {
 public:
  BatchInspector(Session& session, experiment::Experiment experiment);
  ~BatchInspector();

  /// Before the session trains `batch` as `step`. Errors   of Session::create; the report then has
  /// no gradients.
  Status look(const data::Batch& batch, std::int64_t step);
  /// After the session trained it; `epoch` from 1.
  [[nodiscard]] experiment::BatchReport report(const data::Batch& batch, std::int64_t step,
                                               std::int64_t epoch);
  using Weights = std::vector<std::vector<float>>;  ///< by parameter
  /// λ: gradients of 10⁻⁶ beside weights of 0.1 keep four digits, and weights stay far from
  /// overflow.
  static constexpr double kRate = 1024.0;
  /// Gradients of the batch that was looked at last; for moving statistics the change by the step,
  /// over λ.
  [[nodiscard]] const Weights& gradients() const { return gradients_; }

 private:
  static Weights weightsOf(Session& session);
  Status measureGradients(const data::Batch& batch, std::int64_t step);
  /// Whether a column of the batch is that of a history, which has the name of its feature.
  [[nodiscard]] bool isHistory(std::size_t column) const;
  [[nodiscard]] std::string nameOf(std::size_t column) const;
  void addContents(experiment::BatchReport& report, const data::Batch& batch) const;
  void addFeatures(experiment::BatchReport& report, const data::Batch& batch) const;
  void addRoutes(experiment::BatchReport& report) const;
  void addParameters(experiment::BatchReport& report);

  Session& session_;
  const experiment::Experiment experiment_;
  std::unique_ptr<Session> beside_;
  Weights before_, gradients_;  ///< gradients_ empty: not measured
};

}  // namespace parapet::train
