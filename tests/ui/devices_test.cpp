// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/wait.h>
#include <unistd.h>

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QMessageBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <limits>

#include "engine/base/probe_journal.h"
#include "tests/ui/test_bench.h"
#include "ui/forms/report_view.h"
#include "ui/pages/devices/devices_page.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

const char* const kSamplePlugin = PARAPET_SAMPLE_PLUGINS "/good/parapet_sample_good.so";

/// Leaves behind what a process leaves that dies while it tries the plugin.
void crashWhileTrying() {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto mark = ProbeJournal::ofUser().mark(kSamplePlugin, ProbeJournal::MarkedBy::kAnyDeath);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

}  // namespace

/// The devices of this process: the portable CPU, and a plugin that crashed at the start before.
class DevicesTest : public QObject {
  Q_OBJECT

  static QToolButton* button(const DevicesPage& page, const QString& name) {
    for (auto* found : page.findChildren<QToolButton*>())
      if (found->accessibleName() == name) return found;
    return nullptr;
  }
  static QTableView* deviceTable(const DevicesPage& page) {
    for (auto* table : page.findChildren<QTableView*>())
      if (table->accessibleName() == "Devices and plugins") return table;
    return nullptr;
  }
  static QModelIndex rowOf(const QAbstractItemModel& shown, const QString& device) {
    return shown.match(shown.index(0, DeviceModel::kName), Qt::DisplayRole, device).value(0);
  }
  static DeviceModel::Health health(const DeviceModel& model, int row) {
    return model.index(row, 0).data(DeviceModel::kHealthRole).value<DeviceModel::Health>();
  }
  static workspace::DeviceInfo disabled() {
    workspace::DeviceInfo device{"cpu_x", "cpu", "/lib/parapet_cpu_x.so", "disabled", "it crashed"};
    device.fault = device.crashed = true;
    return device;
  }

  const QTemporaryDir state_;

 private slots:
  void initTestCase() {
    qputenv("XDG_STATE_HOME", state_.path().toUtf8());
    qputenv("PARAPET_PLUGIN_PATH", PARAPET_SAMPLE_PLUGINS "/good");
    crashWhileTrying();
    crashWhileTrying();
  }

