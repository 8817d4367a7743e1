// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>

#include "engine/store/run_store.h"

using namespace parapet;
using namespace parapet::store;

/// Requests within one process; owners_test has those between processes.
class RequestsTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    store_ = RunStore::open(folder_->filePath("runs.db").toStdString(), {}).value();
    for (const char* id : {"00000000000a", "00000000000b"}) {
      RunRecord run;
      run.id = id;
      run.experimentJson = "{}";
      QVERIFY(store_->createRun(run).ok());
    }
  }

  void theyAreTakenOnceInTheirOrder() {
    QVERIFY(store_->takeRequests()->empty());
    QVERIFY(store_->request("00000000000b", Request::kPause).ok());
    QVERIFY(store_->request("00000000000a", Request::kStop).ok());
    QVERIFY(store_->request("00000000000b", Request::kResume).ok());
    const auto taken = store_->takeRequests();
    QVERIFY(taken.ok());
    using Taken = std::vector<std::pair<std::string, Request>>;
    QVERIFY(*taken ==
            (Taken{{"00000000000b", Request::kPause}, {"00000000000a", Request::kStop}, {"00000000000b", Request::kResume}}));
    QVERIFY(store_->takeRequests()->empty());
  }

  void aRunThatHasEndedTakesNone() {
    store_->sink().onEvent("00000000000a", experiment::RunEnded{});
    QVERIFY(store_->flush().ok());
    const Status refused = store_->request("00000000000a", Request::kPause);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, ErrorCode::kStore);
    QVERIFY(refused.error().message.find("pause") != std::string::npos);
    QVERIFY(store_->takeRequests()->empty());
  }

  void aRunThatIsNotThereIsNotFound() {
    QCOMPARE(store_->request("none", Request::kStop).error().code, ErrorCode::kNotFound);
  }

  void aLivingProcessIsNotMarkedCrashed() {
    QVERIFY(store_->markCrashed()->empty());
    QVERIFY(!experiment::isTerminal(store_->find("00000000000a")->state));
  }

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<RunStore> store_;
};

QTEST_GUILESS_MAIN(RequestsTest)
#include "requests_test.moc"
