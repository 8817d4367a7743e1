// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/missing_ops.h"

#include <QtTest>
#include <cstring>
#include <set>

#include "tests/nn/sample_kinds.h"

using namespace parapet;
using experiment::Experiment;
using sample::Kind;

namespace {

/// One model for each optimizer, with all that is done to gradients, beside one of each loss.
std::vector<Kind> everyKind() {
  std::vector<Kind> all = sample::kinds();
  using enum experiment::OptimizerKind;
  for (const auto kind : {kSgd, kAdagrad, kRowwiseAdagrad, kAdam, kAdamW, kFtrl})
    for (const bool clips : {false, true}) {
      all.push_back({clips ? "an optimizer that clips" : "an optimizer", [kind, clips] {
                       Experiment experiment = sample::sharedTable();
                       experiment.optimizer.kind = kind;
                       if (clips) experiment.optimizer.clipNorm = 0.01;
                       if (clips && kind != kFtrl) experiment.optimizer.weightDecay = 0.01;
                       return experiment;
                     }});
    }
  return all;
}

/// The experiment that a model without a document would be asked with.
Experiment experimentOf(const Kind& kind) {
  return kind.experiment ? kind.experiment() : Experiment{};
}

std::int32_t refuse(const void*, const void*) {
  return PP_UNSUPPORTED;
}

constexpr std::size_t kFirstSlot = offsetof(PpOps, fill);

/// The kernels of the host without the ops that are not in a set of slots.
PpOps opsOf(const std::set<std::uint64_t>& slots) {
  PpOps ops = *tensor::hostDevice().backend().ops;
  std::int32_t (*const refused)(const void*, const void*) = refuse;
  for (std::size_t slot = kFirstSlot; slot < sizeof(PpOps); slot += sizeof(void*))
    if (!slots.contains(slot))
      std::memcpy(reinterpret_cast<std::byte*>(&ops) + slot, &refused, sizeof refused);
  return ops;
}

std::set<std::uint64_t> slotsOf(const std::vector<nn::NeededOp>& needed) {
  std::set<std::uint64_t> slots;
  for (const nn::NeededOp& each : needed) slots.insert(each.op.slot);
  return slots;
}

std::uint64_t lackingSlot = 0;

/// A device with memory of its own on the host's kernels; `ops` outlive it.
PpDevice deviceOf(const PpOps& ops) {
  PpDevice device = tensor::hostDevice().backend();
  device.memoryKind = PP_MEMORY_DEVICE;
  device.ops = &ops;
  device.supports = [](std::int32_t, std::uint64_t op, std::int32_t, std::int32_t) {
    return static_cast<std::int32_t>(op != lackingSlot);
  };
  return device;
}

mesh::DeviceMesh meshOf(const PpDevice& backend, int devices) {
  std::vector<tensor::Device> all;
  for (int index = 0; index < devices; ++index)
    all.emplace_back("apart:" + std::to_string(index), backend, index, "portable");
  return mesh::DeviceMesh::arrange(all, std::nullopt, {"data"}, experiment::MemorySpaces::kShared)
      .value();
}

}  // namespace

class MissingOpsTest : public QObject {
  Q_OBJECT

  const std::vector<Kind> kinds_ = everyKind();

 private Q_SLOTS:
  void cleanup() { lackingSlot = 0; }

