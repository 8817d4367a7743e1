// SPDX-License-Identifier: Apache-2.0
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

namespace {

struct Outcome {
  int exitCode = -1;
  QString out, error;
};

Outcome run(const QString& program, const QStringList& arguments, const QString& folder,
            const QStringList& environment) {
  constexpr int kTimeoutMs = 240'000;
  QProcess process;
  process.setWorkingDirectory(folder);
  process.setEnvironment(environment);
  process.start(program, arguments);
  if (!process.waitForFinished(kTimeoutMs)) process.kill();
  return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
          QString::fromUtf8(process.readAllStandardOutput()),
          QString::fromUtf8(process.readAllStandardError())};
}

// Whether a library is of glibc, which is the machine's own.
bool isOfTheSystem(const QString& file) {
  static const QRegularExpression kGlibc(
      R"(^(ld-linux.*|lib(c|m|dl|pthread|rt|resolv|util|anl|mvec|nss_\w+))\.so)");
  return kGlibc.match(QFileInfo(file).fileName()).hasMatch();
}

}  // namespace

class BundleTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    for (const char* needed : {"bash", "cmake", "ldd", "dpkg-query", "tar"})
      if (QStandardPaths::findExecutable(needed).isEmpty())
        QSKIP(qPrintable(QString("%1 is not installed").arg(needed)));
    const Outcome made = run(PARAPET_BUNDLE_SCRIPT, {"--built", PARAPET_BUILT, "--out", out()},
                             folder_.path(), QProcess::systemEnvironment());
    QVERIFY2(made.exitCode == 0, qPrintable(made.out + made.error));
    // Copied elsewhere, as to a server; what it was made from is not found from there.
    QVERIFY(QDir().rename(out() + "/parapet-bundle", bundle()));
  }

  void trainsFromAnyFolderWithNothingSet() {
    const Outcome trained = inBundle({"train", "sample", "--epochs", "1"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.out + trained.error));
    QVERIFY2(trained.out.contains("Finished after 1 epoch"), qPrintable(trained.out));
  }

  void findsItsPlugins() {
    const Outcome devices = inBundle({"devices", "--json"});
    QCOMPARE(devices.exitCode, 0);
    QVERIFY2(devices.out.contains("x86-64-v3"), qPrintable(devices.out));
    QVERIFY2(!devices.out.contains("cannot be loaded"), qPrintable(devices.out));
  }

  void opensNoLibraryFromOutsideButTheCLibrary() {
    const QString trace = folder_.filePath("trace");
    const Outcome trained = inBundle({"train", "sample", "--epochs", "1"},
                                     {"LD_DEBUG=files", "LD_DEBUG_OUTPUT=" + trace});
    QCOMPARE(trained.exitCode, 0);
    int ours = 0;
    // A file for each process, the trial of a plugin too.
    for (const QFileInfo& log : QDir(folder_.path()).entryInfoList({"trace.*"})) {
      QFile file(log.filePath());
      QVERIFY(file.open(QIODevice::ReadOnly));
      static const QRegularExpression kOpened(R"(calling init: (.+))");
      auto opened = kOpened.globalMatch(QString::fromUtf8(file.readAll()));
      while (opened.hasNext()) {
        const QString library = opened.next().captured(1);
        if (library.startsWith(bundle() + "/"))
          ++ours;
        else
          QVERIFY2(isOfTheSystem(library), qPrintable(library));
      }
    }
    QVERIFY(ours > 0);
  }

  void isAtMost64MiB() {
    constexpr qint64 kMaxBytes = 64 << 20;
    const qint64 bytes = QFileInfo(out() + "/parapet-bundle.tar.gz").size();
    QVERIFY(bytes > 0);
    QVERIFY2(bytes <= kMaxBytes, qPrintable(QString::number(bytes)));
  }

  void namesTheLicenceOfEveryLibrary() {
    QFile list(bundle() + "/licences/libraries.tsv");
    QVERIFY(list.open(QIODevice::ReadOnly));
    QStringList named;
    for (const QString& line : QString::fromUtf8(list.readAll()).split('\n', Qt::SkipEmptyParts)) {
      const QStringList cells = line.split('\t');
      QCOMPARE(cells.size(), 2);
      named << cells[0];
      QVERIFY2(QFileInfo::exists(bundle() + "/licences/" + cells[1]), qPrintable(line));
    }
    named.sort();
    QStringList copied = QDir(bundle() + "/lib/parapet/libraries").entryList(QDir::Files);
    copied.sort();
    QCOMPARE(named, copied);
  }

  void looksAtTheCLibraryFirst_data() {
    QTest::addColumn<QString>("version");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("message");
    QTest::newRow("older") << "glibc 2.31" << 1 << "or newer; this system has 2.31";
    QTest::newRow("newer by number, not by text") << "glibc 2.100" << 0 << "";
    QTest::newRow("next major") << "glibc 3.0" << 0 << "";
    QTest::newRow("another one") << "musl" << 1 << "the C library of this system is another one";
  }
  void looksAtTheCLibraryFirst() {
    QFETCH(QString, version);
    QFETCH(int, exitCode);
    QFETCH(QString, message);
    QTemporaryDir tools;
    QFile fake(tools.filePath("getconf"));
    QVERIFY(fake.open(QIODevice::WriteOnly));
    fake.write("#!/bin/sh\necho '" + version.toUtf8() + "'\n");
    fake.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    fake.close();
    const Outcome recipes = inBundle({"recipes"}, {"PATH=" + tools.path() + ":/usr/bin:/bin"});
    QCOMPARE(recipes.exitCode, exitCode);
    QVERIFY2(recipes.error.contains(message), qPrintable(recipes.error));
  }

  void startsThroughALink() {
    const QString link = folder_.filePath("parapet-link");
    QVERIFY(QFile::link(bundle() + "/parapet-cli", link));
    QCOMPARE(run(link, {"recipes"}, "/", environment()).exitCode, 0);
  }

  void replacesNoFolderThatIsNoBundle() {
    const QString other = folder_.filePath("other");
    QVERIFY(QDir().mkpath(other + "/parapet-bundle/mine"));
    const Outcome made = run(PARAPET_BUNDLE_SCRIPT, {"--built", PARAPET_BUILT, "--out", other},
                             folder_.path(), QProcess::systemEnvironment());
    QCOMPARE(made.exitCode, 1);
    QVERIFY2(made.error.contains("is no bundle"), qPrintable(made.error));
    QVERIFY(QFileInfo::exists(other + "/parapet-bundle/mine"));
  }

 private:
  [[nodiscard]] QString out() const { return folder_.filePath("out"); }
  [[nodiscard]] QString bundle() const { return folder_.filePath("moved elsewhere"); }
  // Nothing that this machine sets, and no search path.
  [[nodiscard]] QStringList environment(const QStringList& more = {}) const {
    return QStringList{"PATH=/usr/bin:/bin", "HOME=" + folder_.path(), "LD_LIBRARY_PATH="} + more;
  }
  Outcome inBundle(const QStringList& arguments, const QStringList& more = {}) const {
    return run(bundle() + "/parapet-cli",
               QStringList{"--workspace", folder_.filePath("workspace")} + arguments, "/",
               environment(more));
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(BundleTest)
#include "bundle_test.moc"
