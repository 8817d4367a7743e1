// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"

using namespace parapet;
using namespace parapet::experiment;

class DevicesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void expandsNames_data() {
    QTest::addColumn<QString>("entries");
    QTest::addColumn<QString>("ranks");
    QTest::newRow("star") << "cpu*2"
                          << "cpu:0 cpu:1";
    QTest::newRow("x") << "2xcpu"
                       << "cpu:0 cpu:1";
    QTest::newRow("bare") << "cpu"
                          << "cpu:0";
    QTest::newRow("index") << "cpu:3"
                           << "cpu:3";
    QTest::newRow("continues numbering") << "cpu*2 cpu*1"
                                         << "cpu:0 cpu:1 cpu:2";
    QTest::newRow("continues after an index") << "cpu:4 cpu*2"
                                              << "cpu:4 cpu:5 cpu:6";
    QTest::newRow("gpu") << "cuda:0 cuda:1/1"
                         << "cuda:0 cuda:1/1";
    QTest::newRow("emulated") << "emu*2 2xemu emu:7"
                              << "emu:0 emu:1 emu:2 emu:3 emu:7";
    QTest::newRow("parts apart") << "emu:0/0 emu:1/0 emu:0/1"
                                 << "emu:0/0 emu:1/0 emu:0/1";
    QTest::newRow("parts") << "cuda:1/0 cuda:1/1 cuda:0 emu:0/3"
                           << "cuda:1/0 cuda:1/1 cuda:0 emu:0/3";
    QTest::newRow("mixed") << "cuda:0 cpu*1"
                           << "cuda:0 cpu:0";
  }
  void expandsNames() {
    QFETCH(QString, entries);
    QFETCH(QString, ranks);
    const auto expanded = expandDevices(split(entries));
    QVERIFY2(expanded.ok(), expanded.ok() ? "" : expanded.error().text().c_str());
    QCOMPARE(QString::fromStdString(join(*expanded, " ")), ranks);
  }

  void refusesNames_data() {
    QTest::addColumn<QString>("entries");
    QTest::addColumn<QString>("pointer");
    for (const char* entry : {"gpu",     "cpu*0",      "0xcpu",
                              "cpu*",    "cpu:",       "cpu:-1",
                              "cpu:01",  "cpu*1025",   "cpu*99999999999999999999",
                              "CPU:0",   "cuda",       "cuda:",
                              "cuda:0/", "cuda:0/1/2", "cpu :0",
                              "xcpu",    "xemu",       "emu",
                              "emu*",    "0xemu",      "2xcuda",
                              "cpu:0x",  "cpu:+1",     "cpu:0/1",
                              "emu:0/",  "emu:/1",     "emu:0/1/2"})
      QTest::newRow(entry) << entry << "/mesh/devices/0";
    QTest::newRow("twice") << "cpu:0 cpu:0"
                           << "/mesh/devices/1";
    QTest::newRow("bare twice") << "cpu cpu"
                                << "/mesh/devices/1";
    QTest::newRow("again by index") << "cpu*2 cpu:1"
                                    << "/mesh/devices/1";
    QTest::newRow("a part beside its device") << "cuda:0 cuda:0/1"
                                              << "/mesh/devices/1";
    QTest::newRow("a device beside its part") << "emu:0/1 emu:0"
                                              << "/mesh/devices/1";
    QTest::newRow("a part twice") << "emu:0/1 emu:0/1"
                                  << "/mesh/devices/1";
    QTest::newRow("too many together") << "cpu*1024 cuda:0"
                                       << "/mesh/devices/1";
  }
  void refusesNames() {
    QFETCH(QString, entries);
    QFETCH(QString, pointer);
    const auto expanded = expandDevices(split(entries));
    QVERIFY(!expanded.ok());
    QCOMPARE(expanded.error().code, ErrorCode::kInvalidDocument);
    QCOMPARE(QString::fromStdString(expanded.error().pointer), pointer);
    QVERIFY(expanded.error().message.find("cuda:0/1") != std::string::npos);
  }

  void acceptsTheLargestMesh() { QCOMPARE(expandDevices({"cpu*1024"})->size(), std::size_t{1024}); }
  void refusesNoDevices() { QVERIFY(!expandDevices({}).ok()); }

 private:
  static std::vector<std::string> split(const QString& entries) {
    std::vector<std::string> names;
    // "cpu :0" is one name with a blank in it.
    if (entries == "cpu :0") return {"cpu :0"};
    for (const QString& entry : entries.split(' ')) names.push_back(entry.toStdString());
    return names;
  }
};

QTEST_GUILESS_MAIN(DevicesTest)
#include "devices_test.moc"
