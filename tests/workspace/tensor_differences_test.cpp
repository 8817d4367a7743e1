// SPDX-License-Identifier: Apache-2.0
// What verification accepts of two trainings, on sessions whose weights are set by hand.
#include "engine/workspace/tensor_differences.h"

#include <QtTest>
#include <cmath>

#include "engine/workspace/verify_training.h"
#include "tests/train/make_session.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using workspace::TensorDifferences;

namespace {

constexpr double kTolerance = TensorDifferences::kRelativeTolerance;

}  // namespace

class TensorDifferencesTest : public QObject {
  Q_OBJECT

  testing::TemporaryWorkspace place_;
  const std::shared_ptr<const data::Dataset> dataset_ =
      place_->importData(testing::smallSample(), {})->dataset;

  /// All sessions begin alike.
  [[nodiscard]] std::unique_ptr<train::Session> session() const {
    return testing::makeSession(testing::smallSample(), dataset_).value();
  }
  /// Moves elements [0, count) of a table's weight by so much of its largest.
  static void move(train::Session& session, double share, std::size_t count,
                   std::size_t parameter = 0) {
    nn::Parameter& table = session.parameters()[parameter];
    std::vector<float> weights(static_cast<std::size_t>(table.size()));
    nn::gatherRows(table, -1, weights);
    float largest = 0.0f;
    for (const float weight : weights) largest = std::max(largest, std::abs(weight));
    const auto by = static_cast<float>(share * static_cast<double>(largest));
    // Towards zero, so that the largest stays the scale.
    for (std::size_t i = 0; i < count; ++i) weights[i] += weights[i] > 0 ? -by : by;
    nn::scatterRows(table, -1, weights);
  }
  static std::size_t all(train::Session& session) {
    return static_cast<std::size_t>(session.parameters()[0].size());
  }
  /// A start from which the weight of the table has moved by so much of its largest.
  [[nodiscard]] std::vector<std::vector<float>> startAt(double share) const {
    const auto earlier = session();
    move(*earlier, share, all(*earlier));
    std::vector<std::vector<float>> start;
    for (const checkpoint::TensorView& tensor : earlier->tensors()) {
      const auto elements = workspace::elementsOf(tensor);
      start.emplace_back(elements.begin(), elements.end());
    }
    return start;
  }

 private Q_SLOTS:
  void differencesWithinTheToleranceAreAccepted() {
    const auto a = session(), b = session();
    move(*b, 0.8 * kTolerance, all(*b));
    QVERIFY(TensorDifferences(*a, *b).accepted());
  }

  void aSingleElementMayDifferAsFarAsLastBitsMoveIt() {
    const auto a = session(), b = session(), c = session();
    move(*b, 30 * kTolerance, 1);
    move(*c, 10 * kTolerance, 1);
    TensorDifferences differences(*a, *b);
    QVERIFY(!differences.accepted());
    differences.allowForLastBits(*c, startAt(0.5));
    QVERIFY(differences.accepted());
    QVERIFY(differences.all()[0].lastBitRelative.has_value());
  }

  void noElementMayDifferByMoreThanThat() {
    const auto a = session(), b = session(), c = session();
    move(*b, 50 * kTolerance, 1);
    move(*c, 10 * kTolerance, 1);
    TensorDifferences differences(*a, *b);
    QVERIFY(!differences.areMagnifiedRounding());
    differences.allowForLastBits(*c, startAt(0.5));
    QVERIFY(!differences.accepted());
    QVERIFY(!differences.areMagnifiedRounding());
  }

  // A bias whose gradient is nothing but rounding goes either way: last bits decide all of a step.
  void noElementMayDifferByAShareOfWhatTheStepsDid() {
    const auto a = session(), b = session(), c = session();
    move(*b, 100 * kTolerance, 1);
    move(*c, 1000 * kTolerance, 1);
    TensorDifferences differences(*a, *b);
    differences.allowForLastBits(*c, startAt(0.5));
    QVERIFY(!differences.accepted());
    QVERIFY(differences.areMagnifiedRounding());  // and is told to be rounding alone
  }

  // As a sum that is wrong everywhere would be.
  void aTensorMayNotDifferAsAWhole() {
    const auto a = session(), b = session(), c = session();
    move(*b, 3 * kTolerance, all(*b));
    move(*c, 10 * kTolerance, all(*c));
    TensorDifferences differences(*a, *b);
    differences.allowForLastBits(*c, startAt(0.5));
    QVERIFY(!differences.accepted());
    QVERIFY(differences.areMagnifiedRounding());
  }

