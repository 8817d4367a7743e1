// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QTableView>
#include <QTest>

#include "tests/ui/test_bench.h"
#include "ui/pages/devices/devices_page.h"

using namespace parapet;
using namespace parapet::ui;

class DevicesTest : public QObject {
  Q_OBJECT

 private slots:
  void listsWhatTheEngineFound() {
    TestBench bench;
    DevicesPage page(bench.bench);
    auto* table = page.findChild<QTableView*>();
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
    auto* table = page.findChild<QTableView*>();
    QVERIFY(QTest::qWaitFor([&] { return table->model()->rowCount() > 0; }, 10'000));
    for (QAction* action : page.pageActions())
      if (action->text() == "Copy the devices") action->trigger();
    const QStringList lines = QGuiApplication::clipboard()->text().trimmed().split('\n');
    QCOMPARE(lines.front(), QString("name,kind,outcome,memory_bytes,plugin,reason"));
    QCOMPARE(lines.size(), table->model()->rowCount() + 1);
  }

  void modelKeepsItsPromises() {
    DeviceModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setDevices({{"cpu:0", "cpu", "built in", "loaded", "", 1024},
                      {"cuda", "cuda", "cuda.so", "not supported here", "no driver, no GPU", 0}});
    QCOMPARE(model.loaded(), 1);
    QCOMPARE(model.index(1, DeviceModel::kMemory).data().toString(), QString("–"));
    QCOMPARE(model.index(1, DeviceModel::kReason).data().toString(), QString("no driver, no GPU"));
    QVERIFY(model.asCsv().contains("\"no driver, no GPU\""));
    const auto json = nlohmann::json::parse(model.asJson().toStdString());
    QCOMPARE(json[0]["memory_bytes"].get<int>(), 1024);
    QVERIFY(json[1]["memory_bytes"].is_null());
  }
};

QTEST_MAIN(DevicesTest)
#include "devices_test.moc"
