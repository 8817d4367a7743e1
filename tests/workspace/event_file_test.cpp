// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/event_file.h"

#include <QtTest>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "engine/base/files.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;

namespace {

/// A message in the encoding of protocol buffers: its fields, in order.
struct Field {
  std::uint64_t number = 0, varint = 0;
  std::string bytes;  ///< of the fixed and length-delimited ones

  [[nodiscard]] double real() const {
    double value = 0.0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
};

std::vector<Field> fieldsOf(const std::string& message) {
  std::vector<Field> fields;
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(message.at(at++));
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.size()) {
    const std::uint64_t key = varint();
    Field field{key >> 3, 0, {}};
    std::uint64_t bytes = 0;
    switch (key & 7) {
      case 0:
        field.varint = varint();
        break;
      case 1:
        bytes = 8;
        break;
      case 2:
        bytes = varint();
        break;
      case 5:
        bytes = 4;
        break;
      default:
        throw std::runtime_error("wire type");
    }
    field.bytes = message.substr(at, bytes);
    if (field.bytes.size() != bytes) throw std::runtime_error("a field is cut");
    at += bytes;
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string bytesOf(const std::vector<Field>& fields, std::uint64_t number) {
  for (const Field& field : fields)
    if (field.number == number) return field.bytes;
  return {};
}

/// The value of an event.
struct Value {
  std::int64_t step = 0;
  std::string tag;
  std::optional<float> scalar;
  std::string tensor, metadata;
  std::vector<Field> histogram;
};

std::uint32_t maskedCrc(const std::string& bytes) {
  const std::uint32_t crc = workspace::crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

/// The events of a file, whose checksums are verified.
std::vector<Value> valuesOf(const std::string& file) {
  std::vector<Value> values;
  const auto number = [&]<class T>(std::size_t at, T value) {
    std::memcpy(&value, file.data() + at, sizeof value);
    return value;
  };
  for (std::size_t at = 0; at < file.size();) {
    const auto length = number(at, std::uint64_t{0});
    if (number(at + 8, std::uint32_t{0}) != maskedCrc(file.substr(at, 8)))
      throw std::runtime_error("checksum of a length");
    const std::string event = file.substr(at + 12, length);
    if (number(at + 12 + length, std::uint32_t{0}) != maskedCrc(event))
      throw std::runtime_error("checksum of an event");
    at += 12 + length + 4;
    const auto fields = fieldsOf(event);
    if (bytesOf(fields, 5).empty()) continue;
    const auto of = fieldsOf(bytesOf(fieldsOf(bytesOf(fields, 5)), 1));
    Value value;
    for (const Field& field : fields)
      if (field.number == 2) value.step = static_cast<std::int64_t>(field.varint);
    value.tag = bytesOf(of, 1);
    if (const std::string scalar = bytesOf(of, 2); scalar.size() == 4) {
      value.scalar.emplace();
      std::memcpy(&*value.scalar, scalar.data(), 4);
    }
    value.tensor = bytesOf(of, 8);
    value.metadata = bytesOf(of, 9);
    if (const std::string histogram = bytesOf(of, 5); !histogram.empty())
      value.histogram = fieldsOf(histogram);
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<double> packed(const std::string& bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
  return numbers;
}

}  // namespace

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

  void aHistogramCountsItsValues() {
    workspace::EventFile file(0.0);
    std::vector<float> values{-1.0f, 0.0f, 0.5f, 3.0f, std::nanf("")};
    file.addHistogram(2.0, 7, "weights/w", values);
    file.addHistogram(2.0, 7, "constant", std::vector<float>(5, 2.0f));
    file.addHistogram(2.0, 7, "none", std::vector<float>{});
    const auto found = valuesOf(file.bytes());
    QCOMPARE(found.size(), std::size_t{2});
    QCOMPARE(found[0].step, std::int64_t{7});
    const auto& fields = found[0].histogram;
    const std::array expected{-1.0, 3.0, 4.0, 2.5, 10.25};  // min, max, count, sum, squares
    for (std::size_t i = 0; i < expected.size(); ++i) QCOMPARE(fields[i].real(), expected[i]);
    const auto limits = packed(bytesOf(fields, 6)), counts = packed(bytesOf(fields, 7));
    QCOMPARE(limits.size(), workspace::EventFile::kBuckets);
    QCOMPARE(limits.back(), 3.0);
    QCOMPARE(counts.front(), 1.0);
    QCOMPARE(counts.back(), 1.0);
    QCOMPARE(std::accumulate(counts.begin(), counts.end(), 0.0), 4.0);
    QCOMPARE(packed(bytesOf(found[1].histogram, 7)), std::vector<double>{5.0});
  }

  void aTextIsATensor() {
    workspace::EventFile file(0.0);
    file.addText(0.0, 0, "document", "{}");
    const auto found = valuesOf(file.bytes());
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(bytesOf(fieldsOf(found[0].tensor), 8), std::string("{}"));
    QCOMPARE(bytesOf(fieldsOf(bytesOf(fieldsOf(found[0].metadata), 1)), 1), std::string("text"));
  }

  void aRunIsWrittenWhileItTrains() {
    testing::TemporaryWorkspace place;
    experiment::Experiment experiment = testing::smallSample();
    const std::filesystem::path folder = place.folder.filePath("board").toStdString();
    experiment.training.tensorboard = folder.string();
    std::map<std::string, int> atFirstEpoch;
    const auto read = [&] {
      std::map<std::string, int> count;
      for (const auto& run : std::filesystem::directory_iterator(folder))
        for (const auto& file : std::filesystem::directory_iterator(run))
          for (const auto& value : valuesOf(readFile(file.path()).value())) ++count[value.tag];
      return count;
    };
    testing::RecordingSink sink;
    int epochs = 0;
    // The event of an epoch comes here before the file has it: the second one sees the first.
    sink.hook = [&](const experiment::RunEvent& event) {
      if (std::holds_alternative<experiment::EpochEnded>(event) && ++epochs == 2)
        atFirstEpoch = read();
    };
    auto run = place->start(experiment, {.threads = 1, .sink = &sink});
    QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
    const auto outcome = (*run)->wait();
    QCOMPARE(outcome.state, experiment::RunState::kFinished);
    QCOMPARE(atFirstEpoch["loss"], 1);
    QCOMPARE(atFirstEpoch["document"], 1);
    const auto all = read();
    QCOMPARE(all.at("loss"), 2);
    QCOMPARE(all.at("val_loss"), 2);
    QCOMPARE(all.at("learning_rate"), 2);
    QCOMPARE(all.at("step_loss"), static_cast<int>(outcome.steps));
    QCOMPARE(all.at("weights/tables/user"), 2);
    const std::filesystem::path own = folder / outcome.runId;
    for (const auto& file : std::filesystem::directory_iterator(own))
      for (const auto& value : valuesOf(readFile(file.path()).value()))
        if (value.tag == "val_loss" && value.step == outcome.steps)
          QCOMPARE(*value.scalar,
                   static_cast<float>(std::ranges::find(outcome.epochs.back().metrics, "val_loss",
                                                        &experiment::Metric::first)
                                          ->second));
  }

  void aFolderThatCannotBeMadeIsTold() {
    testing::TemporaryWorkspace place;
    experiment::Experiment experiment = testing::smallSample();
    const QString file = place.folder.filePath("file");
    QVERIFY(QFile(file).open(QFile::WriteOnly));
    experiment.training.tensorboard = file.toStdString() + "/board";
    const auto outcome = place.train(experiment);
    QCOMPARE(outcome.state, experiment::RunState::kFailed);
    QVERIFY(outcome.error.has_value());
    QCOMPARE(outcome.error->pointer, std::string("/training/tensorboard"));
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