  void listsWhatTheEngineFound() {
    TestBench bench;
    DevicesPage page(bench.bench);
    auto* table = deviceTable(page);
    const auto found = workspace::Workspace::devices();
    QVERIFY(!found.empty());
    QVERIFY(QTest::qWaitFor(
        [&] { return table->model()->rowCount() == static_cast<int>(found.size()); }, 10'000));
    const QAbstractItemModel& shown = *table->model();
    QCOMPARE(shown.match(shown.index(0, DeviceModel::kName), Qt::DisplayRole, "cpu:0").size(), 1);
  }

  void copiesTheTableAsCsv() {
    TestBench bench;
    DevicesPage page(bench.bench);
    auto* table = deviceTable(page);
    QVERIFY(QTest::qWaitFor([&] { return table->model()->rowCount() > 0; }, 10'000));
    for (QAction* action : page.pageActions())
      if (action->text() == "Copy the devices") action->trigger();
    const QStringList lines = QGuiApplication::clipboard()->text().trimmed().split('\n');
    QVERIFY(lines.front().startsWith("name,kind,instruction_set,outcome,memory_bytes,plugin"));
    QCOMPARE(lines.size(), table->model()->rowCount() + 1);
    QVERIFY(page.findChild<QMessageBox*>() == nullptr);
    // Formulas are told, as they are of a file.
    copyCsv(&page, "name\n=1+1\n");
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("name\n=1+1\n"));
    const auto* box = page.findChild<QMessageBox*>();
    QVERIFY(box && box->text().contains("=1+1"));
  }

  void selfTestFillsTheRowsOfUsableDevices() {
    TestBench bench;
    DevicesPage page(bench.bench);
    page.show();
    auto* table = deviceTable(page);
    auto* progress = page.findChild<ThinProgressBar*>();
    QVERIFY(QTest::qWaitFor([&] { return table->model()->rowCount() > 0; }, 10'000));
    QVERIFY(!progress->isVisible());
    const auto inRow = [&](int column) {
      return rowOf(*table->model(), "cpu:0").siblingAtColumn(column).data().toString();
    };
    QCOMPARE(inRow(DeviceModel::kSelfTest), QString("not tested"));

    QTest::mouseClick(button(page, "Test the devices"), Qt::LeftButton);
    QVERIFY(progress->isVisible());
    QVERIFY(button(page, "Stop the self-test")->isVisible());
    QVERIFY(!button(page, "Test the devices")->isVisible());
    QVERIFY(QTest::qWaitFor([&] { return !progress->isVisible(); }, 120'000));
    QVERIFY2(inRow(DeviceModel::kSelfTest).endsWith(" passed"),
             qPrintable(inRow(DeviceModel::kSelfTest)));
    for (const int column :
         {DeviceModel::kError, DeviceModel::kGather, DeviceModel::kCopy, DeviceModel::kMatmul})
      QVERIFY2(inRow(column).toDouble() > 0.0, qPrintable(inRow(column)));
    QCOMPARE(page.terminalCommand(), QString("parapet-cli selftest"));
    auto* ops = page.findChild<DeviceDetails*>()->findChild<QTableView*>();
    QVERIFY(ops->isVisible() && ops->model()->rowCount() > 10);

    button(page, "Look for devices again")->click();
    QVERIFY(QTest::qWaitFor([&] { return button(page, "Look for devices again")->isEnabled(); }));
    QVERIFY2(inRow(DeviceModel::kSelfTest).endsWith(" passed"), "a refresh forgets nothing");
  }

  void selfTestCanBeStopped() {
    TestBench bench;
    DevicesPage page(bench.bench);
    page.show();
    auto* table = deviceTable(page);
    QVERIFY(QTest::qWaitFor([&] { return table->model()->rowCount() > 0; }, 10'000));
    QString message;
    connect(&page, &Page::complained, this, [&](const QString& text) { message = text; });
    button(page, "Test the devices")->click();
    button(page, "Stop the self-test")->click();
    QVERIFY(QTest::qWaitFor([&] { return !message.isEmpty(); }, 60'000));
    QCOMPARE(message, QString("The self-test was stopped"));
    QVERIFY(button(page, "Test the devices")->isVisible());
  }

  void aPluginThatCrashedIsToldAndOffersAnotherTry() {
    TestBench bench;
    DevicesPage page(bench.bench);
    page.show();
    auto* table = deviceTable(page);
    QVERIFY(QTest::qWaitFor([&] { return table->model()->rowCount() > 0; }, 10'000));
    const QModelIndex row = rowOf(*table->model(), "sample_good");
    QCOMPARE(row.siblingAtColumn(DeviceModel::kOutcome).data().toString(), QString("disabled"));
    QCOMPARE(row.data(DeviceModel::kHealthRole).value<DeviceModel::Health>(),
             DeviceModel::Health::kBad);
    QString message;
    connect(&page, &Page::messageRequested, this, [&](const QString& text) { message = text; });
    QVERIFY(button(page, "Try disabled plugins again")->isVisible());
    button(page, "Try disabled plugins again")->click();
    QCOMPARE(message, QString("The next start of Parapet tries them again"));
    QVERIFY(!ProbeJournal::ofUser().crashOf(kSamplePlugin));
  }

  void modelKeepsItsPromises() {
    DeviceModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setDevices({{"cpu:0", "cpu", "built in", "loaded", "", 1024, "portable", true},
                      {"cuda", "cuda", "/lib/cuda.so", "not supported here", "no driver, no GPU"},
                      disabled()});
    QCOMPARE(model.usable(), 1);
    QCOMPARE(model.index(1, DeviceModel::kMemory).data().toString(), QString("–"));
    QCOMPARE(model.index(1, DeviceModel::kName).data(Qt::ToolTipRole).toString(),
             QString("/lib/cuda.so"));
    QCOMPARE(model.index(1, DeviceModel::kReason).data().toString(), QString("no driver, no GPU"));
    QCOMPARE(health(model, 0), DeviceModel::Health::kGood);
    QCOMPARE(health(model, 1), DeviceModel::Health::kCareful);
    QCOMPARE(health(model, 2), DeviceModel::Health::kBad);
    QVERIFY(model.asCsv().contains("\"no driver, no GPU\""));
    const auto json = nlohmann::json::parse(model.asJson().toStdString());
    QCOMPARE(json[0]["memory_bytes"].get<int>(), 1024);
    QVERIFY(json[1]["memory_bytes"].is_null());
    QVERIFY(json[0]["max_error_units"].is_null());
  }

  void modelTellsAFailedSelfTest() {
    DeviceModel model;
    model.setDevices({{"cpu:0", "cpu", "built in", "loaded", "", 1024, "portable", true}});
    selftest::DeviceReport report{.device = "cpu:0", .kind = "cpu", .instructionSet = "portable"};
    report.cases = 1000;
    report.maxError = std::numeric_limits<double>::infinity();
    report.failures.push_back({"fill 7", "fill", {report.maxError, 0.0, false, "out[0] is 1"}});
    model.setReport(report);
    QCOMPARE(health(model, 0), DeviceModel::Health::kBad);
    QCOMPARE(model.index(0, DeviceModel::kSelfTest).data().toString(),
             QString("1 of 1,000 failed"));
    QCOMPARE(model.index(0, DeviceModel::kError).data().toString(), QString("failed"));
    QCOMPARE(model.index(0, DeviceModel::kGather).data().toString(), QString("–"));
    QVERIFY(nlohmann::json::parse(model.asJson().toStdString())[0]["max_error_units"].is_null());
  }
};

QTEST_MAIN(DevicesTest)
#include "devices_test.moc"
