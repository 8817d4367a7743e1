// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/cpu_check.h"

#include <QTemporaryDir>
#include <QtTest>

#include "engine/base/files.h"
#include "engine/tensor/backends.h"
#include "engine/tensor/cpu/backend.h"

using namespace parapet;
using tensor::Backend;
using tensor::CpuCheck;
using tensor::CpuChecks;

namespace {

namespace fs = std::filesystem;

int productsMeasured = 0;

/// A CPU of this instruction set whose products are those of the portable one.
const PpPlugin& plugin(const char* instructionSet) {
  static const PpOps ops = [] {
    PpOps made = *tensor::cpu::backend().ops;
    made.matmul = [](const PpCall* call, const PpMatmul* args) {
      ++productsMeasured;
      return tensor::cpu::backend().ops->matmul(call, args);
    };
    return made;
  }();
  static const PpDevice device = [] {
    PpDevice made = tensor::cpu::backend();
    made.ops = &ops;
    return made;
  }();
  static std::map<std::string, PpPlugin> made;
  return made
      .try_emplace(instructionSet,
                   PpPlugin{sizeof(PpPlugin), "cpu", instructionSet, nullptr, nullptr, &device})
      .first->second;
}

struct Rates {
  const char* set;
  double gflops, bf16Gflops = 0.0;
};

std::vector<std::string> sortedSets(const std::vector<Rates>& rates) {
  std::vector<Backend> backends;
  for (const auto& [set, gflops, bf16Gflops] : rates)
    backends.push_back({&plugin(set), "", {}, gflops, bf16Gflops});
  tensor::sortByPreference(backends);
  std::vector<std::string> sets;
  for (const Backend& backend : backends) sets.emplace_back(backend.instructionSet());
  return sets;
}

}  // namespace

class CpuCheckTest : public QObject {
  Q_OBJECT

  using Sets = std::vector<std::string>;

 private Q_SLOTS:
  void whatComputesRightIsMeasured() {
    const CpuCheck check = tensor::checkCpu(*tensor::cpu::backend().ops);
    QCOMPARE(check.fault, std::string());
    QVERIFY(check.gflops > 0.0);
    QVERIFY(check.bf16Gflops > 0.0);
  }

  void whatComputesWronglyIsToldAndNotMeasured_data() {
    QTest::addColumn<QString>("named");
    QTest::addColumn<int>("op");
    QTest::newRow("products") << "products" << 0;
    QTest::newRow("activations") << "activations" << 1;
    QTest::newRow("row sums") << "row sums" << 2;
    QTest::newRow("updates") << "updates" << 3;
    QTest::newRow("products in bf16") << "products in bf16" << 4;
  }
  void whatComputesWronglyIsToldAndNotMeasured() {
    QFETCH(QString, named);
    QFETCH(int, op);
    PpOps ops = *tensor::cpu::backend().ops;
    // Each is right but for its last element.
    if (op == 4)
      ops.matmul = [](const PpCall* call, const PpMatmul* args) {
        tensor::cpu::backend().ops->matmul(call, args);
        if (call->precision == PP_PRECISION_BF16)
          args->c[(args->m - 1) * args->strideC + args->n - 1] += 0.01f;
        return std::int32_t{PP_OK};
      };
    else if (op == 0)
      ops.matmul = [](const PpCall* call, const PpMatmul* args) {
        tensor::cpu::backend().ops->matmul(call, args);
        args->c[(args->m - 1) * args->strideC + args->n - 1] += 0.01f;
        return std::int32_t{PP_OK};
      };
    else if (op == 1)
      ops.biasActivation = [](const PpCall* call, const PpBiasActivation* args) {
        tensor::cpu::backend().ops->biasActivation(call, args);
        args->y[args->rows * args->width - 1] += 0.01f;
        return std::int32_t{PP_OK};
      };
    else if (op == 2)
      ops.dotRows = [](const PpCall* call, const PpDotRows* args) {
        tensor::cpu::backend().ops->dotRows(call, args);
        args->out[args->rows - 1] += 0.01f;
        return std::int32_t{PP_OK};
      };
    else
      ops.adagrad = [](const PpCall* call, const PpAdagrad* args) {
        tensor::cpu::backend().ops->adagrad(call, args);
        args->target.weight[args->target.count * args->target.width - 1] += 0.01f;
        return std::int32_t{PP_OK};
      };
    const CpuCheck check = tensor::checkCpu(ops);
    QVERIFY2(QString::fromStdString(check.fault).contains(named), check.fault.c_str());
    QCOMPARE(check.gflops, 0.0);
  }