  // However far rounding moves one tensor, it does not account for another that stays where it was.
  void oneTensorOfRoundingDoesNotExcuseAnother() {
    const auto a = session(), b = session(), c = session();
    move(*b, 100 * kTolerance, 1);
    move(*b, 100 * kTolerance, 1, 1);
    move(*c, 1000 * kTolerance, 1);
    TensorDifferences differences(*a, *b);
    differences.allowForLastBits(*c, startAt(0.5));
    QVERIFY(!differences.accepted());
    QVERIFY(!differences.areMagnifiedRounding());
  }

  void whatLastBitsDoAsWellIsOfRounding_data() {
    QTest::addColumn<double>("apart");
    QTest::addColumn<bool>("ofRounding");
    QTest::newRow("a chance") << 30.0 << true;
    QTest::newRow("another training") << 40.0 << false;
  }
  void whatLastBitsDoAsWellIsOfRounding() {
    QFETCH(double, apart);
    QFETCH(bool, ofRounding);
    const auto a = session(), b = session(), c = session();
    move(*b, apart * kTolerance, 1);
    move(*c, kTolerance, 1);
    TensorDifferences differences(*a, *b);
    QVERIFY(!differences.areOfRounding());
    differences.allowForLastBits(*c, startAt(0.5));
    QVERIFY(!differences.accepted());
    QCOMPARE(differences.areOfRounding(), ofRounding);
  }

  void aSessionTakesOverWeightsAndSlotsWhateverItsDevices() {
    experiment::Experiment document = testing::smallSample();
    document.optimizer = {.kind = experiment::OptimizerKind::kAdam, .learningRate = 0.1};
    const auto into = testing::makeSession(document, dataset_).value();
    document.mesh.devices = {"cpu*4"};
    for (experiment::Table& table : document.tables) table.placement = experiment::Placement::kRow;
    const auto from = testing::makeSession(document, dataset_).value();
    float next = 0.0f;
    for (nn::Parameter& parameter : from->parameters())
      for (int slot = -1; slot < static_cast<int>(parameter.shards[0].slots.size()); ++slot) {
        std::vector<float> values(static_cast<std::size_t>(parameter.size()));
        for (float& value : values) value = next += 1.0f;
        nn::scatterRows(parameter, slot, values);
      }
    QVERIFY(next > 0.0f && !TensorDifferences(*from, *into).accepted());
    workspace::takeState(*into, *from);
    const TensorDifferences left(*from, *into);
    for (const workspace::TensorDifference& each : left.all())
      QVERIFY2(each.identical, each.name.c_str());
  }

  /// Two towers of a layer, whose biases are 3 and 5; the first bias moves by a whole step.
  void aParameterWithoutGradientHasNoEffect_data() {
    QTest::addColumn<double>("own");
    QTest::addColumn<double>("other");
    QTest::addColumn<bool>("accepted");
    QTest::newRow("rounding") << 1e-7 << 1e-7 << true;
    QTest::newRow("a gradient") << 1e-3 << 0.0 << false;
    QTest::newRow("gradients of others differ") << 1e-7 << 1e-3 << false;
  }
  void aParameterWithoutGradientHasNoEffect() {
    QFETCH(double, own);
    QFETCH(double, other);
    QFETCH(bool, accepted);
    experiment::Experiment document = testing::smallSample();
    document.model.query = document.model.candidate = {experiment::Layer{.units = 8}};
    const auto a = testing::makeSession(document, dataset_).value(),
               b = testing::makeSession(document, dataset_).value();
    const auto parameters = a->parameters();
    const auto bias = static_cast<std::size_t>(
        std::ranges::find(parameters, std::string("dense/query_0_bias"),
                          [](const nn::Parameter& each) { return each.spec.name; }) -
        parameters.begin());
    QVERIFY(bias < parameters.size());
    TensorDifferences::Gradients ofA, ofB;
    for (const nn::Parameter& parameter : parameters)
      ofA.emplace_back(static_cast<std::size_t>(parameter.size()), 1.0f);
    ofB = ofA;
    std::ranges::fill(ofA[bias], static_cast<float>(own));
    std::ranges::fill(ofB[bias], static_cast<float>(-own));
    ofB[0][0] += static_cast<float>(other);
    nn::scatterRows(b->parameters()[bias], -1, std::vector<float>(8, 0.05f));
    TensorDifferences differences(*a, *b);
    QVERIFY(!differences.accepted());
    differences.allowForGradients(ofA, ofB);
    QCOMPARE(differences.accepted(), accepted);
    for (const workspace::TensorDifference& each : differences.all()) {
      QVERIFY(each.gradientRelative.has_value());
      QCOMPARE(each.withoutEffect, accepted && each.name == "dense/query_0_bias/weight");
    }
  }
};

QTEST_GUILESS_MAIN(TensorDifferencesTest)
#include "tensor_differences_test.moc"
