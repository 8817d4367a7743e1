// SPDX-License-Identifier: Apache-2.0
#include "engine/base/hash.h"

#include <QtTest>
#include <string>

using namespace parapet;

class HashTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void matchesThePublishedHashOfNothing() {
    QCOMPARE(hashHex(std::string_view("")), std::string("99aa06d3014798d86001c324468d497f"));
    QCOMPARE(hash64(""), std::uint64_t{0x2d06800538d394c2});
  }

  void piecesHashAsTheWhole() {
    const std::string text(100000, 'x');
    Hasher hasher;
    hasher.update(std::string_view(text).substr(0, 1));
    hasher.update(std::string_view());
    hasher.update(std::string_view(text).substr(1, 70000));
    hasher.update(std::string_view(text).substr(70001));
    QCOMPARE(hasher.hex(), hashHex(text));
  }

  void hexDoesNotEndTheStream() {
    Hasher hasher;
    hasher.update(std::string_view("a"));
    QCOMPARE(hasher.hex(), hashHex(std::string_view("a")));
    hasher.update(std::string_view("b"));
    QCOMPARE(hasher.hex(), hashHex(std::string_view("ab")));
  }

  void everyFlippedBitChangesTheHash() {
    const std::string original(64, '\0');
    for (std::size_t bit = 0; bit < original.size() * 8; ++bit) {
      std::string damaged = original;
      damaged[bit / 8] = static_cast<char>(1 << (bit % 8));
      QVERIFY(hashHex(damaged) != hashHex(original));
    }
  }
};

QTEST_GUILESS_MAIN(HashTest)
#include "hash_test.moc"
