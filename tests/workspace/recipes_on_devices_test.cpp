// SPDX-License-Identifier: Apache-2.0
// Every recipe trains the same model on one device, on several that share memory, on several that
// share none, and on devices whose memory the host cannot read.
#include <QtTest>

#include "tests/workspace/sample_runs.h"
#include "tests/workspace/small_recipes.h"

using namespace parapet;
using experiment::MemorySpaces;

class RecipesOnDevicesTest : public QObject {
  Q_OBJECT

  const testing::SmallRecipes recipes_;

  static void addRecipes() {
    QTest::addColumn<QString>("recipe");
    for (const experiment::Recipe& recipe : experiment::recipes())
      QTest::newRow(recipe.name.c_str()) << QString::fromStdString(recipe.name);
  }
  static std::string worstOf(const workspace::Verification& found) {
    std::string text = fmt::format("losses differ by {:.3g}", found.lossMaxAbsDiff);
    for (const workspace::TensorDifference& tensor : found.tensors)
      if (!tensor.identical)
        text += fmt::format("; {}: {:.3g} relative, rms {:.3g}, accepted {:.3g}", tensor.name,
                            tensor.relative, tensor.rmsRelative, tensor.accepted);
    return text;
  }

 private Q_SLOTS:
  void initTestCase() { QVERIFY(recipes_.made()); }

  void severalDevicesTrainTheModelOfOne_data() { addRecipes(); }
  void severalDevicesTrainTheModelOfOne() {
    QFETCH(QString, recipe);
    testing::TemporaryWorkspace place;
    experiment::Experiment experiment = recipes_.of(recipe.toStdString());
    for (const MemorySpaces spaces : {MemorySpaces::kShared, MemorySpaces::kSeparate}) {
      experiment.mesh.spaces = spaces;
      const auto found = place->verify(
          experiment, {.steps = 4, .devices = {"cpu*3"}, .against = {"cpu:0"}, .threads = 2}, {});
      QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
      QVERIFY2(found->passed, worstOf(*found).c_str());
    }
  }

  void emulatedDevicesTrainTheSameBits_data() { addRecipes(); }
  void emulatedDevicesTrainTheSameBits() {
    QFETCH(QString, recipe);
    testing::TemporaryWorkspace place;
    experiment::Experiment experiment = recipes_.of(recipe.toStdString());
    experiment.mesh.spaces = MemorySpaces::kSeparate;
    for (const auto& [here, host] :
         {std::pair{"emu:0", "cpu:0"}, {"emu*2", "cpu*2"}, {"emu*3", "cpu*3"}}) {
      const auto found = place->verify(
          experiment, {.steps = 3, .devices = {here}, .against = {host}, .threads = 2}, {});
      QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
      QVERIFY2(found->identical, (here + (": " + worstOf(*found))).c_str());
      // Devices of two kinds: their gradients are compared tensor by tensor, whatever the optimizer.
      for (const workspace::TensorDifference& tensor : found->tensors)
        QCOMPARE(tensor.gradientRelative, std::optional(0.0));
    }
  }

  // With evaluation, checkpoint and baselines, which are plans of their own.
  void runsEndOnEmulatedDevices_data() {
    QTest::addColumn<QString>("recipe");
    QTest::addColumn<QString>("devices");
    for (const experiment::Recipe& recipe : experiment::recipes())
      for (const char* devices : {"emu:0", "emu*2", "emu*3"})
        QTest::addRow("%s, %s", recipe.name.c_str(), devices)
            << QString::fromStdString(recipe.name) << QString(devices);
  }
  void runsEndOnEmulatedDevices() {
    QFETCH(QString, recipe);
    QFETCH(QString, devices);
    testing::TemporaryWorkspace place;
    experiment::Experiment experiment = recipes_.of(recipe.toStdString());
    experiment.mesh.devices = {devices.toStdString()};
    const workspace::RunOutcome run = place.train(experiment, 2);
    QVERIFY2(run.state == experiment::RunState::kFinished,
             run.error ? run.error->text().c_str() : "");
    QVERIFY(!run.checkpoint.empty());
  }
};

QTEST_GUILESS_MAIN(RecipesOnDevicesTest)
#include "recipes_on_devices_test.moc"
