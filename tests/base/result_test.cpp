// SPDX-License-Identifier: Apache-2.0
#include "engine/base/result.h"

#include <QtTest>
#include <memory>
#include <set>
#include <string>

using namespace parapet;

namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return Error{ErrorCode::kData, "odd"};
  return value / 2;
}

Result<int> quarter(int value) {
  PARAPET_ASSIGN(const int once, half(value));
  PARAPET_ASSIGN(const int twice, half(once));
  return twice;
}

Status requireEven(int value, int& visited) {
  PARAPET_TRY(half(value));
  ++visited;
  return {};
}

}  // namespace

class ResultTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void holdsAValue() {
    const Result<int> result = half(8);
    QVERIFY(result.ok());
    QCOMPARE(*result, 4);
  }

  void holdsAnError() {
    const Result<int> result = half(7);
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::kData);
  }

  void movesOutWhatCannotBeCopied() {
    Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
    const std::unique_ptr<int> value = std::move(result).value();
    QCOMPARE(*value, 5);
  }

  void assignReturnsTheErrorOfTheFirstFailingStep() {
    QCOMPARE(*quarter(8), 2);
    QCOMPARE(quarter(7).error().message, std::string("odd"));
    QCOMPARE(quarter(6).error().message, std::string("odd"));
  }

  void tryLeavesBeforeTheNextStatement() {
    int visited = 0;
    QVERIFY(requireEven(2, visited).ok());
    QVERIFY(!requireEven(3, visited).ok());
    QCOMPARE(visited, 1);
  }

  void wrapKeepsCodePlaceAndCause() {
    const Error inner{ErrorCode::kIo, "cannot read u.data", "/dataset/path", "u.data", 7};
    const Error outer = inner.wrap("importing").wrap("starting the run");
    QCOMPARE(outer.code, ErrorCode::kIo);
    QCOMPARE(outer.pointer, std::string("/dataset/path"));
    QCOMPARE(outer.path, std::string("u.data"));
    QCOMPARE(outer.line.value_or(0), std::int64_t{7});
    QVERIFY(outer.cause && outer.cause->cause);
    QCOMPARE(outer.cause->cause->message, inner.message);
  }

  void textTellsTheChainOutermostFirst() {
    const Error inner{ErrorCode::kData, "rating 9; 1 to 5 is accepted", {}, "u.data", 12};
    QCOMPARE(inner.wrap("importing").wrap("training").text(),
             std::string("training: importing: rating 9; 1 to 5 is accepted (u.data:12)"));
  }

  void textNamesAPathOnlyOnce() {
    const Error error{ErrorCode::kNotFound, "cannot open u.data: gone", {}, "u.data"};
    QCOMPARE(error.text(), error.message);
  }

  void everyCodeHasItsOwnName() {
    std::set<std::string> names;
    for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code)
      names.insert(errorCodeName(static_cast<ErrorCode>(code)));
    QCOMPARE(names.size(), std::size_t{10});
    QVERIFY(names.contains("not_found"));
  }
};

QTEST_GUILESS_MAIN(ResultTest)
#include "result_test.moc"
