// SPDX-License-Identifier: Apache-2.0
// The declarations between a program and its plugins, held to those that are kept for their version.
//
// Declarations are compared, not sizes and offsets: these follow from them, while the arguments of a
// function in a table, the value of a constant and the order of ops change no layout.
#include <QDir>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QtTest>

namespace {

struct Abi {
  int version = 0;
  QStringList declarations;
};

QString textOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

int versionIn(const QString& text, const QString& name) {
  return QRegularExpression("#define " + name + " (\\d+)u").match(text).captured(1).toInt();
}

/// Structs, enums, functions and ops of a header, each on a line, without comments and directives.
QStringList declarationsOf(QString text) {
  static const QRegularExpression kComments(R"(/\*.*?\*/|//[^\n]*)",
                                            QRegularExpression::DotMatchesEverythingOption);
  static const QRegularExpression kDirectives(R"(^\s*#(?:[^\n]*\\\n)*[^\n]*$)",
                                              QRegularExpression::MultilineOption);
  static const QRegularExpression kOp(R"(^PP_(?:TUNED_)?OP(\(.*\))$)",
                                      QRegularExpression::MultilineOption);
  text.remove(kComments).remove(kDirectives).remove("extern \"C\" {").replace(kOp, R"(PP_OP\1;)");
  QStringList declarations;
  QString declaration;
  int depth = 0;
  for (const QChar c : text) {
    declaration += c;
    depth += int(c == '{') - int(c == '}');
    const bool endsFunction = c == '}' && declaration.section('{', 0, 0).trimmed().endsWith(')');
    if (depth != 0 || (c != ';' && !endsFunction)) continue;
    declarations << declaration.simplified();
    declaration.clear();
  }
  return declarations;
}

}  // namespace

class AbiTest : public QObject {
  Q_OBJECT

  const bool updates_ = qEnvironmentVariableIsSet("PARAPET_UPDATE_ABI");
  QMap<QString, Abi> kept_, now_;

  static Abi read(const QString& folder, const QStringList& names, const QString& version) {
    Abi abi;
    const QDir headers(QString(PARAPET_SOURCE_DIR) + "/engine/" + folder);
    for (const QString& name : headers.entryList(names)) {
      const QString text = textOf(headers.filePath(name));
      abi.version = std::max(abi.version, versionIn(text, version));
      abi.declarations << declarationsOf(text);
    }
    return abi;
  }

 private Q_SLOTS:
  void initTestCase() {
    now_["PP_ABI_VERSION"] = read("tensor", {"*_abi.h", "ops.def"}, "PP_ABI_VERSION");
    now_["PC_ABI_VERSION"] = read("mesh", {"communicator_abi.h"}, "PC_ABI_VERSION");
    now_["PS_ABI_VERSION"] = read("data", {"source_abi.h"}, "PS_ABI_VERSION");
    QString name;
    for (const QString& line : textOf(PARAPET_ABI_FILE).split('\n', Qt::SkipEmptyParts)) {
      if (line.startsWith('#')) continue;
      if (line.section(' ', 0, 0).endsWith("_ABI_VERSION"))
        kept_[name = line.section(' ', 0, 0)].version = line.section(' ', 1).toInt();
      else
        kept_[name].declarations << line;
    }
  }

  void aChangeRaisesTheVersion_data() {
    QTest::addColumn<QString>("name");
    for (const QString& name : now_.keys()) QTest::newRow(qPrintable(name)) << name;
  }
  void aChangeRaisesTheVersion() {
    QFETCH(QString, name);
    const Abi &kept = kept_[name], &now = now_[name];
    QVERIFY(now.declarations.size() > 10);
    QStringList changes;
    for (const QString& each : kept.declarations)
      if (!now.declarations.contains(each)) changes << "- " + each;
    for (const QString& each : now.declarations)
      if (!kept.declarations.contains(each)) changes << "+ " + each;
    if (now.version == kept.version)
      QVERIFY2(
          now.declarations == kept.declarations,
          qPrintable(QString("the ABI has changed, or its order: raise %1 from %2, then run this "
                             "test with PARAPET_UPDATE_ABI=1\n%3")
                         .arg(name)
                         .arg(kept.version)
                         .arg(changes.join('\n'))));
    else
      QVERIFY2(updates_ && now.version > kept.version,
               qPrintable(QString("%1 is %2; kept is %3. Run this test with PARAPET_UPDATE_ABI=1")
                              .arg(name)
                              .arg(now.version)
                              .arg(kept.version)));
  }

  void aCommentIsNoChange() {
    const QString header =
        "#ifdef X\nextern \"C\" {\n#endif\ntypedef struct A {\n  int a; /* a; b */\n} A;\n"
        "#define B(x) \\\n  x;\nenum { C = 1 };\nstatic inline int f(int a) {\n  return a;\n}\n}\n";
    const QStringList declarations = declarationsOf(header);
    QCOMPARE(declarations, (QStringList{"typedef struct A { int a; } A;", "enum { C = 1 };",
                                        "static inline int f(int a) { return a; }"}));
    QCOMPARE(declarationsOf(QString(header).replace("/* a; b */", "// other\n\n")), declarations);
    for (const auto& [from, into] :
         {std::pair{"int a;", "long a;"}, {"C = 1", "C = 2"}, {"return a", "return 0"}})
      QVERIFY(declarationsOf(QString(header).replace(from, into)) != declarations);
    QCOMPARE(declarationsOf("PP_OP(b, B)\nPP_TUNED_OP(a, A)\n"),
             (QStringList{"PP_OP(b, B);", "PP_OP(a, A);"}));
  }

  void cleanupTestCase() {
    if (!updates_ || QTest::currentTestFailed()) return;
    QFile file(PARAPET_ABI_FILE);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "# SPDX-License-"
        "Identifier: Apache-2.0\n");
    for (auto abi = now_.begin(); abi != now_.end(); ++abi)
      file.write(QString("%1 %2\n%3\n\n")
                     .arg(abi.key())
                     .arg(abi->version)
                     .arg(abi->declarations.join('\n'))
                     .toUtf8());
  }
};

QTEST_GUILESS_MAIN(AbiTest)
#include "abi_test.moc"
