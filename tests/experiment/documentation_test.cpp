// SPDX-License-Identifier: Apache-2.0
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QtTest>

#include "engine/experiment/experiment.h"
#include "tests/experiment/sample_document.h"

using namespace parapet;
using nlohmann::json;

/// The documents that the documentation shows: whole ones are valid, and parts of one have no key
/// and no value that a document may not have.
class DocumentationTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyExampleIsAccepted_data() {
    QTest::addColumn<QString>("example");
    static const QRegularExpression kBlock("```json\n(.*?)```",
                                           QRegularExpression::DotMatchesEverythingOption);
    QDirIterator page(PARAPET_SOURCE_DIR "/docs", {"*.md"}, QDir::Files,
                      QDirIterator::Subdirectories);
    while (page.hasNext()) {
      QFile file(page.next());
      QVERIFY(file.open(QFile::ReadOnly));
      const QString name = page.fileName();
      int count = 0;
      for (auto found = kBlock.globalMatch(QString::fromUtf8(file.readAll())); found.hasNext();)
        QTest::addRow("%s %d", qPrintable(name), ++count) << found.next().captured(1);
    }
  }
  void everyExampleIsAccepted() {
    QFETCH(QString, example);
    const bool whole = example.startsWith('{');
    const json shown =
        json::parse((whole ? example : "{" + example + "}").toStdString(), nullptr, false);
    QVERIFY(shown.is_object());
    json document = whole ? shown : experiment::test::recipeJson("sample");
    if (!whole)
      for (const auto& [key, value] : shown.items())
        (key == "heads" ? document["model"][key] : document[key]) = value;
    for (const experiment::Problem& problem : experiment::parse(document).findings.problems)
      for (const char* refusal : {"unknown key", "is now called", "found "})
        QVERIFY2(!whole && problem.message.find(refusal) == std::string::npos,
                 (problem.pointer + ": " + problem.message).c_str());
  }
};

QTEST_GUILESS_MAIN(DocumentationTest)
#include "documentation_test.moc"
