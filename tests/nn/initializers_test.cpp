// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/initializers.h"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "engine/base/files.h"

using namespace parapet;
using experiment::Initializer;
using experiment::InitializerKind;
using experiment::VarianceDistribution;
using experiment::VarianceMode;

namespace {

constexpr std::int64_t kRows = 400, kCols = 100;
constexpr double kCount = kRows * kCols;

std::vector<float> weights(const Initializer& spec, std::uint64_t seed = 42,
                           const std::string& name = "tables/user", std::int64_t rows = kRows,
                           std::int64_t cols = kCols) {
  std::vector<float> weight(static_cast<std::size_t>(rows * cols), 7.0f);
  if (const Status done = nn::initialize(spec, seed, name, rows, cols, weight); !done)
    throw std::runtime_error(done.error().text());
  return weight;
}

struct Moments {
  double mean = 0.0, deviation = 0.0, smallest = 0.0, largest = 0.0;
};

Moments momentsOf(const std::vector<float>& weight) {
  Moments moments;
  for (const float w : weight) moments.mean += static_cast<double>(w) / kCount;
  for (const float w : weight) {
    const double apart = static_cast<double>(w) - moments.mean;
    moments.deviation += apart * apart / kCount;
  }
  moments.deviation = std::sqrt(moments.deviation);
  const auto [low, high] = std::ranges::minmax(weight);
  moments.smallest = static_cast<double>(low);
  moments.largest = static_cast<double>(high);
  return moments;
}

// Six standard errors: a right generator misses one in a billion times, and this one is fixed.
void verifyMoments(const Moments& found, double mean, double deviation) {
  QVERIFY(std::abs(found.mean - mean) < 6.0 * deviation / std::sqrt(kCount));
  QVERIFY(std::abs(found.deviation / deviation - 1.0) < 6.0 / std::sqrt(kCount));
}

/// Bytes of a NumPy file of version 1 with this dictionary.
std::string npy(const std::string& dictionary, std::span<const float> values,
                const std::string& version = std::string("\x01\x00", 2)) {
  std::string length{static_cast<char>(dictionary.size()), '\0'};
  if (version[0] != 1) length += std::string(2, '\0');
  return "\x93NUMPY" + version + length + dictionary +
         std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

const std::string kDictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";

struct BadFile {
  const char* name;
  std::string bytes;
  std::string message;  ///< after the path
};

std::vector<BadFile> badFiles() {
  const std::vector<float> six(6, 1.0f);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string dictionary = kDictionary;
    dictionary.replace(dictionary.find(from), from.size(), to);
    return npy(dictionary, six);
  };
  const std::string noNumPy = ": no NumPy file; accepted is an array that numpy.save has written";
  return {
      {"empty", "", noNumPy},
      {"text", "user,item\n1,2\n", noNumPy},
      {"cut in the header", npy(kDictionary, six).substr(0, 30), noNumPy},
      {"of a later version", npy(kDictionary, six, std::string("\x04\x00", 2)), noNumPy},
      {"no shape", with("'shape': (2, 3)", "'size': 6"),
       ": the header is {'descr': '<f4', 'fortran_order': False, 'size': 6, }\\x0a; accepted are "
       "'descr', 'fortran_order' and 'shape' of one array"},
      {"doubles", with("<f4", "<f8"),
       ": elements of type '<f8'; accepted is '<f4' (numpy.float32)"},
      {"big-endian", with("<f4", ">f4"),
       ": elements of type '>f4'; accepted is '<f4' (numpy.float32)"},
      {"by columns", with("False", "True"), ": the array is in Fortran order; accepted is C order"},
      {"cut in the data", npy(kDictionary, std::span(six).first(5)),
       ": 20 B of data; the shape has 24 B"},
      {"shape that overflows", with("(2, 3)", "(4294967296, 4294967296)"), ""},
      {"another shape", with("(2, 3)", "(3, 2)"), " is [3, 2]; accepted is [2, 3]"},
      {"a vector", with("(2, 3)", "(6,)"), " is [6]; accepted is [2, 3]"},
  };
}

}  // namespace

class InitializersTest : public QObject {
  Q_OBJECT

