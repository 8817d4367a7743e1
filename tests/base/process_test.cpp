// SPDX-License-Identifier: Apache-2.0
#include "engine/base/process.h"

#include <pwd.h>
#include <unistd.h>

#include <QtTest>

using namespace parapet;
namespace fs = std::filesystem;

class ProcessTest : public QObject {
  Q_OBJECT

  const QByteArray home_ = qgetenv("HOME");

 private Q_SLOTS:
  void cleanup() {
    qputenv("HOME", home_);
    qunsetenv("XDG_DATA_HOME");
    qunsetenv("XDG_STATE_HOME");
  }

  void foldersOfTheUserFollowTheSpecification() {
    qputenv("HOME", "/home/someone");
    qunsetenv("XDG_DATA_HOME");
    qunsetenv("XDG_STATE_HOME");
    QCOMPARE(dataFolder(), fs::path("/home/someone/.local/share/parapet"));
    QCOMPARE(stateFolder(), fs::path("/home/someone/.local/state/parapet"));
    qputenv("XDG_DATA_HOME", "/data");
    qputenv("XDG_STATE_HOME", "/state");
    QCOMPARE(dataFolder(), fs::path("/data/parapet"));
    QCOMPARE(stateFolder(), fs::path("/state/parapet"));
  }

  void aRelativeFolderIsIgnored() {
    qputenv("HOME", "/home/someone");
    for (const char* relative : {"data", "./data", ""}) {
      qputenv("XDG_DATA_HOME", relative);
      QCOMPARE(dataFolder(), fs::path("/home/someone/.local/share/parapet"));
    }
  }

  void withoutHomeTheUserDatabaseIsAsked() {
    const passwd* user = ::getpwuid(::getuid());
    if (!user || *user->pw_dir != '/') QSKIP("the user database knows no home");
    const fs::path known = fs::path(user->pw_dir) / ".local" / "share" / "parapet";
    qunsetenv("HOME");
    QCOMPARE(dataFolder(), known);
    for (const char* relative : {"", "here"}) {
      qputenv("HOME", relative);
      QCOMPARE(dataFolder(), known);
    }
  }

  void thisProcessLivesAndAStrangerWithItsPidIsAnother() {
    ProcessIdentity self = ProcessIdentity::thisProcess();
    QVERIFY(self.alive());
    ++self.startTicks;
    QVERIFY(!self.alive());
  }
};

QTEST_GUILESS_MAIN(ProcessTest)
#include "process_test.moc"
