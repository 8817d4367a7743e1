// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "engine/selftest/cases.h"
#include "engine/selftest/device_report.h"

using namespace parapet;
using selftest::DeviceReport;

namespace {

/// The portable device with a fill that writes another number than it was asked for.
tensor::Device wrongDevice() {
  static const PpOps ops = [] {
    PpOps wrong = tensor::hostDevice().ops();
    wrong.fill = [](const PpCall* call, const PpFill* fill) {
      PpFill other = *fill;
      other.value += 1.0f;
      return tensor::hostDevice().ops().fill(call, &other);
    };
    return wrong;
  }();
  static const PpDevice backend = [] {
    PpDevice wrong = tensor::hostDevice().backend();
    wrong.ops = &ops;
    return wrong;
  }();
  return {"cpu:wrong", backend, 0, "wrong"};
}

}  // namespace

class DeviceReportTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aGoodDevicePassesWithinSomeUnitsOfRounding() {
    std::int64_t done = -1, total = 0;
    WorkContext context;
    context.progress = [&](std::string_view stage, std::int64_t at, std::int64_t of) {
      QVERIFY(stage.starts_with("portable "));
      QVERIFY(at == done + 1);
      done = at;
      total = of;
    };
    const auto report = selftest::testDevice(tensor::hostDevice(), {.speed = false}, context);
    QVERIFY(report.ok() && report->passed());
    QVERIFY(report->maxErrorUnits() > 0.0 && report->maxErrorUnits() < 64.0);
    QVERIFY(!report->speed);
    // Cases are counted by op, and progress goes over all.
    QCOMPARE(report->cases, static_cast<int>(total));
    QCOMPARE(done, total - 1);
    int cases = 0;
    for (const selftest::OpReport& op : report->ops) cases += op.cases;
    QCOMPARE(cases, report->cases);
    QVERIFY2(report->cases > static_cast<int>(selftest::opCases(tensor::hostDevice()).size()),
             "the collectives are tested too");
  }

  void aWrongOpIsNamedWithWhatItDid() {
    const auto report = selftest::testDevice(wrongDevice(), {.speed = false}, {});
    QVERIFY(report.ok() && !report->passed());
    for (const selftest::FailedCase& failed : report->failures) {
      QCOMPARE(failed.op, std::string("fill"));
      QVERIFY(failed.outcome.detail.find("out[0]") != std::string::npos);
    }
    const auto fill = std::ranges::find(report->ops, "fill", &selftest::OpReport::op);
    QCOMPARE(static_cast<std::size_t>(fill->failed), report->failures.size());
    QVERIFY2(fill->failed < fill->cases, "filling nothing cannot go wrong");
  }

  void measuresSpeedOnlyWhenAsked() {
    const auto speed = selftest::measureSpeed({&tensor::hostDevice(), nullptr}, {});
    QVERIFY(speed.ok());
    for (const double measured : {speed->fillBytesPerSecond, speed->copyBytesPerSecond,
                                  speed->gatherBytesPerSecond, speed->matmulFlopsPerSecond})
      QVERIFY(measured > 0.0 && std::isfinite(measured));
  }

  void stopsWhenAsked() {
    std::stop_source stopped;
    stopped.request_stop();
    WorkContext context;
    context.stop = stopped.get_token();
    const auto report = selftest::testDevice(tensor::hostDevice(), {}, context);
    QVERIFY(!report.ok());
    QCOMPARE(report.error().code, ErrorCode::kCancelled);
    QCOMPARE(selftest::measureSpeed({&tensor::hostDevice(), nullptr}, context.stop).error().code,
             ErrorCode::kCancelled);
  }

  void devicesAreFoundByNameKindAndInstructionSet() {
    const auto all = selftest::devicesNamed("");
    QCOMPARE(selftest::devicesNamed("cpu")->size(), all->size());
    QCOMPARE(selftest::devicesNamed("portable")->size(), std::size_t{1});
    QCOMPARE(selftest::devicesNamed("cpu:0")->size(), std::size_t{1});
    QCOMPARE(selftest::devicesNamed("cpu:3")->front().name(), std::string("cpu:3"));
    const auto unknown = selftest::devicesNamed("cpu:0x");
    QVERIFY(!unknown.ok());
    QCOMPARE(unknown.error().code, ErrorCode::kInvalidDocument);
    QVERIFY(unknown.error().message.find("cpu:0") != std::string::npos);
    if (tensor::DeviceRegistry::instance().find("cuda:0")) return;
    const auto absent = selftest::devicesNamed("cuda:0");
    QVERIFY2(!absent && absent.error().message.find("here (no ") != std::string::npos,
             absent.error().message.c_str());
  }
};

QTEST_GUILESS_MAIN(DeviceReportTest)
#include "device_report_test.moc"
