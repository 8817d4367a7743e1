// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/document_schema.h"

#include <QTest>

using namespace parapet::ui;
using Type = FieldInfo::Type;

class DocumentSchemaTest : public QObject {
  Q_OBJECT

 private slots:
  void theTypeOfAFieldDecidesItsWidget_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<Type>("type");
    QTest::newRow("text") << "/name" << Type::kText;
    QTest::newRow("text or null") << "/dataset/path" << Type::kText;
    QTest::newRow("word") << "/loss/kind" << Type::kWord;
    QTest::newRow("whole number") << "/training/epochs" << Type::kInteger;
    QTest::newRow("number") << "/optimizer/learning_rate" << Type::kNumber;
    QTest::newRow("flag") << "/dataset/batch/drop_remainder" << Type::kFlag;
    QTest::newRow("list") << "/evaluation/k" << Type::kList;
    QTest::newRow("object") << "/training/checkpoints" << Type::kObject;
    QTest::newRow("a word or a number") << "/dataset/vocabularies/0/size" << Type::kWordOrNumber;
    QTest::newRow("any index of a list") << "/tables/17/embedding_dim" << Type::kInteger;
  }
  void theTypeOfAFieldDecidesItsWidget() {
    QFETCH(QString, pointer);
    QFETCH(Type, type);
    const FieldInfo info = fieldInfo(pointer);
    QCOMPARE(static_cast<int>(info.type), static_cast<int>(type));
    QVERIFY2(!info.meaning.isEmpty(), qPrintable(pointer));
  }

  void rangesAreSaid() {
    const FieldInfo epochs = fieldInfo("/training/epochs");
    QVERIFY(epochs.min && *epochs.min >= 0.0);
    QVERIFY(!epochs.range.isEmpty());
    QVERIFY(epochs.toolTip().contains(epochs.meaning) && epochs.toolTip().contains(epochs.range));
    const FieldInfo kind = fieldInfo("/loss/kind");
    QVERIFY(kind.words.contains("mse") && kind.range.contains("bce"));
  }

  void aNumberThatMayBeAListSaysSo() {
    const FieldInfo capacity = fieldInfo("/mesh/capacity_bytes");
    QCOMPARE(static_cast<int>(capacity.type), static_cast<int>(Type::kInteger));
    QCOMPARE(capacity.range, QString("at least 1, or a list"));
    QVERIFY(capacity.nullable);
    QCOMPARE(static_cast<int>(fieldInfo("/mesh/capacity_bytes/1").type),
             static_cast<int>(Type::kInteger));
  }

  void nullableFieldsSayThatTheyMayBeEmpty() {
    const FieldInfo path = fieldInfo("/dataset/path");
    QVERIFY(path.nullable);
    QVERIFY(path.toolTip().contains("empty"));
    QVERIFY(!fieldInfo("/training/epochs").nullable);
  }

  void whatNoDocumentHasHasNoMeaning() {
    QVERIFY(fieldInfo("/training/nothing").meaning.isEmpty());
    QVERIFY(fieldInfo("/no/such/field").words.isEmpty());
    QVERIFY(fieldKeys("/no/such/object").isEmpty());
  }

  void keysAreInCanonicalOrder() {
    const QStringList keys = fieldKeys("");
    QVERIFY(keys.indexOf("dataset") < keys.indexOf("tables"));
    QVERIFY(keys.indexOf("tables") < keys.indexOf("model"));
    QVERIFY(fieldKeys("/dataset/batch").contains("drop_remainder"));
    QCOMPARE(labelOf("initial_accumulator"), QString("Initial accumulator"));
    QCOMPARE(labelOf(""), QString());
  }
};

QTEST_APPLESS_MAIN(DocumentSchemaTest)
#include "document_schema_test.moc"
