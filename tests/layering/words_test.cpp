// SPDX-License-Identifier: Apache-2.0
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QtTest>
#include <algorithm>

namespace {

/// A retired identifier or phrase.
struct RetiredWord {
  QRegularExpression expression;
  QString example, replacement;
};

QString textOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

std::vector<RetiredWord> readRetiredWords() {
  std::vector<RetiredWord> words;
  for (const QString& line : textOf(PARAPET_RETIRED_WORDS).split('\n', Qt::SkipEmptyParts)) {
    if (line.startsWith('#')) continue;
    const QStringList columns = line.split('\t');
    if (columns.size() == 3)
      words.push_back({QRegularExpression(columns[0]), columns[1], columns[2]});
    else
      words.push_back({QRegularExpression("["), line, "three columns"});
  }
  return words;
}

/// The text files of the product, pages included; tests may quote what they refuse.
QStringList productFiles() {
  const QStringList kinds{"*.cpp",     "*.h",    "*.cu", "*.def",   "*.txt", "*.cmake",
                          "*.md",      "*.json", "*.sh", "*.py",    "*.awk", "*.xml",
                          "*.desktop", "run",    "test", "packages"};
  QStringList files;
  for (const char* folder : {"app", "ui", "engine", "plugins", "resources", "installer", "docs"}) {
    QDirIterator each(QString(PARAPET_SOURCE_DIR) + "/" + folder, kinds, QDir::Files,
                      QDirIterator::Subdirectories);
    while (each.hasNext()) files << each.next();
  }
  // The file names the old keys of documents, to refuse them with the new ones.
  files.removeIf([](const QString& file) { return file.endsWith("/renamed_keys.cpp"); });
  for (const char* page : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"})
    files << QString(PARAPET_SOURCE_DIR) + "/" + page;
  return files;
}

/// "path:line: found → replacement" for every retired word of a text.
QStringList retiredIn(const QString& path, const QString& text,
                      const std::vector<RetiredWord>& words) {
  QStringList found;
  for (const RetiredWord& word : words) {
    auto each = word.expression.globalMatch(text);
    while (each.hasNext()) {
      const QRegularExpressionMatch match = each.next();
      found << QString("%1:%2: \"%3\" → %4")
                   .arg(path)
                   .arg(text.left(match.capturedStart()).count('\n') + 1)
                   .arg(match.captured(), word.replacement);
    }
  }
  return found;
}

/// Comments that begin with one of these words, a regular expression, in place of their subject.
RetiredWord leaning(const char* first) {
  return {QRegularExpression(
              QString("\\n(?![ \\t]*//)[^\\n]*\\n[ \\t]*\\K//[/<]* *(%1)\\b").arg(first)),
          "", "its subject"};
}

/// Folders whose comments may still begin with other pronouns than "Its" and "Those".
const QStringList kLeaning{"engine/mesh/", "engine/nn/"};

}  // namespace

/// Holds the product to the field's terms: what was retired does not come back.
class WordsTest : public QObject {
  Q_OBJECT

  const std::vector<RetiredWord> words_ = readRetiredWords();

 private Q_SLOTS:
  void everyExpressionFindsItsExample() {
    QVERIFY(words_.size() > 25);
    for (const RetiredWord& word : words_) {
      QVERIFY2(word.expression.isValid(), qPrintable(word.example));
      QVERIFY2(word.expression.match(word.example).hasMatch(), qPrintable(word.example));
    }
  }

  void namesTheLineAndTheReplacement() {
    const std::vector<RetiredWord> words{{QRegularExpression("\\bmend\\b"), "mend", "fix"}};
    QCOMPARE(retiredIn("a.h", "one\ncannot mend it\namendment", words),
             QStringList{"a.h:2: \"mend\" → fix"});
  }

  void retiredWordsAreGone() { refuse(words_, {}); }

  void commentsBeginWithTheirSubject() {
    const std::vector<RetiredWord> always{leaning("Of|The same|Those|That of|Its")};
    QCOMPARE(retiredIn("a.h", "\n\nint a;\n  /// Of b.\n/// C.\n/// Of d.\n", always),
             QStringList{"a.h:4: \"/// Of\" → its subject"});
    refuse(always, {});
    const std::vector<RetiredWord> pronouns{
        leaning("It|They|Their|That|These|This|What|Which|Whose|Who")};
    QCOMPARE(retiredIn("a.h", "\n\n// What b is.\nint b;  // It is c.\n", pronouns),
             QStringList{"a.h:3: \"// What\" → its subject"});
    refuse(pronouns, kLeaning);
  }

 private:
  static void refuse(const std::vector<RetiredWord>& words, const QStringList& except) {
    const QStringList files = productFiles();
    QVERIFY(files.size() > 300);
    QStringList found;
    for (const QString& file : files) {
      const QString path = QDir(PARAPET_SOURCE_DIR).relativeFilePath(file);
      if (std::ranges::none_of(except, [&](const QString& it) { return path.startsWith(it); }))
        found << retiredIn(path, textOf(file), words);
    }
    // One message each: Qt Test cuts long ones.
    for (const QString& each : found) qWarning("%s", qPrintable(each));
    QCOMPARE(found.size(), 0);
  }
};

QTEST_GUILESS_MAIN(WordsTest)
#include "words_test.moc"