  // A device that has the named ops alone trains: no step calls another.
  void aStepCallsTheNamedOpsAlone_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("devices");
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
      for (const int devices : {1, 3})
        QTest::addRow("%d %s, %d devices", static_cast<int>(kind), kinds_[kind].name, devices)
            << static_cast<int>(kind) << devices;
  }
  void aStepCallsTheNamedOpsAlone() {
    QFETCH(int, kind);
    QFETCH(int, devices);
    const Kind& of = kinds_[static_cast<std::size_t>(kind)];
    const Experiment experiment = experimentOf(of);
    const nn::Model model = sample::modelOf(of);
    const PpOps ops = opsOf(slotsOf(nn::neededOps(experiment, model)));
    const PpDevice backend = deviceOf(ops);
    for (const auto placement : {experiment::Placement::kReplicated, experiment::Placement::kRow}) {
      if (devices == 1 && placement == experiment::Placement::kRow) continue;
      sample::Trainer trainer(sample::modelOf(of), meshOf(backend, devices), 1,
                              sample::kExamples + of.extra, sample::idsPerRow(model), placement);
      sample::fitTransforms(trainer);
      sample::Steps steps(trainer.model, of.extra);
      const Status trained = trainer.plan.train(steps.input(0), 1);
      QVERIFY2(trained.ok(), trained.ok() ? "" : trained.error().message.c_str());
    }
  }

  // Or the case above would prove nothing: without one of them the step fails, and names the rank.
  void aStepFailsWithoutANamedOp() {
    const Experiment experiment = sample::ranking(experiment::LossKind::kMse);
    std::set<std::uint64_t> slots = slotsOf(nn::neededOps(experiment, sample::build(experiment)));
    QCOMPARE(slots.erase(offsetof(PpOps, layerNormGradient)), std::size_t{1});
    const PpOps ops = opsOf(slots);
    const PpDevice backend = deviceOf(ops);
    sample::Trainer trainer(sample::build(experiment), meshOf(backend, 2), 1, sample::kExamples);
    sample::Steps steps(trainer.model, 0);
    const Status trained = trainer.plan.train(steps.input(0), 1);
    QVERIFY(!trained.ok());
    QCOMPARE(trained.error().code, ErrorCode::kDevice);
    QVERIFY2(trained.error().message.starts_with(
                 "rank 0 (apart:0): [tensor.layerNormGradient] apart:0 failed with code 3"),
             trained.error().message.c_str());
  }

  void namesTheLayerAndTheDevicesThatHaveTheOp() {
    const Experiment experiment = sample::ranking(experiment::LossKind::kMse);
    const nn::Model model = sample::build(experiment);
    lackingSlot = offsetof(PpOps, layerNormGradient);
    const PpDevice backend = deviceOf(*tensor::hostDevice().backend().ops);
    const auto problems = nn::missingOps(experiment, model, meshOf(backend, 2));
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].pointer, std::string("/model/layers/3"));
    QCOMPARE(problems[0].message, std::string("apart:0 lacks the operation layerNormGradient"));
    QVERIFY(problems[0].accepted.starts_with("devices that have it: cpu:0"));
  }

  void namesFeatureLossAndOptimizer_data() {
    QTest::addColumn<quint64>("slot");
    QTest::addColumn<QByteArray>("pointer");
    QTest::newRow("feature") << quint64{offsetof(PpOps, bagRows)} << QByteArray("/features/0");
    QTest::newRow("loss") << quint64{offsetof(PpOps, squaredError)} << QByteArray("/loss");
    QTest::newRow("optimizer") << quint64{offsetof(PpOps, adagrad)} << QByteArray("/optimizer");
    QTest::newRow("every step") << quint64{offsetof(PpOps, sumParts)}
                                << QByteArray("/mesh/devices");
  }
  void namesFeatureLossAndOptimizer() {
    QFETCH(quint64, slot);
    QFETCH(QByteArray, pointer);
    Experiment experiment = sample::ranking(experiment::LossKind::kMse);
    experiment.optimizer.kind = experiment::OptimizerKind::kAdagrad;
    const nn::Model model = sample::build(experiment);
    lackingSlot = slot;
    const PpDevice backend = deviceOf(*tensor::hostDevice().backend().ops);
    const auto problems = nn::missingOps(experiment, model, meshOf(backend, 1));
    QVERIFY(!problems.empty());
    QCOMPARE(problems[0].pointer, pointer.toStdString());
  }

  // Once, at the document's own setting, however many layers multiply.
  void tf32IsAskedOfTheDevices() {
    Experiment experiment = sample::ranking(experiment::LossKind::kMse);
    experiment.training.precision = experiment::Precision::kTf32;
    const nn::Model model = sample::build(experiment);
    QVERIFY(model.graph.precision() == tensor::Precision::kTf32);
    const PpDevice without = tensor::hostDevice().backend();
    const auto problems = nn::missingOps(experiment, model, meshOf(without, 2));
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].pointer, std::string("/training/precision"));
    QCOMPARE(problems[0].message, std::string("apart:0 has no products in tf32"));
    QCOMPARE(problems[0].accepted, std::string("fp32 or bf16; no device here has tf32"));
    const PpDevice with = deviceOf(*tensor::hostDevice().backend().ops);  // whatever it is asked
    QVERIFY(nn::missingOps(experiment, model, meshOf(with, 2)).empty());
    // A model without a layer that multiplies names it all the same.
    Experiment plain = sample::plainDot(6);
    plain.training.precision = experiment::Precision::kTf32;
    const auto ofPlain = nn::missingOps(plain, sample::build(plain), meshOf(without, 1));
    QCOMPARE(ofPlain.size(), std::size_t{1});
    QCOMPARE(ofPlain[0].pointer, std::string("/training/precision"));
  }

  void aWholeDeviceLacksNothing() {
    for (const Kind& kind : kinds_) {
      const PpDevice backend = deviceOf(*tensor::hostDevice().backend().ops);
      QVERIFY(
          nn::missingOps(experimentOf(kind), sample::modelOf(kind), meshOf(backend, 2)).empty());
    }
  }
};

QTEST_GUILESS_MAIN(MissingOpsTest)
#include "missing_ops_test.moc"
