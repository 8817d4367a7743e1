// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>

#include "engine/tensor/device.h"

using namespace parapet;

/// The plugin as nvcc built it, on a machine without a GPU.
class NoDriverTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void loadsAndSaysThatThereIsNoDriver() {
    const QTemporaryDir folder;
    const tensor::DeviceRegistry registry(
        {{PARAPET_CUDA_PLUGIN}, true, ProbeJournal(folder.filePath("probes").toStdString())});
    const auto found =
        std::ranges::find(registry.outcomes(), "cuda", &tensor::BackendOutcome::kind);
    QVERIFY(found != registry.outcomes().end());
    if (found->outcome == PluginOutcome::kLoaded) {
      // Here it has to say which one it is.
      QVERIFY2(found->reason.find("compute capability") != std::string::npos,
               found->reason.c_str());
      return;
    }
    QCOMPARE(found->outcome, PluginOutcome::kNotSupported);
    QVERIFY2(found->reason.find("driver") != std::string::npos ||
                 found->reason.find("no GPU") != std::string::npos,
             found->reason.c_str());
    QVERIFY(!registry.find("cuda:0"));
  }
};

QTEST_GUILESS_MAIN(NoDriverTest)
#include "no_driver_test.moc"
