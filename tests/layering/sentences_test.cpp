// SPDX-License-Identifier: Apache-2.0
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

namespace {

constexpr qsizetype kLong = 35;  ///< words of a long sentence
constexpr qsizetype kMost = 50;  ///< words of any sentence
constexpr double kShare = 0.02;  ///< long sentences of a document

struct Sentence {
  qsizetype line = 0;  ///< of its paragraph, from 1
  QString text;
};

/// A phrase that documents avoid, and how to say it.
struct Phrase {
  QRegularExpression expression;
  QString example, advice;
};

QString contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

std::vector<Phrase> readPhrases() {
  std::vector<Phrase> phrases;
  for (const QString& line : contentOf(PARAPET_REFUSED_PHRASES).split('\n', Qt::SkipEmptyParts)) {
    if (line.startsWith('#')) continue;
    const QStringList columns = line.split('\t');
    const bool whole = columns.size() == 3;
    phrases.push_back({QRegularExpression(whole ? columns[0] : "["), whole ? columns[1] : line,
                       whole ? columns[2] : "three columns"});
  }
  return phrases;
}

/// Code and links become words; a list of names counts as one word.
QString plain(QString text) {
  static const QRegularExpression kLink(R"(!?\[([^\]]*)\]\([^)]*\))"), kCode("`[^`]*`"),
      kNames(R"(\bCODE(?:(?:, | and | or )CODE\b)+)");
  return text.replace(kLink, "\\1").replace(kCode, "CODE").replace(kNames, "CODE");
}

/// The sentences of the paragraphs and list entries of a page; headings, tables, code and comments
/// are none.
QList<Sentence> sentencesOf(const QString& page) {
  static const QRegularExpression kEntry(R"(^\s*(?:[-*]|\d+\.) )"),
      kEnd(R"((?<=[.!?])["*)]*\s+(?=[^a-z\s]))"), kComment("<!--.*?-->"),
      kRule(R"(^\s*(?:#|\||>|!\[))");
  QList<Sentence> found;
  QString paragraph;
  qsizetype line = 0, begin = 0;
  bool isCode = false;
  const auto flush = [&] {
    for (const QString& each : plain(paragraph).split(kEnd, Qt::SkipEmptyParts))
      found.append({begin, each.simplified()});
    paragraph.clear();
  };
  for (QString text : page.split('\n')) {
    ++line;
    text.remove(kComment);
    const bool isFence = text.trimmed().startsWith("```");
    const bool isOutside =
        isFence || isCode || text.trimmed().isEmpty() || kRule.match(text).hasMatch();
    if (isFence) isCode = !isCode;
    if (isOutside || kEntry.match(text).hasMatch()) flush();
    if (isOutside) continue;
    if (paragraph.isEmpty()) begin = line;
    paragraph += text.remove(kEntry) + ' ';
  }
  flush();
  return found;
}

qsizetype wordsOf(const QString& sentence) {
  static const QRegularExpression kWord(R"(\S*\w\S*)",
                                        QRegularExpression::UseUnicodePropertiesOption);
  auto each = kWord.globalMatch(sentence);
  qsizetype count = 0;
  for (; each.hasNext(); each.next()) ++count;
  return count;
}

/// "page:line: 41 words: the sentence" for the long ones, if a page has too many.
QStringList longIn(const QString& name, const QList<Sentence>& sentences) {
  QStringList found;
  bool isTooLong = false;
  for (const Sentence& each : sentences) {
    const qsizetype words = wordsOf(each.text);
    if (words <= kLong) continue;
    isTooLong = isTooLong || words > kMost;
    found << QString("%1:%2: %3 words: %4").arg(name).arg(each.line).arg(words).arg(each.text);
  }
  const bool isRare =
      static_cast<double>(found.size()) <= kShare * static_cast<double>(sentences.size());
  return isTooLong || !isRare ? found : QStringList();
}

QStringList refusedIn(const QString& name, const QList<Sentence>& sentences,
                      const std::vector<Phrase>& phrases) {
  QStringList found;
  for (const Sentence& each : sentences)
    for (const Phrase& phrase : phrases)
      if (const auto match = phrase.expression.match(each.text); match.hasMatch())
        found << QString("%1:%2: \"%3\" (%4): %5")
                     .arg(name)
                     .arg(each.line)
                     .arg(match.captured(), phrase.advice, each.text);
  return found;
}

/// The headings of a page as links name them: "Your own data" is "your-own-data".
QStringList anchorsOf(const QString& page) {
  static const QRegularExpression kHeading("^#+ (.*)$", QRegularExpression::MultilineOption),
      kOther("[^a-z0-9 _-]");
  QStringList found;
  for (auto each = kHeading.globalMatch(page); each.hasNext();)
    found << each.next().captured(1).toLower().remove(kOther).replace(' ', '-');
  return found;
}

