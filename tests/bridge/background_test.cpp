// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/background.h"

#include <QSignalSpy>
#include <QTest>
#include <chrono>
#include <semaphore>

using namespace parapet;
using namespace parapet::ui;

class BackgroundTest : public QObject {
  Q_OBJECT

 private slots:
  void deliversInTheThreadOfTheObject() {
    Background background;
    std::thread::id worked, delivered;
    int answer = 0;
    background.start(
        [&](const WorkContext&) -> Result<int> {
          worked = std::this_thread::get_id();
          return 42;
        },
        [&](Result<int> result) {
          delivered = std::this_thread::get_id();
          answer = *result;
        });
    QVERIFY(background.running());
    QTRY_COMPARE(answer, 42);
    QVERIFY(!background.running());
    QVERIFY(delivered == std::this_thread::get_id() && worked != delivered);
  }

  void movesAnswersThatCannotBeCopied() {
    Background background;
    std::unique_ptr<int> got;
    background.start(
        [](const WorkContext&) -> Result<std::unique_ptr<int>> { return std::make_unique<int>(7); },
        [&](Result<std::unique_ptr<int>> result) { got = std::move(result).value(); });
    QTRY_VERIFY(got && *got == 7);
  }

  void dropsTheResultOfASupersededStart() {
    Background background;
    std::binary_semaphore release{0};
    QStringList delivered;
    // Held by the old answer until it was delivered or dropped.
    auto token = std::make_shared<int>(0);
    const std::weak_ptr<int> old = token;
    background.start(
        [&](const WorkContext&) -> Status {  // ignores the stop: its answer comes late
          release.acquire();
          return {};
        },
        [&delivered, token = std::move(token)](Status) { delivered << "old"; });
    background.start([](const WorkContext&) -> Status { return {}; },
                     [&](Status) { delivered << "new"; });
    QTRY_COMPARE(delivered.size(), 1);
    QVERIFY(!old.expired());
    release.release();
    QTRY_VERIFY(old.expired());
    QCOMPARE(delivered, QStringList("new"));
  }

  void dropsAResultThatIsOnItsWay() {
    Background background;
    std::binary_semaphore ended{0};
    bool called = false;
    auto token = std::make_shared<int>(0);
    const std::weak_ptr<int> answer = token;
    background.start(
        [&](const WorkContext&) -> Status {
          ended.release();
          return {};
        },
        [&called, token = std::move(token)](Status) { called = true; });
    ended.acquire();
    background.cancel();
    QTRY_VERIFY(answer.expired());
    QVERIFY(!called);
  }

  void deliversTheErrorOfAStoppedWork() {
    Background background;
    std::optional<ErrorCode> code;
    background.start(
        [](const WorkContext& context) -> Status {
          while (!context.cancelled()) std::this_thread::yield();
          return Error{ErrorCode::kCancelled, "[test] stopped"};
        },
        [&](Status status) {
          if (!status.ok()) code = status.error().code;
        });
    background.stop();
    QTRY_VERIFY(code.has_value());
    QCOMPARE(*code, ErrorCode::kCancelled);
  }

  void turnsExceptionsIntoErrors() {
    Background background;
    std::string message;
    background.start([](const WorkContext&) -> Status { throw std::runtime_error("boom"); },
                     [&](Status status) { message = status.error().message; });
    QTRY_COMPARE(message, "[bridge.Background] boom");
  }

  void coalescesProgress() {
    Background background;
    QSignalSpy progressed(&background, &Background::progressed);
    std::binary_semaphore ended{0};
    bool done = false;
    background.start(
        [&](const WorkContext& context) -> Status {
          for (int i = 1; i <= 100000; ++i) context.report("rows", i, 100000);
          ended.release();
          return {};
        },
        [&](Status) { done = true; });
    ended.acquire();
    QTRY_VERIFY(done);
    QCOMPARE(progressed.size(), 1);
    QCOMPARE(progressed[0][1].toLongLong(), 100000);
  }

  void joinsInTheDestructor() {
    std::atomic<bool> ended{false};
    {
      Background background;
      background.start(
          [&](const WorkContext& context) -> Status {
            while (!context.cancelled()) std::this_thread::yield();
            ended = true;
            return {};
          },
          [](Status) { QFAIL("nobody is left to tell"); });
    }
    QVERIFY(ended);
  }
};

QTEST_GUILESS_MAIN(BackgroundTest)
#include "background_test.moc"
