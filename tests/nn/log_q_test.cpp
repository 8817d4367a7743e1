// SPDX-License-Identifier: Apache-2.0
// How far sampled softmaxes are from the one over the whole catalogue: gradients of many batches,
// averaged, against its gradient in double precision.
#include <QtTest>
#include <cmath>

#include "tests/nn/sample_model.h"

using namespace parapet;

namespace {

// Every user has an item of her own, which others have not, as far as popularity allows: what is
// positive for a user is drawn for others as seldom as that user comes.
constexpr std::int64_t kEntities = 64, kDim = 16, kRows = 8;

using Weights = std::vector<std::vector<float>>;

/// Share of a user, and of her item, among the examples.
double shareOf(std::int64_t entity) {
  static const double total = [] {
    double sum = 0.0;
    for (std::int64_t i = 0; i < kEntities; ++i) sum += 1.0 / static_cast<double>(5 + i);
    return sum;
  }();
  return 1.0 / static_cast<double>(5 + entity) / total;
}

/// Items at random, and each user in the direction of her item.
Weights weights() {
  const Random random(3, RandomPurpose::kSampling);
  Weights made(2, std::vector<float>(kEntities * kDim));
  for (std::int64_t i = 0; i < kEntities; ++i) {
    float squares = 0.0f;
    for (std::int64_t d = 0; d < kDim; ++d) {
      float& item = made[1][static_cast<std::size_t>(i * kDim + d)];
      item = random.uniform(static_cast<std::uint64_t>(i * kDim + d)) - 0.5f;
      squares += item * item;
    }
    for (std::int64_t d = 0; d < kDim; ++d) {
      const auto at = static_cast<std::size_t>(i * kDim + d);
      made[0][at] = 2.0f * made[1][at] / squares;
    }
  }
  return made;
}

double norm(const std::vector<double>& values) {
  double squares = 0.0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

/// Σ over the users by their shares of the gradient of −log softmax over all items.
std::vector<double> fullGradient(const Weights& at) {
  std::vector<double> gradient(2 * kEntities * kDim);
  for (std::int64_t user = 0; user < kEntities; ++user) {
    std::vector<double> powers;
    double total = 0.0;
    for (std::int64_t item = 0; item < kEntities; ++item) {
      double score = 0.0;
      for (std::int64_t d = 0; d < kDim; ++d)
        score += static_cast<double>(at[0][static_cast<std::size_t>(user * kDim + d)]) *
                 static_cast<double>(at[1][static_cast<std::size_t>(item * kDim + d)]);
      powers.push_back(std::exp(score));
      total += powers.back();
    }
    for (std::int64_t item = 0; item < kEntities; ++item) {
      const double slope = shareOf(user) * (powers[static_cast<std::size_t>(item)] / total -
                                            (item == user ? 1.0 : 0.0));
      for (std::int64_t d = 0; d < kDim; ++d) {
        const auto u = static_cast<std::size_t>(user * kDim + d),
                   i = static_cast<std::size_t>(item * kDim + d);
        gradient[u] += slope * static_cast<double>(at[1][i]);
        gradient[static_cast<std::size_t>(kEntities * kDim) + i] +=
            slope * static_cast<double>(at[0][u]);
      }
    }
  }
  return gradient;
}

/// The gradient averaged over batches under a loss.
std::vector<double> sampledGradient(experiment::LogQ logQ, const Weights& at) {
  constexpr int kBatches = 3000;
  experiment::Experiment document = sample::plainDot(kDim);
  document.optimizer = sample::sgd(1.0);
  document.loss.kind = experiment::LossKind::kInBatchSoftmax;
  document.loss.logQ = logQ;
  sample::Trainer trainer(sample::build(document, kEntities, kEntities), 1, 1, kRows);
  sample::Batch batch{kRows, {{}, {}}, std::vector<float>(kRows), {}};
  for (std::int64_t item = 0; item < kEntities; ++item)
    batch.itemLogQ.push_back(static_cast<float>(std::log(shareOf(item))));
  const Random random(4, RandomPurpose::kSampling);
  std::vector<double> mean(2 * kEntities * kDim);
  for (int step = 0; step < kBatches; ++step) {
    for (std::size_t p = 0; p < 2; ++p)
      std::ranges::copy(at[p], trainer.parameters[p].whole().weight.host().begin());
    for (auto& ids : batch.ids) ids.clear();
    for (std::int64_t row = 0; row < kRows; ++row) {
      auto left =
          static_cast<double>(random.uniform(static_cast<std::uint64_t>(step * kRows + row)));
      std::int32_t entity = 0;
      while (entity + 1 < kEntities && (left -= shareOf(entity)) > 0.0) ++entity;
      for (auto& ids : batch.ids) ids.push_back(entity);
    }
    if (!trainer.plan.train(batch.input(), 1)) throw InternalError("a step failed");
    const Weights after = trainer.weights();
    for (std::size_t p = 0; p < 2; ++p)
      for (std::size_t i = 0; i < after[p].size(); ++i)
        mean[p * after[p].size() + i] +=
            (static_cast<double>(at[p][i]) - static_cast<double>(after[p][i])) / kBatches;
  }
  return mean;
}

double biasOf(experiment::LogQ logQ) {
  const Weights at = weights();
  const std::vector<double> full = fullGradient(at);
  std::vector<double> difference = sampledGradient(logQ, at);
  for (std::size_t i = 0; i < full.size(); ++i) difference[i] -= full[i];
  return norm(difference) / norm(full);
}

}  // namespace

class LogQTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void correctedHasTheSmallerBias() {
    const double standard = biasOf(experiment::LogQ::kStandard);
    const double corrected = biasOf(experiment::LogQ::kCorrected);
    qInfo("bias against the full softmax: standard %.3f, corrected %.3f", standard, corrected);
    QVERIFY(corrected < 0.5 * standard);
  }
};

QTEST_GUILESS_MAIN(LogQTest)
#include "log_q_test.moc"
