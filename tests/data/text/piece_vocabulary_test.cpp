// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/piece_vocabulary.h"

#include <QTemporaryDir>
#include <QtTest>
#include <string>

#include "engine/base/files.h"
#include "tests/data/text/small_pieces.h"

using namespace parapet;
using namespace parapet::data;

namespace {

const std::string kSpecials = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";

}  // namespace

class PieceVocabularyTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theLineIsTheId() {
    const auto vocabulary = PieceVocabulary::parse("fox\r\n" + kSpecials + "##es", "v.txt");
    QVERIFY(vocabulary.ok());
    QCOMPARE(vocabulary->size(), std::int64_t{7});
    QCOMPARE(vocabulary->piece(0), std::string_view("fox"));
    QCOMPARE(vocabulary->piece(6), std::string_view("##es"));
    QCOMPARE(vocabulary->id(SpecialPiece::kPad), 1);
    QCOMPARE(vocabulary->id(SpecialPiece::kMask), 5);
    QVERIFY(vocabulary->isSpecial(3));
    QVERIFY(!vocabulary->isSpecial(0));
  }

  void readsAFile() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("vocab.txt").toStdString();
    QVERIFY(writeFileAtomically(path, kSmallPieces).ok());
    const auto vocabulary = PieceVocabulary::read(path);
    QVERIFY(vocabulary.ok());
    QCOMPARE(vocabulary->piece(7), std::string_view("fox"));
    QVERIFY(!PieceVocabulary::read(path / "none").ok());
  }

  void refusesDamage_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("says");
    const QByteArray specials = kSpecials.c_str();
    QTest::newRow("empty") << QByteArray() << 0 << "none of its 0 lines is [PAD]";
    QTest::newRow("empty line") << specials + "fox\n\ndog\n" << 7 << "line 7: the line is empty";
    QTest::newRow("twice") << specials + "fox\ndog\nfox\n"
                           << 8 << "line 8: \"fox\" is on line 6 already";
    QTest::newRow("no utf-8") << specials + "f\xFFx\n" << 6 << "is not UTF-8";
    QTest::newRow("blank") << specials + "a fox\n" << 6 << "has a blank";
    QTest::newRow("nul") << specials + QByteArray("f\0x\n", 4) << 6 << "has a blank";
    QTest::newRow("nothing goes on") << specials + "##\n" << 6 << "continues a word with nothing";
    QTest::newRow("long") << specials + QByteArray(2000, 'x') << 6 << "2000 bytes";
    for (const char* name : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"})
      QTest::newRow(name) << QByteArray(specials).replace(name, "other") << 5
                          << QString("none of its 5 lines is ") + name;
  }
  void refusesDamage() {
    QFETCH(QByteArray, text);
    QFETCH(int, line);
    QFETCH(QString, says);
    const auto refused = PieceVocabulary::parse(text.toStdString(), "v.txt");
    QVERIFY(!refused.ok());
    const Error& error = refused.error();
    QCOMPARE(error.code, ErrorCode::kData);
    QCOMPARE(error.path, std::string("v.txt"));
    QCOMPARE(error.line.value(), std::int64_t{line});
    QVERIFY2(QString::fromStdString(error.message).contains(says), error.message.c_str());
  }

  void theTrieFindsTheLongestPiece() {
    const auto vocabulary =
        PieceVocabulary::parse(kSpecials + "a\nab\nabcd\n##b\n##bcd\n#", "v").value();
    const PieceTrie trie(vocabulary);
    QCOMPARE(trie.longestStart("abcx").id, 6);
    QCOMPARE(trie.longestStart("abcx").bytes, std::size_t{2});
    QCOMPARE(trie.longestStart("abcde").id, 7);
    QCOMPARE(trie.longestStart("b").id, PieceTrie::kNone);
    QCOMPARE(trie.longestContinuation("bc").id, 8);
    QCOMPARE(trie.longestContinuation("bcd").id, 9);
    QCOMPARE(trie.longestContinuation("a").id, PieceTrie::kNone);
    QCOMPARE(trie.longestStart("").id, PieceTrie::kNone);
    QCOMPARE(trie.longestStart(std::string_view("\0", 1)).id, PieceTrie::kNone);
  }

  void theTrieHoldsEveryPiece() {
    std::string text = kSpecials;
    for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919 % 1'000'003) + "\n";
    const auto vocabulary = PieceVocabulary::parse(text, "v").value();
    const PieceTrie trie(vocabulary);
    for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
      const auto found = trie.longestStart(vocabulary.piece(id));
      QCOMPARE(found.id, id);
      QCOMPARE(found.bytes, vocabulary.piece(id).size());
    }
  }
};

QTEST_APPLESS_MAIN(PieceVocabularyTest)
#include "piece_vocabulary_test.moc"
