// SPDX-License-Identifier: Apache-2.0
// The commands that the documents show in the blocks behind "<!-- run -->" are run, and print what
// the blocks show; the options that docs/commands.md lists are those of the program's help.
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

namespace {

/// A command of a document, and the lines that the document shows below it.
struct Shown {
  QString command;
  QStringList output{};
};

/// The commands of the marked blocks of a document, in their order. In a block with "$ " before its
/// commands the other lines are output.
QList<Shown> commandsOf(const QString& text) {
  static const QRegularExpression kBlock(QStringLiteral("<!-- run -->\n```\n(.*?)```"),
                                         QRegularExpression::DotMatchesEverythingOption);
  QList<Shown> shown;
  auto blocks = kBlock.globalMatch(text);
  while (blocks.hasNext()) {
    const QString block = blocks.next().captured(1);
    for (const QString& line : block.split('\n', Qt::SkipEmptyParts)) {
      if (!block.startsWith("$ "))
        shown.append({line});
      else if (line.startsWith("$ "))
        shown.append({line.mid(2)});
      else
        shown.last().output << line;
    }
  }
  return shown;
}

/// The first line of a document that its command did not print after the lines above it; "" if it
/// printed all. Numbers may differ, which depend on the machine, and "…" stands for any text.
QString missingLine(const QStringList& shown, const QString& printed) {
  static const QRegularExpression kNumber(R"(\d[\d.,]*)"), kSpaces(R"((\\\s)+)");
  const QStringList lines = printed.split('\n');
  qsizetype at = 0;
  for (const QString& line : shown) {
    QString pattern = line.trimmed().replace(kNumber, "0");
    pattern = QRegularExpression::escape(pattern);
    pattern.replace(kSpaces, "\\s+").replace("0", R"(\d[\d.,]*)").replace("\\…", ".*");
    const QRegularExpression expected(QRegularExpression::anchoredPattern(pattern));
    while (at < lines.size() && !expected.match(lines[at].trimmed()).hasMatch()) ++at;
    if (at++ == lines.size()) return line;
  }
  return {};
}

QString pageOf(const QString& path) {
  QFile file(path);
  return file.open(QFile::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

}  // namespace

class DocumentsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void comparesWhatABlockShows() {
    const auto shown = commandsOf(
        "<!-- run -->\n```\na b\nc\n```\n```\nd\n```\n"
        "<!-- run -->\n```\n$ e\nrank  1.5 x\n… of 7\n```\n");
    QCOMPARE(shown.size(), 3);
    QCOMPARE(shown[1].command, "c");
    QCOMPARE(shown[2].output.size(), 2);
    QCOMPARE(missingLine(shown[2].output, "before\nrank 2,000 x\n\nall of 8\n"), QString());
    QCOMPARE(missingLine(shown[2].output, "rank 2 y\nall of 8\n"), "rank  1.5 x");
    QCOMPARE(missingLine(shown[2].output, "all of 8\nrank 2 x\n"), "… of 7");
  }

  void theirCommandsRun_data() {
    QTest::addColumn<QString>("document");
    QDirIterator each(PARAPET_DOCS, {"*.md"}, QDir::Files, QDirIterator::Subdirectories);
    while (each.hasNext())
      if (const QString page = each.next(); !commandsOf(pageOf(page)).isEmpty())
        QTest::newRow(qPrintable(QFileInfo(page).fileName())) << page;
  }
  void theirCommandsRun() {
    QFETCH(QString, document);
    const QTemporaryDir place;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PATH", QFileInfo(PARAPET_CLI).path() + ":" + environment.value("PATH"));
    environment.insert("XDG_DATA_HOME", place.filePath("home"));
    for (const auto& [command, output] : commandsOf(pageOf(document))) {
      QProcess shell;
      shell.setWorkingDirectory(place.path());
      shell.setProcessEnvironment(environment);
      shell.start("sh", {"-c", command});
      QVERIFY(shell.waitForFinished(120'000));
      const QString printed = shell.readAllStandardOutput(), errors = shell.readAllStandardError();
      QVERIFY2(shell.exitCode() == 0, qPrintable(command + "\n" + errors));
      const QString missing = missingLine(output, printed);
      QVERIFY2(missing.isEmpty(),
               qPrintable(command + "\ndoes not print: " + missing + "\n" + printed));
    }
  }

  void optionsAreThoseOfTheHelp() {
    const QString page = pageOf(PARAPET_DOCS "/commands.md");
    QProcess made;
    made.start(PARAPET_DOCS "/../installer/completions", {"markdown", PARAPET_CLI});
    QVERIFY(made.waitForFinished());
    const QString section = made.readAllStandardOutput();
    QVERIFY(section.startsWith("## Options\n"));
    QVERIFY2(page.endsWith("\n\n" + section),
             "sed -i '/^## Options$/,$d' docs/commands.md; installer/completions markdown "
             "build/release/bin/parapet-cli >> docs/commands.md writes them anew");
  }
};

QTEST_GUILESS_MAIN(DocumentsTest)
#include "documents_test.moc"
