// SPDX-License-Identifier: Apache-2.0
#include <QProcess>
#include <QTemporaryDir>
#include <QtEndian>
#include <QtTest>

namespace {

struct Outcome {
  int exitCode = -1;
  QString out, error;
};

Outcome run(const QString& program, const QStringList& arguments,
            const QStringList& environment = QProcess::systemEnvironment()) {
  constexpr int kTimeoutMs = 840'000;
  QProcess process;
  process.setWorkingDirectory("/");
  process.setEnvironment(environment);
  process.start(program, arguments);
  if (!process.waitForFinished(kTimeoutMs)) process.kill();
  return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
          QString::fromUtf8(process.readAllStandardOutput()),
          QString::fromUtf8(process.readAllStandardError())};
}

QString readFile(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// First words of the indented lines under the heading of a help, "Subcommands:" or "Options:".
QStringList listed(const QString& help, const QString& heading) {
  QStringList words;
  bool inside = false;
  for (const QString& line : help.split('\n')) {
    if (line.isEmpty()) inside = false;
    if (inside && line.startsWith("  ") && line.size() > 2 && line[2] != ' ')
      words << line.mid(2).split(' ').first();
    if (line == heading) inside = true;
  }
  return words;
}

}  // namespace

class PackageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    for (const char* needed : {"bash", "cmake", "ldd", "dpkg-deb", "tar", "xz"})
      if (QStandardPaths::findExecutable(needed).isEmpty())
        QSKIP(qPrintable(QString("%1 is not installed").arg(needed)));
    const Outcome made = run(
        PARAPET_PACKAGE_SCRIPT, {"--built", PARAPET_BUILT, "--out", out()},
        QProcess::systemEnvironment() +
            QStringList{"PARAPET_XZ_LEVEL=6", "PARAPET_MAINTAINER=Nobody <nobody@example.org>"});
    if (made.exitCode == 3) QSKIP(qPrintable(made.error.trimmed().remove("error: ")));
    QVERIFY2(made.exitCode == 0, qPrintable(made.out + made.error));
    version_ = run(PARAPET_BUILT "/bin/parapet-cli", {"--version"}).out.trimmed().section(' ', -1);
    package_ = onlyFile("parapet_*.deb");
    QVERIFY(!package_.isEmpty());
    QCOMPARE(run("dpkg-deb", {"-x", package_, folder_.filePath("installed")}).exitCode, 0);
    // A name with a space, apart from where it was made.
    QVERIFY(QDir().rename(out() + "/parapet-" + version_, bundle()));
  }

  void thePackageHoldsProgramsEntriesAndDocuments() {
    const QString list = run("dpkg-deb", {"-c", package_}).out;
    for (const char* path :
         {"bin/parapet", "bin/parapet-cli", "lib/parapet/parapet-plugin-trial",
          "share/applications/org.parapet.Parapet.desktop",
          "share/metainfo/org.parapet.Parapet.metainfo.xml",
          "share/mime/packages/org.parapet.Parapet.xml", "share/man/man1/parapet-cli.1.gz",
          "share/man/man1/parapet.1.gz", "share/bash-completion/completions/parapet-cli",
          "share/zsh/vendor-completions/_parapet-cli",
          "share/fish/vendor_completions.d/parapet-cli.fish", "share/doc/parapet/copyright",
          "share/doc/parapet/changelog.gz", "share/doc/parapet/examples/sample.json"})
      QVERIFY2(list.contains(QString(" ./usr/%1\n").arg(path)), path);
    for (const QString& line : list.split('\n', Qt::SkipEmptyParts))
      QVERIFY2(line.contains(" root/root "), qPrintable(line));
    const QString fields = run("dpkg-deb", {"-f", package_}).out;
    QVERIFY2(fields.contains("Version: " + version_ + "\n"), qPrintable(fields));
    QVERIFY2(fields.contains(QRegularExpression("Depends: .*libqt6widgets6")), qPrintable(fields));
  }

  void thePackageNeedsNoSearchPath() {
    for (const char* program :
         {"bin/parapet", "bin/parapet-cli", "lib/parapet/parapet-plugin-trial"})
      QCOMPARE(run("patchelf", {"--print-rpath", installed(program)}).out.trimmed(), "");
  }

  void completionsAndManualNameEveryCommandAndOption() {
    const QString program = PARAPET_BUILT "/bin/parapet-cli";
    const QString bash = readFile(installed("share/bash-completion/completions/parapet-cli"));
    const QString zsh = readFile(installed("share/zsh/vendor-completions/_parapet-cli"));
    const QString fish = readFile(installed("share/fish/vendor_completions.d/parapet-cli.fish"));
    QString manual = run("gzip", {"-dc", installed("share/man/man1/parapet-cli.1.gz")}).out;
    manual.remove('\\');
    const QStringList commands = listed(run(program, {"--help"}).out, "Subcommands:");
    QVERIFY(commands.size() > 20);
    for (const QString& command : commands) {
      QVERIFY2(bash.contains(QRegularExpression("[ |\"]" + command + "[ |)\"]")),
               qPrintable(command));
      QVERIFY2(zsh.contains('\'' + command + ':'), qPrintable(command));
      QVERIFY2(fish.contains(" -a " + command + " "), qPrintable(command));
      QVERIFY2(manual.contains(".SS \"parapet-cli " + command + "\"\n"), qPrintable(command));
      for (const QString& names : listed(run(program, {command, "--help"}).out, "Options:"))
        for (const QString& written : names.split(',')) {
          if (!written.startsWith('-')) continue;  // "[Exactly 1 of the following …]"
          const QString option = written.section('{', 0, 0);
          QVERIFY2(bash.contains(QRegularExpression("[ \"]" + option + "[ \"]")),
                   qPrintable(option));
          QVERIFY2(zsh.contains('\'' + option + ':'), qPrintable(option));
          QVERIFY2(manual.contains(option), qPrintable(option));
        }
    }
  }

  void bashCompletesCommandsBelowCommands() {
    const QString script =
        QString(
            "source '%1'; COMP_WORDS=(parapet-cli experiments re); COMP_CWORD=2; "
            "_parapet_cli; echo \"${COMPREPLY[*]}\"")
            .arg(installed("share/bash-completion/completions/parapet-cli"));
    QCOMPARE(run("bash", {"-c", script}).out.trimmed(), "rename restore");
  }

  void theWindowStartsFromAnyFolder() {
    const QString picture = folder_.filePath("x.png");
    const Outcome drawn =
        run(bundle() + "/parapet",
            {"--workspace", folder_.filePath("workspace"), "--dashboard", picture},
            environment() + QStringList{"QT_QPA_PLATFORM=offscreen"});
    QVERIFY2(drawn.exitCode == 0, qPrintable(drawn.out + drawn.error));
    QFile file(picture);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray head = file.read(24);
    QVERIFY(head.startsWith("\x89PNG"));
    QVERIFY(qFromBigEndian<quint32>(head.constData() + 16) > 600);
  }

  // Qt and all else that the window opens lies in the bundle; only what fits drivers and fonts may be the machine's.
  void theWindowOpensQtOfTheBundle() {
    const QString trace = folder_.filePath("trace");
    QCOMPARE(run(bundle() + "/parapet",
                 {"--workspace", folder_.filePath("workspace"), "--dashboard",
                  folder_.filePath("y.png")},
                 environment() + QStringList{"QT_QPA_PLATFORM=offscreen", "LD_DEBUG=files",
                                             "LD_DEBUG_OUTPUT=" + trace})
                 .exitCode,
             0);
    static const QRegularExpression kOpened(R"(calling init: (.+))");
    static const QRegularExpression kOfTheMachine(
        R"(^(ld-linux.*|lib(c|m|dl|pthread|rt|resolv|util|anl|mvec|nss_\w+|GL|EGL|GLX|GLdispatch|OpenGL)"
        R"(|drm|gbm|X11|X11-xcb|xcb|wayland-\w+|fontconfig|freetype|expat))\.so)");
    int ofQt = 0;
    for (const QFileInfo& log : QDir(folder_.path()).entryInfoList({"trace.*"})) {
      auto opened = kOpened.globalMatch(readFile(log.filePath()));
      while (opened.hasNext()) {
        const QString library = opened.next().captured(1);
        // Tools of the launcher open theirs.
        if (library.startsWith(bundle() + "/") || !readFile(log.filePath()).contains("libQt6Gui")) {
          if (library.contains("Qt6")) ++ofQt;
          continue;
        }
        QVERIFY2(kOfTheMachine.match(QFileInfo(library).fileName()).hasMatch(),
                 qPrintable(library));
      }
    }
    QVERIFY(ofQt >= 3);
  }

  void theTerminalProgramStartsBesideIt() {
    const Outcome recipes = run(bundle() + "/parapet-cli", {"recipes"}, environment());
    QVERIFY2(recipes.exitCode == 0 && recipes.out.contains("sample"), qPrintable(recipes.error));
  }

  void parquetIsReadAfterItsArchiveIsUnpackedOverIt() {
    const QString archive = onlyFile("parapet-parquet-*.tar.xz");
    if (archive.isEmpty()) QSKIP("Parquet is not built");
    QCOMPARE(run("tar", {"-xf", archive, "-C", bundle(), "--strip-components=1"}).exitCode, 0);
    const QString events = folder_.filePath("events.parquet");
    const Outcome made =
        run(bundle() + "/parapet-cli", {"generate", "events", "--out", events, "--events", "500"},
            environment());
    QVERIFY2(made.exitCode == 0, qPrintable(made.out + made.error));
    const Outcome shown = run(bundle() + "/parapet-cli", {"preview", events}, environment());
    QVERIFY2(shown.exitCode == 0, qPrintable(shown.out + shown.error));
  }

  void everythingIsListedWithItsHash() {
    QCOMPARE(
        run("bash", {"-c", "cd '" + out() + "' && sha256sum --check --quiet SHA256SUMS"}).exitCode,
        0);
    const QString sums = readFile(out() + "/SHA256SUMS");
    for (const QFileInfo& file : QDir(out()).entryInfoList({"*.deb", "*.tar.xz", "*.spdx"})) {
      constexpr qint64 kMaxBytes = 40'000'000;
      QVERIFY2(sums.contains("  " + file.fileName() + "\n"), qPrintable(file.fileName()));
      QVERIFY2(file.size() <= kMaxBytes, qPrintable(file.fileName()));
    }
    const QString libraries = readFile(onlyFile("*.spdx"));
    for (const QString& library : QDir(bundle() + "/lib/parapet/libraries").entryList(QDir::Files))
      QVERIFY2(libraries.contains("PackageName: " + library + "\n"), qPrintable(library));
  }

 private:
  [[nodiscard]] QString out() const { return folder_.filePath("out"); }
  [[nodiscard]] QString bundle() const { return folder_.filePath("moved elsewhere"); }
  [[nodiscard]] QString installed(const QString& path) const {
    return folder_.filePath("installed/usr/" + path);
  }
  [[nodiscard]] QString onlyFile(const QString& pattern) const {
    const QFileInfoList found = QDir(out()).entryInfoList({pattern}, QDir::Files);
    return found.size() == 1 ? found.first().filePath() : QString();
  }
  // Nothing that this machine sets, and no search path.
  [[nodiscard]] QStringList environment() const {
    return {"PATH=/usr/bin:/bin", "HOME=" + folder_.path(), "LD_LIBRARY_PATH="};
  }

  QTemporaryDir folder_;
  QString version_, package_;
};

QTEST_GUILESS_MAIN(PackageTest)
#include "package_test.moc"