  void theFasterOneComesFirst() {
    QCOMPARE(sortedSets({{"portable", 0.0}, {"x86-64-v3", 100.0}, {"x86-64-v4", 190.0}}),
             (Sets{"x86-64-v4", "x86-64-v3", "portable"}));
    QCOMPARE(sortedSets({{"x86-64-v4", 80.0}, {"portable", 0.0}, {"x86-64-v3", 100.0}}),
             (Sets{"x86-64-v3", "x86-64-v4", "portable"}));
  }
  /// So that noise does not change the bits of results.
  void betweenEqualsTheNarrowerOneDoes() {
    QCOMPARE(sortedSets({{"x86-64-v4", 118.0}, {"x86-64-v3", 100.0}, {"portable", 0.0}}),
             (Sets{"x86-64-v3", "x86-64-v4", "portable"}));
  }
  /// A backend with tiles for bf16 multiplies as fast in f32 as one without.
  void betweenEqualsInF32TheFasterOneInBf16ComesFirst() {
    QCOMPARE(sortedSets({{"x86-64-v3", 50.0, 80.0},
                         {"x86-64-v4", 100.0, 160.0},
                         {"x86-64-amx", 95.0, 500.0},
                         {"portable", 0.0}}),
             (Sets{"x86-64-amx", "x86-64-v4", "x86-64-v3", "portable"}));
    QCOMPARE(sortedSets({{"x86-64-v4", 100.0, 160.0}, {"x86-64-amx", 70.0, 500.0}}),
             (Sets{"x86-64-v4", "x86-64-amx"}));
    QCOMPARE(sortedSets({{"x86-64-v3", 100.0, 120.0}, {"x86-64-v4", 105.0, 160.0}}),
             (Sets{"x86-64-v3", "x86-64-v4"}));
  }
  void anUnknownOneComesLast() {
    QCOMPARE(sortedSets({{"sample-set", 900.0}, {"portable", 0.0}, {"x86-64-v3", 100.0}}),
             (Sets{"x86-64-v3", "portable", "sample-set"}));
  }

  void aCheckIsRememberedUntilTheFileChanges() {
    const QTemporaryDir folder;
    const fs::path place = folder.path().toStdString();
    QVERIFY(writeFileAtomically(place / "plugin.so", "one").ok());
    const CpuChecks checks(place / "state" / "checks.json");
    const Backend backend{&plugin("x86-64-v3"), (place / "plugin.so").string(), {}};
    const CpuCheck first = checks.of(backend);
    const int measured = productsMeasured;
    QCOMPARE(checks.of(backend).gflops, first.gflops);
    QCOMPARE(productsMeasured, measured);
    QVERIFY(writeFileAtomically(place / "plugin.so", "another").ok());
    QVERIFY(checks.of(backend).gflops > 0.0);
    QVERIFY(productsMeasured > measured);
  }

  void aMemoryThatIsDamagedOrMissingIsReplaced() {
    const QTemporaryDir folder;
    const fs::path place = folder.path().toStdString();
    QVERIFY(writeFileAtomically(place / "plugin.so", "one").ok());
    const Backend backend{&plugin("x86-64-v3"), (place / "plugin.so").string(), {}};
    for (const char* damaged : {"", "{", "[1]", R"({"a": 1})"}) {
      QVERIFY(writeFileAtomically(place / "checks.json", damaged).ok());
      QVERIFY(CpuChecks(place / "checks.json").of(backend).gflops > 0.0);
    }
    QVERIFY(CpuChecks("").of(backend).gflops > 0.0);
    QVERIFY(CpuChecks("/proc/nowhere/checks.json").of(backend).gflops > 0.0);
  }
};

QTEST_APPLESS_MAIN(CpuCheckTest)
#include "cpu_check_test.moc"
