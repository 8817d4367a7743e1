// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include <QCryptographicHash>
#include <QDirIterator>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <cmath>

/// Holds README.md and docs to the figures that tests/fidelity/run measured. It reads marked blocks by
/// the rules of tests/fidelity/studies/documents.py, which puts figures there.
class FiguresTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aMarkedBlockIsHeldToItsSection_data();
  void aMarkedBlockIsHeldToItsSection();
  void documentsPrintWhatWasMeasured_data();
  void documentsPrintWhatWasMeasured();
  void everyMarkHasASection();
  void picturesAreThoseThatWereMade();
  void sectionsWithoutDataKeepTheirDate();
};

namespace {

/// The lines that a mark is about.
struct Block {
  QString section, page;
  qsizetype line = 0;  ///< of the first, from 1
  QStringList lines;
};

const QString kRoot = QStringLiteral(PARAPET_SOURCE_DIR);

QByteArray contentOf(const QString& path) {
  QFile file(kRoot + "/" + path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QStringList pages() {
  QStringList found{"README.md"};
  QDirIterator page(kRoot + "/docs", {"*.md"}, QDir::Files, QDirIterator::Subdirectories);
  while (page.hasNext()) found << QDir(kRoot).relativeFilePath(page.next());
  found.sort();
  return found;
}

/// `<!-- figures: NAME -->` on a line of its own marks what follows up to the next empty line, or a whole
/// fenced block; within a line it marks that line.
QList<Block> blocksOf(const QString& page, const QString& text) {
  static const QRegularExpression kMark("<!-- figures: ([a-z0-9-]+) -->");
  const QStringList lines = text.split('\n');
  QList<Block> found;
  for (qsizetype at = 0; at < lines.size(); ++at) {
    auto each = kMark.globalMatch(lines[at]);
    while (each.hasNext()) {
      const QRegularExpressionMatch mark = each.next();
      const bool alone = lines[at].trimmed() == mark.captured(0);
      const qsizetype first = alone ? at + 1 : at;
      qsizetype end = first + 1;
      if (alone && lines.value(first).startsWith("```"))
        end = lines.indexOf("```", first + 1) + 1;
      else
        while (alone && end < lines.size() && !lines[end].isEmpty()) ++end;
      found << Block{mark.captured(1), page, first + 1, lines.mid(first, end - first)};
    }
  }
  return found;
}

QList<Block> blocksOfSection(const QString& name) {
  QList<Block> found;
  for (const QString& page : pages())
    for (const Block& block : blocksOf(page, QString::fromUtf8(contentOf(page))))
      if (block.section == name) found << block;
  return found;
}

/// The numbers of a line but for those in code, in the targets of links and in names such as hit@10.
QStringList numbersOf(QString line) {
  static const QRegularExpression kNoFigures(R"(`[^`]*`|\]\([^)]*\)|<!--.*?-->)");
  static const QRegularExpression kNumber(
      R"((?<![\w.@#/-])(?:\d{4}-\d{2}-\d{2}|[+\-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e-?\d+)?)(?![\w]))",
      QRegularExpression::UseUnicodePropertiesOption);
  line.replace(kNoFigures, QStringLiteral(" "));
  QStringList found;
  auto each = kNumber.globalMatch(line);
  while (each.hasNext()) found << each.next().captured(0).replace(QChar(0x2212), '-');
  return found;
}

QString printedOf(const QJsonValue& figure) {
  return figure.isString() ? figure.toString() : figure["printed"].toString();
}

/// A figure is printed as its value, rounded to as many decimals as it is printed with.
bool isRounded(const QJsonValue& figure) {
  if (figure.isString()) return true;
  QString text = printedOf(figure).remove(',');
  const qsizetype point = text.indexOf('.');
  const double unit = std::pow(10.0, point < 0 ? 0 : -static_cast<double>(text.size() - point - 1));
  return std::abs(text.toDouble() - figure["value"].toDouble()) <= 0.5 * unit * (1.0 + 1e-9);
}

/// The blocks of a section against its lines, which a fence shows in part or all of.
QStringList differingLines(const QList<Block>& blocks, const QJsonArray& measured) {
  QStringList all, found;
  for (const QJsonValue& line : measured) all << line.toString();
  const QString text = "\n" + all.join('\n') + "\n";
  for (const Block& block : blocks)
    if (!text.contains("\n" + block.lines.mid(1, block.lines.size() - 2).join('\n') + "\n"))
      found << QString("%1:%2: not as it was printed").arg(block.page).arg(block.line);
  return found;
}

/// Numbers that a page prints and the section does not explain, and figures that no page prints.
QStringList problemsOf(const QString& name, const QJsonObject& section,
                       const QList<Block>& blocks) {
  if (section.contains("lines")) return differingLines(blocks, section["lines"].toArray());
  const QJsonArray figures = section["figures"].toArray();
  const QStringList constants = section["constants"].toString().split(' ');
  QStringList found;
  qsizetype next = 0;
  for (const Block& block : blocks)
    for (qsizetype at = 0; at < block.lines.size(); ++at)
      for (const QString& number : numbersOf(block.lines[at])) {
        if (next < figures.size() && number == printedOf(figures[next])) {
          ++next;
        } else if (number != section["date"].toString() && !constants.contains(number)) {
          const QString due = next < figures.size() ? printedOf(figures[next]) : "none";
          found << QString("%1:%2: %3 is no figure of \"%4\"; the next one is %5")
                       .arg(block.page)
                       .arg(block.line + at)
                       .arg(number, name, due);
        }
      }
  if (next != figures.size())
    found << QString("%1: %2 of %3 figures are printed").arg(name).arg(next).arg(figures.size());
  for (const QJsonValue& figure : figures)
    if (!isRounded(figure)) found << name + ": rounded wrongly: " + printedOf(figure);
  return found;
}

QStringList sectionNames() {
  QStringList names = QDir(kRoot + "/tests/fidelity/figures").entryList({"*.json"}, QDir::Files);
  for (QString& name : names) name.chop(5);
  return names;
}

QJsonObject sectionOf(const QString& name) {
  return QJsonDocument::fromJson(contentOf("tests/fidelity/figures/" + name + ".json")).object();
}

}  // namespace

void FiguresTest::aMarkedBlockIsHeldToItsSection_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<int>("problems");
  QTest::newRow("as it was measured") << "| 0.42 ± 0.10 | k 10 | hit@9, 2026-11-27 |" << 0;
  QTest::newRow("a changed number") << "| 0.43 ± 0.10 | 2026-11-27 |" << 3;
  QTest::newRow("a number too many") << "| 0.42 ± 0.10 | 7 |" << 1;
  QTest::newRow("a figure too few") << "| 0.42 |" << 1;
  QTest::newRow("another date") << "| 0.42 ± 0.10 | 2026-11-28 |" << 1;
  QTest::newRow("what follows an empty line is not marked") << "| 0.42 ± 0.10 |\n\n7" << 0;
  QTest::newRow("code is no figure") << "| 0.42 ± 0.10 | `7` |" << 0;
}

void FiguresTest::aMarkedBlockIsHeldToItsSection() {
  QFETCH(QString, text);
  QFETCH(int, problems);
  const QJsonArray figures{QJsonObject{{"value", 0.4183}, {"printed", "0.42"}},
                           QJsonObject{{"value", 0.1}, {"printed", "0.10"}}};
  const QJsonObject section{{"date", "2026-11-27"}, {"constants", "10"}, {"figures", figures}};
  const auto blocks = blocksOf("page", "before 8\n\n<!-- figures: one -->\n" + text);
  QCOMPARE(blocks.size(), 1);
  const QStringList found = problemsOf("one", section, blocks);
  QVERIFY2(found.size() == problems, qPrintable(found.join('\n')));
  QVERIFY(!isRounded(QJsonObject{{"value", 0.4183}, {"printed", "0.41"}}));
}

void FiguresTest::documentsPrintWhatWasMeasured_data() {
  QTest::addColumn<QString>("name");
  for (const QString& name : sectionNames()) QTest::newRow(qPrintable(name)) << name;
}

void FiguresTest::documentsPrintWhatWasMeasured() {
  QFETCH(QString, name);
  const QJsonObject section = sectionOf(name);
  QCOMPARE(section["section"].toString(), name);
  QVERIFY(QDate::fromString(section["date"].toString(), Qt::ISODate).isValid());
  const auto blocks = blocksOfSection(name);
  QVERIFY2(!blocks.isEmpty() || section.contains("pictures"), "no document prints this section");
  const QStringList found = problemsOf(name, section, blocks);
  QVERIFY2(found.isEmpty(), qPrintable(found.join('\n')));
}

void FiguresTest::everyMarkHasASection() {
  const QStringList names = sectionNames();
  QVERIFY(!names.isEmpty());
  for (const QString& page : pages())
    for (const Block& block : blocksOf(page, QString::fromUtf8(contentOf(page))))
      QVERIFY2(names.contains(block.section), qPrintable(page + ": " + block.section));
}

void FiguresTest::picturesAreThoseThatWereMade() {
  static const QRegularExpression kPicture(R"(!\[[^\]]*\]\(([^)]+)\))");
  QMap<QString, QString> made;
  for (const QString& name : sectionNames()) {
    const QJsonObject pictures = sectionOf(name)["pictures"].toObject();
    for (auto each = pictures.begin(); each != pictures.end(); ++each)
      made[each.key()] = each->toString();
  }
  QSet<QString> shown;
  for (const QString& page : pages()) {
    const QString folder = QFileInfo(page).path();
    auto each = kPicture.globalMatch(QString::fromUtf8(contentOf(page)));
    while (each.hasNext()) shown << QDir::cleanPath(folder + "/" + each.next().captured(1));
  }
  QCOMPARE(QSet<QString>(made.keyBegin(), made.keyEnd()), shown);
  for (auto each = made.begin(); each != made.end(); ++each) {
    const auto hash = QCryptographicHash::hash(contentOf(each.key()), QCryptographicHash::Sha256);
    QVERIFY2(hash.toHex() == each.value().toLatin1(), qPrintable(each.key()));
  }
}

// A section that could not be measured with the others says since when its figures stand, and why.
void FiguresTest::sectionsWithoutDataKeepTheirDate() {
  QString newest;
  for (const QString& name : sectionNames())
    newest = std::max(newest, sectionOf(name)["date"].toString());
  const QString data = qEnvironmentVariable("PARAPET_DATA_DIR");
  for (const QString& name : sectionNames()) {
    const QJsonObject section = sectionOf(name);
    const QString date = section["date"].toString();
    if (date == newest) continue;
    QString reason = "made by " + section["command"].toString();
    for (const QJsonValue& folder : section["data"].toArray())
      if (data.isEmpty() || !QDir(data + "/" + folder.toString()).exists())
        reason += "; PARAPET_DATA_DIR has no " + folder.toString();
    qInfo("%s: kept from %s, %s", qPrintable(name), qPrintable(date), qPrintable(reason));
    bool dated = section.contains("lines");
    for (const Block& block : blocksOfSection(name))
      for (const QString& line : block.lines) dated = dated || line.contains(date);
    QVERIFY2(dated, qPrintable(name + ": no document says that its figures are of " + date));
  }
}

QTEST_GUILESS_MAIN(FiguresTest)
#include "figures_test.moc"