  const std::vector<BadFile> badFiles_ = badFiles();

 private Q_SLOTS:
  void uniformFillsItsInterval() {
    Initializer spec;
    spec.min = -0.2;
    spec.max = 0.6;
    const Moments found = momentsOf(weights(spec));
    verifyMoments(found, 0.2, 0.8 / std::sqrt(12.0));
    QVERIFY(found.smallest >= -0.2000001 && found.smallest < -0.199);
    QVERIFY(found.largest < 0.6 && found.largest > 0.599);
  }

  void defaultIsThatOfKerasEmbeddings() {
    const Moments found = momentsOf(weights(Initializer{}));
    verifyMoments(found, 0.0, 0.1 / std::sqrt(12.0));
    QVERIFY(found.smallest >= -0.0500001 && found.largest < 0.05);
  }

  void normalHasItsMoments() {
    Initializer spec{.kind = InitializerKind::kNormal};
    spec.mean = 1.5;
    spec.stddev = 0.25;
    const Moments found = momentsOf(weights(spec));
    verifyMoments(found, 1.5, 0.25);
    QVERIFY(found.largest > 1.5 + 3.0 * 0.25);
  }

  void truncatedNormalEndsAtTwoDeviations() {
    Initializer spec{.kind = InitializerKind::kTruncatedNormal};
    spec.mean = -1.0;
    spec.stddev = 0.5;
    const Moments found = momentsOf(weights(spec));
    verifyMoments(found, -1.0, 0.5 * 0.87962566103423978);
    QVERIFY(found.smallest >= -2.0000001 && found.smallest < -1.98);
    QVERIFY(found.largest <= 1e-7 && found.largest > -0.02);
  }

  void varianceScalingMeetsItsClosedForm_data() {
    QTest::addColumn<int>("mode");
    QTest::addColumn<int>("distribution");
    for (const auto mode : {VarianceMode::kFanIn, VarianceMode::kFanOut, VarianceMode::kFanAverage})
      for (const auto distribution : {VarianceDistribution::kUniform, VarianceDistribution::kNormal,
                                      VarianceDistribution::kTruncatedNormal})
        QTest::addRow("mode %d, distribution %d", static_cast<int>(mode),
                      static_cast<int>(distribution))
            << static_cast<int>(mode) << static_cast<int>(distribution);
  }
  void varianceScalingMeetsItsClosedForm() {
    QFETCH(int, mode);
    QFETCH(int, distribution);
    Initializer spec{.kind = InitializerKind::kVarianceScaling};
    spec.scale = 2.0;
    spec.mode = static_cast<VarianceMode>(mode);
    spec.distribution = static_cast<VarianceDistribution>(distribution);
    const double fans[] = {kRows, kCols, (kRows + kCols) / 2.0};
    const double deviation = std::sqrt(2.0 / fans[mode]);
    const Moments found = momentsOf(weights(spec));
    verifyMoments(found, 0.0, deviation);
    if (spec.distribution == VarianceDistribution::kUniform)
      QVERIFY(found.largest <= std::sqrt(3.0) * deviation * 1.000001);
    if (spec.distribution == VarianceDistribution::kTruncatedNormal)
      QVERIFY(found.largest <= 2.0 * deviation / 0.87962566103423978 * 1.000001);
  }

  void glorotUniformMeetsItsLimit() {
    const double limit = std::sqrt(6.0 / (kRows + kCols));
    const Moments found = momentsOf(weights({.kind = InitializerKind::kGlorotUniform}));
    verifyMoments(found, 0.0, limit / std::sqrt(3.0));
    QVERIFY(-found.smallest <= limit * 1.000001 && found.largest <= limit);
    QVERIFY(found.largest > 0.999 * limit);
  }

  void constantIsItsValue() {
    Initializer spec{.kind = InitializerKind::kConstant};
    spec.value = 0.1;
    QCOMPARE(weights(spec), std::vector<float>(kRows * kCols, 0.1f));
  }

