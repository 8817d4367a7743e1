// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/row_baselines.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/data/dataset/event_columns.h"
#include "engine/data/split/split.h"
#include "tests/experiment/metric_values.h"
#include "tests/retrieval/sample_ratings.h"

using namespace parapet;
using namespace parapet::retrieval;
using experiment::LossKind;
using experiment::SplitPart;
using experiment::test::valuesOf;

class RowBaselinesTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::shared_ptr<const data::Dataset> dataset_;
  data::Split split_;

  [[nodiscard]] RowPredictor biases(LossKind loss, std::span<const float> labels) const {
    return {RowBaseline::kBiases, *dataset_, split_.train, labels, loss};
  }
  /// 1 where a rating is above the middle.
  [[nodiscard]] std::vector<float> likes() const {
    std::vector<float> labels;
    for (const float label : dataset_->labels()) labels.push_back(label > 0.5f ? 1.0f : 0.0f);
    return labels;
  }
  /// The gradient of the objective by each bias, which is 0 at its minimum: rows, then the prior.
  void isStationary(const RowPredictor& of, std::span<const float> labels, bool ofLogits) const {
    const data::EventColumns events(*dataset_);
    double mean = 0.0;
    split_.train.forEach(
        [&](std::int64_t row) { mean += static_cast<double>(labels[std::size_t(row)]); });
    mean /= static_cast<double>(split_.train.size());
    const double base = ofLogits ? std::log(mean / (1.0 - mean)) : mean;
    const double curvature = ofLogits ? mean * (1.0 - mean) : 1.0;
    const auto users = static_cast<std::size_t>(events.userCount),
               items = static_cast<std::size_t>(events.itemEntryCount);
    std::vector<double> gapsOfUser(users), gapsOfItem(items);
    split_.train.forEach([&](std::int64_t row) {
      const auto at = static_cast<std::size_t>(row);
      const double score =
          static_cast<double>(of.predict(events.users[at], events.itemEntries[at]));
      const double value = ofLogits ? 1.0 / (1.0 + std::exp(-score)) : score;
      const double gap = static_cast<double>(labels[at]) - value;
      gapsOfUser[static_cast<std::size_t>(events.users[at])] += gap;
      gapsOfItem[static_cast<std::size_t>(events.itemEntries[at])] += gap;
    });
    // Row 0 has no training row: no bias of its own.
    for (std::size_t user = 1; user < users; ++user) {
      const double bias = static_cast<double>(of.predict(std::int32_t(user), 0)) - base;
      QVERIFY2(std::abs(gapsOfUser[user] - 15.0 * curvature * bias) < 1e-2,
               qPrintable(QString::number(gapsOfUser[user] - 15.0 * curvature * bias)));
    }
    for (std::size_t item = 1; item < items; ++item) {
      const double bias = static_cast<double>(of.predict(0, std::int32_t(item))) - base;
      QVERIFY2(std::abs(gapsOfItem[item] - 10.0 * curvature * bias) < 1e-2,
               qPrintable(QString::number(gapsOfItem[item] - 10.0 * curvature * bias)));
    }
  }

 private Q_SLOTS:
  void initTestCase() {
    auto report = testing::importRatings(folder_);
    QVERIFY2(report.ok(), report ? "" : report.error().text().c_str());
    dataset_ = report->dataset;
    split_ = data::makeSplit(data::EventColumns(*dataset_), {.seed = 3}).value();
  }

  void biasesMinimiseTheirObjective() {
    isStationary(biases(LossKind::kMse, dataset_->labels()), dataset_->labels(), false);
    const std::vector<float> labels = likes();
    isStationary(biases(LossKind::kBce, labels), labels, true);
  }

  void biasesPredictBetterThanEitherMean() {
    const std::vector<float> labels = likes();
    for (const LossKind loss : {LossKind::kMse, LossKind::kBce}) {
      const auto lossOf = [&](RowBaseline of) {
        const std::span<const float> known = loss == LossKind::kMse ? dataset_->labels() : labels;
        return *measureRowBaseline(of, *dataset_, split_, SplitPart::kTrain,
                                   {known, {.kind = loss}, {}})
                    .loss;
      };
      for (const RowBaseline mean :
           {RowBaseline::kConstant, RowBaseline::kItemMean, RowBaseline::kUserMean})
        QVERIFY2(lossOf(RowBaseline::kBiases) < lossOf(mean), rowBaselineName(mean));
    }
  }

  void biasesReadNoHeldOutRow() {
    std::vector<float> labels(dataset_->labels().begin(), dataset_->labels().end());
    split_.validation.forEach([&](std::int64_t row) { labels[std::size_t(row)] = 7.0f; });
    const RowPredictor with = biases(LossKind::kMse, dataset_->labels()),
                       without = biases(LossKind::kMse, labels);
    for (std::int32_t user = 0; user < 40; ++user)
      QCOMPARE(with.predict(user, 7), without.predict(user, 7));
  }

  /// Labels that are all 1 have no finite logit.
  void biasesOfEqualLabelsAreFinite() {
    const std::vector<float> ones(dataset_->labels().size(), 1.0f);
    for (const LossKind loss : {LossKind::kMse, LossKind::kBce})
      QVERIFY(std::isfinite(biases(loss, ones).predict(3, 4)));
    const RowPredictor none(RowBaseline::kBiases, *dataset_, {}, ones, LossKind::kMse);
    QCOMPARE(none.predict(3, 4), 0.0f);
  }

  void aStoppedFitThrows() {
    std::stop_source stop;
    stop.request_stop();
    QVERIFY_THROWS_EXCEPTION(data::PassStopped,
                             RowPredictor(RowBaseline::kBiases, *dataset_, split_.train,
                                          dataset_->labels(), LossKind::kMse, stop.get_token()));
  }
};

QTEST_GUILESS_MAIN(RowBaselinesTest)
#include "row_baselines_test.moc"
