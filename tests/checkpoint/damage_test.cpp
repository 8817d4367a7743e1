// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include "engine/base/files.h"
#include "tests/checkpoint/sample.h"

using namespace parapet;
using namespace parapet::checkpoint;
using parapet::checkpoint::test::sample;
namespace fs = std::filesystem;

/// Every damage to a committed checkpoint is found, and none ends the program.
class DamageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void findsEveryHeaderByte();
  void findsEveryManifestByte();
  void findsRandomBits();
  void findsTruncationAtEachBlock();
  void findsAppendedBytes();
  void parserSurvivesEveryHeaderByte();

 private:
  /// The checkpoint with one part replaced is refused as damaged data.
  void refuses(const fs::path& part, const std::string& content) {
    std::ofstream(part, std::ios::binary | std::ios::trunc) << content;
    const auto found = open(checkpoint_);
    QVERIFY(!found.ok());
    QCOMPARE(found.error().code, ErrorCode::kData);
  }
  void restore() {
    std::ofstream(tensorPath_, std::ios::binary | std::ios::trunc) << tensors_;
    std::ofstream(manifestPath_, std::ios::binary | std::ios::trunc) << manifest_;
    QVERIFY(open(checkpoint_).ok());
  }
  [[nodiscard]] std::size_t headerBytes() const {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 8; ++i)
      length |= std::size_t{static_cast<unsigned char>(tensors_[i])} << (8 * i);
    return 8 + length;
  }

  QTemporaryDir folder_;
  fs::path checkpoint_, tensorPath_, manifestPath_;
  std::string tensors_, manifest_;
};

void DamageTest::initTestCase() {
  const auto made = sample(7, 40);
  const auto written = write(folder_.path().toStdString(), made.manifest, made.tensors);
  QVERIFY(written.ok());
  checkpoint_ = *written;
  tensorPath_ = checkpoint_ / "tensors.safetensors";
  manifestPath_ = checkpoint_ / "manifest.json";
  tensors_ = readFile(tensorPath_).value();
  manifest_ = readFile(manifestPath_).value();
}

void DamageTest::findsEveryHeaderByte() {
  for (std::size_t i = 0; i < headerBytes(); ++i) {
    std::string damaged = tensors_;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x01);
    refuses(tensorPath_, damaged);
  }
  restore();
}

void DamageTest::findsEveryManifestByte() {
  for (const int mask : {0x01, 0x20, 0x80})
    for (std::size_t i = 0; i < manifest_.size(); ++i) {
      std::string damaged = manifest_;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      refuses(manifestPath_, damaged);
    }
  for (std::size_t size = 0; size < manifest_.size(); size += 7)
    refuses(manifestPath_, manifest_.substr(0, size));
  restore();
}

void DamageTest::findsRandomBits() {
  const Random random(11, RandomPurpose::kGenerator);
  for (std::uint64_t i = 0; i < 300; ++i) {
    std::string damaged = tensors_;
    const std::uint64_t bit = random.below(i, damaged.size() * 8);
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    refuses(tensorPath_, damaged);
  }
  restore();
}

void DamageTest::findsTruncationAtEachBlock() {
  const QTemporaryDir other;
  const auto made = sample(8, 12'000);  // 2.9 MiB
  const auto written = write(other.path().toStdString(), made.manifest, made.tensors);
  QVERIFY(written.ok());
  const fs::path path = *written / "tensors.safetensors";
  const auto whole = fs::file_size(path);
  QVERIFY(whole > 2u << 20);
  fs::resize_file(path, whole - 1);
  QCOMPARE(open(*written).error().code, ErrorCode::kData);
  for (std::uintmax_t size = (whole - 1) >> 20 << 20;; size -= 1 << 20) {
    fs::resize_file(path, size);
    QCOMPARE(open(*written).error().code, ErrorCode::kData);
    if (size == 0) break;
  }
}

void DamageTest::findsAppendedBytes() {
  refuses(tensorPath_, tensors_ + std::string(1, '\0'));
  refuses(manifestPath_, manifest_ + "\n");
  restore();
}

void DamageTest::parserSurvivesEveryHeaderByte() {
  // Without hashes in front of it, as for files from elsewhere: every answer is an answer.
  int refused = 0;
  for (std::size_t i = 0; i < headerBytes(); ++i)
    for (const int mask : {0x01, 0x10, 0x80}) {
      std::string damaged = tensors_;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      const auto tensors = parseSafetensors(std::as_bytes(std::span(damaged)));
      if (!tensors.ok()) {
        ++refused;
        continue;
      }
      for (const TensorView& tensor : *tensors)
        QVERIFY(tensor.bytes.empty() ||
                tensor.bytes.data() + tensor.bytes.size() <=
                    std::as_bytes(std::span(damaged)).data() + damaged.size());
    }
  QVERIFY(refused > 0);
}

QTEST_GUILESS_MAIN(DamageTest)
#include "damage_test.moc"