  void weightsAreAFunctionOfSeedAndName() {
    for (const auto kind :
         {InitializerKind::kUniform, InitializerKind::kNormal, InitializerKind::kTruncatedNormal,
          InitializerKind::kVarianceScaling, InitializerKind::kGlorotUniform}) {
      const Initializer spec{.kind = kind};
      const auto first = weights(spec);
      QCOMPARE(weights(spec), first);
      QVERIFY(weights(spec, 43) != first);
      QVERIFY(weights(spec, 42, "tables/item") != first);
    }
  }

  void anyPartCanBeAskedFor() {
    for (const auto kind : {InitializerKind::kUniform, InitializerKind::kTruncatedNormal,
                            InitializerKind::kGlorotUniform}) {
      const Initializer spec{.kind = kind};
      const auto all = weights(spec);
      const auto part = nn::initialWeights(spec, 42, "tables/user", kRows, kCols);
      std::vector<float> some(17);
      part.value()(1234, some);
      QVERIFY(std::equal(some.begin(), some.end(), all.begin() + 1234));
    }
  }

  void fileIsTakenAsItIs() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("weights.npy").toStdString();
    std::vector<float> values(6);
    std::iota(values.begin(), values.end(), -2.5f);
    const Initializer spec{.kind = InitializerKind::kFile, .path = path};
    for (const char* version : {"\x01", "\x02", "\x03"}) {
      const std::string bytes = npy(kDictionary, values, std::string(version) + '\0');
      QVERIFY(writeFileAtomically(path, bytes).ok());
      QCOMPARE(weights(spec, 1, "t", 2, 3), values);
    }
  }

  void badFilesAreNamed_data() {
    QTest::addColumn<int>("index");
    for (int i = 0; i < static_cast<int>(badFiles_.size()); ++i)
      QTest::newRow(badFiles_[static_cast<std::size_t>(i)].name) << i;
  }
  void badFilesAreNamed() {
    QFETCH(int, index);
    const BadFile& bad = badFiles_[static_cast<std::size_t>(index)];
    const QTemporaryDir folder;
    const std::string path = folder.filePath("weights.npy").toStdString();
    QVERIFY(writeFileAtomically(path, bad.bytes).ok());
    const auto found =
        nn::initialWeights({.kind = InitializerKind::kFile, .path = path}, 1, "tables/user", 2, 3);
    QVERIFY(!found.ok());
    QCOMPARE(found.error().code, ErrorCode::kData);
    QCOMPARE(found.error().path, path);
    const std::string text = found.error().text();
    QVERIFY2(text.starts_with("initializer of \"tables/user\""), text.c_str());
    QVERIFY2(text.find(path + bad.message) != std::string::npos, text.c_str());
  }

  void aFileThatIsNotThereIsNamed() {
    const auto found = nn::initialWeights(
        {.kind = InitializerKind::kFile, .path = "/nowhere/weights.npy"}, 1, "tables/user", 2, 3);
    QVERIFY(!found.ok());
    QVERIFY(found.error().text().find("/nowhere/weights.npy") != std::string::npos);
  }

  void vectorsOfTheDataSetAreTakenAsTheyAre() {
    const std::vector<float> titles{1, 2, 3, 4, 5, 6};
    const nn::InitialVectors vectors = [&](std::string_view name) {
      return name == "titles" ? nn::VectorRows{titles, 3} : nn::VectorRows{};
    };
    const Initializer spec{.kind = InitializerKind::kVectors, .vectors = "titles"};
    std::vector<float> weight(6);
    QVERIFY(nn::initialize(spec, 1, "tables/item", 2, 3, weight, vectors).ok());
    QCOMPARE(weight, titles);
    const auto narrower = nn::initialWeights(spec, 1, "tables/item", 3, 2, vectors);
    QCOMPARE(narrower.error().message,
             std::string("initializer of \"tables/item\": vectors \"titles\" is [2, 3]; accepted "
                         "is [3, 2]"));
  }

  // So a vocabulary that grows at its end keeps the vectors of the rows it had.
  void aLongerTableBeginsWithTheShorter() {
    const auto shorter = weights(Initializer{}),
               longer = weights(Initializer{}, 42, "tables/user", 500);
    QVERIFY(std::equal(shorter.begin(), shorter.end(), longer.begin()));
  }
};

QTEST_GUILESS_MAIN(InitializersTest)
#include "initializers_test.moc"
