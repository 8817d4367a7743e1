// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/event_file.h"

#include <QtTest>
#include <cstring>

#include "engine/base/files.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;

/// Curves as TensorBoard reads them.
class EventFileTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theChecksumIsThatOfTheStandard() {
    QCOMPARE(workspace::crc32c("123456789"), 0xE3069283u);
    QCOMPARE(workspace::crc32c(std::string(32, '\0')), 0x8A9136AAu);
    QCOMPARE(workspace::crc32c(""), 0u);
  }

  // Bytes as the format defines them: length, masked checksum, event, masked checksum.
  void aScalarHasTheBytesOfTheFormat() {
    workspace::EventFile file(0.0);
    const std::size_t header = file.bytes().size();
    file.add(1.5, 300, "loss", 0.25f);
    const std::string record = file.bytes().substr(header);
    const unsigned char event[] = {0x09, 0,    0,    0,    0,    0,   0,   0xF8, 0x3F,  // 1.5
                                   0x10, 0xAC, 0x02,                                    // step 300
                                   0x2A, 0x0D, 0x0A, 0x0B, 0x0A, 4,   'l', 'o',  's',
                                   's',  0x15, 0,    0,    0x80, 0x3E};  // 0.25
    std::uint64_t length = 0;
    std::memcpy(&length, record.data(), sizeof length);
    QCOMPARE(length, std::uint64_t{sizeof event});
    QCOMPARE(record.size(), 8 + 4 + sizeof event + 4);
    QCOMPARE(std::memcmp(record.data() + 12, event, sizeof event), 0);
  }

  void aRunIsExported() {
    testing::TemporaryWorkspace place;
    const workspace::RunOutcome run = place.train(testing::smallSample());
    workspace::ExportOptions options;
    options.what = workspace::ExportWhat::kCurves;
    options.format = "tfevents";
    options.out = place.folder.filePath("log").toStdString();
    const auto exported = place->exportRun(run.runId, options, {});
    QVERIFY2(exported.ok(), exported ? "" : exported.error().text().c_str());
    QCOMPARE(exported->files.size(), std::size_t{1});
    QVERIFY(exported->files[0].filename().string().starts_with("events.out.tfevents."));
    const std::string bytes = readFile(exported->files[0]).value();
    // Every record ends where the next begins; two validations and 20 steps are there.
    std::size_t at = 0, records = 0;
    while (at < bytes.size()) {
      std::uint64_t length = 0;
      QVERIFY(at + 12 <= bytes.size());
      std::memcpy(&length, bytes.data() + at, sizeof length);
      at += 8 + 4 + length + 4;
      ++records;
    }
    QCOMPARE(at, bytes.size());
    QVERIFY(records >= 1 + 2 * 4 + 20);
    QVERIFY(bytes.find("val_loss") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(EventFileTest)
#include "event_file_test.moc"
