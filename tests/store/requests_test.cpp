// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>

#include "engine/store/run_store.h"

using namespace parapet;
using namespace parapet::store;

namespace {

constexpr const char *kFirst = "aaaa11112222", *kSecond = "bbbb11112222";

}  // namespace

/// Requests within one process; owners_test has those between processes.
class RequestsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    store_ = RunStore::open(folder_->filePath("runs.db").toStdString(), {}).value();
    for (const char* id : {kFirst, kSecond}) {
      RunRecord run;
      run.id = id;
      run.experimentJson = "{}";
      QVERIFY(store_->createRun(run).ok());
    }
  }

  void theyAreTakenOnceInTheirOrder() {
    QVERIFY(store_->takeRequests()->empty());
    QVERIFY(store_->request(kSecond, Request::kPause).ok());
    QVERIFY(store_->request(kFirst, Request::kStop).ok());
    QVERIFY(store_->request(kSecond, Request::kResume).ok());
    const auto taken = store_->takeRequests();
    QVERIFY(taken.ok());
    using Taken = std::vector<std::pair<std::string, Request>>;
    QVERIFY(
        *taken ==
        (Taken{{kSecond, Request::kPause}, {kFirst, Request::kStop}, {kSecond, Request::kResume}}));
    QVERIFY(store_->takeRequests()->empty());
  }

  void aRunThatHasEndedTakesNone() {
    store_->sink().onEvent(kFirst, experiment::RunEnded{});
    QVERIFY(store_->flush().ok());
    const Status refused = store_->request(kFirst, Request::kPause);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, ErrorCode::kStore);
    QVERIFY(refused.error().message.find("pause") != std::string::npos);
    QVERIFY(store_->takeRequests()->empty());
  }

  void aRunThatIsNotThereIsNotFound() {
    QCOMPARE(store_->request("cccc11112222", Request::kStop).error().code, ErrorCode::kNotFound);
  }

  void aLivingProcessIsNotMarkedCrashed() {
    QVERIFY(store_->markCrashed()->empty());
    QVERIFY(!experiment::isTerminal(store_->find(kFirst)->state));
  }

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<RunStore> store_;
};

QTEST_GUILESS_MAIN(RequestsTest)
#include "requests_test.moc"