/// "path#part" of the links of a page that lead to no file, or to no heading.
QStringList deadLinksOf(const QString& path) {
  static const QRegularExpression kLink(R"(\]\(([^)\s:]*)\))");
  const QString page = contentOf(path);
  QStringList dead;
  for (auto each = kLink.globalMatch(page); each.hasNext();) {
    const QString link = each.next().captured(1), part = link.section('#', 1);
    const QString target =
        link.startsWith('#') ? path : QFileInfo(path).path() + "/" + link.section('#', 0, 0);
    if (!QFileInfo::exists(target) ||
        (!part.isEmpty() && !anchorsOf(contentOf(target)).contains(part)))
      dead << link;
  }
  return dead;
}

/// The pages that people write: no page of a program, and no licence.
QStringList pages() {
  QStringList files;
  for (const char* page : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) files << page;
  for (const char* folder : {"app", "docs", "engine", "installer", "plugins", "tests", "ui"}) {
    QDirIterator each(QString(PARAPET_SOURCE_DIR) + "/" + folder, {"*.md"}, QDir::Files,
                      QDirIterator::Subdirectories);
    while (each.hasNext()) files << QDir(PARAPET_SOURCE_DIR).relativeFilePath(each.next());
  }
  files.removeAll("docs/keys.md");
  files.removeAll("tests/long/report.md");
  files.sort();
  return files;
}

}  // namespace

/// Holds the documents to sentences that can be read once: few are long, and none leans on a
/// phrase that a native writer would not use. Their links lead to files and headings.
class SentencesTest : public QObject {
  Q_OBJECT

  const std::vector<Phrase> phrases_ = readPhrases();

 private Q_SLOTS:
  void findsSentencesOfProse() {
    const auto found = sentencesOf(
        "<!-- a -->\n# No sentence\n\nOne two. Three `four.five six` at\n[a place](b.md): yes?\n\n"
        "- Entry e.g. one.\n- Two\n\n| a. | B. |\n```\nCode. More code.\n```\n**Bold.** End.");
    QStringList texts;
    for (const Sentence& each : found) texts << each.text;
    const QStringList expected{
        "One two.", "Three CODE at a place: yes?", "Entry e.g. one.", "Two", "**Bold.", "End."};
    QCOMPARE(texts, expected);
    QCOMPARE(found[1].line, 4);
    QCOMPARE(wordsOf(plain("reads `a`, `b` or `c` – twice")), 3);
  }

  void refusesLongSentences() {
    const QString words36 = QString("word ").repeated(36), words51 = QString("word ").repeated(51);
    QCOMPARE(longIn("a.md", {{3, words36}}).size(), 1);
    QList<Sentence> sentences(60, {1, "Short."});
    sentences.append({3, words36});
    QVERIFY(longIn("a.md", sentences).isEmpty());
    sentences.append({9, words51});
    QVERIFY(longIn("a.md", sentences).last().startsWith("a.md:9: 51 words: word word"));
  }

  void everyPhraseFindsItsExample() {
    QVERIFY(phrases_.size() > 15);
    for (const Phrase& phrase : phrases_) {
      QVERIFY2(phrase.expression.isValid(), qPrintable(phrase.example));
      QCOMPARE(refusedIn("a.md", {{1, phrase.example}}, {phrase}).size(), 1);
    }
  }

  void linksLeadSomewhere() {
    QCOMPARE(anchorsOf("# The `window`, 2\ntext\n## A-b\n"), (QStringList{"the-window-2", "a-b"}));
    const QTemporaryDir folder;
    QFile file(folder.filePath("a.md"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("# One\n[x](#one) [x](#two) [x](b.md) [x](a.md#one) [x](https://c.org)");
    file.close();
    QCOMPARE(deadLinksOf(file.fileName()), (QStringList{"#two", "b.md"}));
    for (const QString& page : pages()) {
      const QStringList dead = deadLinksOf(QString(PARAPET_SOURCE_DIR) + "/" + page);
      QVERIFY2(dead.isEmpty(), qPrintable(page + ": " + dead.join(", ")));
    }
  }

  void documentsRead_data() {
    QTest::addColumn<QString>("page");
    QVERIFY(pages().size() > 40);
    for (const QString& page : pages()) QTest::newRow(qPrintable(page)) << page;
  }
  void documentsRead() {
    QFETCH(QString, page);
    const auto sentences = sentencesOf(contentOf(QString(PARAPET_SOURCE_DIR) + "/" + page));
    QVERIFY2(!sentences.isEmpty(), "a page without a sentence");
    const QStringList found = longIn(page, sentences) + refusedIn(page, sentences, phrases_);
    // One message each: Qt Test cuts long ones.
    for (const QString& each : found) qWarning("%s", qPrintable(each));
    QCOMPARE(found.size(), 0);
  }
};

QTEST_GUILESS_MAIN(SentencesTest)
#include "sentences_test.moc"
