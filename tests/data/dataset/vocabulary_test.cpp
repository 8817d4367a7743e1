// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/vocabulary_writer.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/data/dataset/vocabulary.h"

using namespace parapet;
using namespace parapet::data;

namespace {

std::vector<Vocabulary::Entry> threeFilms() {
  std::vector<Vocabulary::Entry> entries(5);
  entries[0].count = 3;
  entries[1] = {"10", "Café (1950)", {"Comedy", "1950"}, 7, true};
  entries[2] = {"9", "The Harbour (1960)", {"Drama", "1960"}, 2, true};
  // Row 3 stays a gap.
  entries[4] = {"x-1", "harbour II (1970)", {}, 0, true};
  return entries;
}

Status writeVocabulary(const std::filesystem::path& folder, const std::string& name,
                       const std::vector<std::string>& attributes,
                       const std::vector<Vocabulary::Entry>& entries) {
  VocabularyWriter writer(attributes);
  for (const auto& entry : entries) writer.add(entry);
  return writer.write(folder, name);
}

}  // namespace

class VocabularyTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir directory_;
  std::filesystem::path folder() const { return directory_.path().toStdString(); }
  Vocabulary films() const {
    const Status written = writeVocabulary(folder(), "item", {"genres", "year"}, threeFilms());
    if (!written) throw InternalError(written.error().text());
    return Vocabulary::open(folder(), "item").value();
  }

 private Q_SLOTS:
  void readsBackWhatWasWritten() {
    const Vocabulary films = this->films();
    QCOMPARE(films.name(), std::string("item"));
    QCOMPARE(films.size(), std::int64_t{5});
    QVERIFY(films.row("10") == 1);
    QVERIFY(films.row("9") == 2);
    QVERIFY(films.row("x-1") == 4);
    QCOMPARE(films.rawId(2), std::string_view("9"));
    QCOMPARE(films.title(1), std::string_view("Café (1950)"));
    QCOMPARE(films.count(0), std::int64_t{3});
    QCOMPARE(films.count(1), std::int64_t{7});
    QCOMPARE(films.attributeNames(), (std::vector<std::string>{"genres", "year"}));
    QCOMPARE(films.attribute(1, 2), std::string_view("1960"));
    QCOMPARE(films.attribute(0, 4), std::string_view(""));
  }

  void idsThatShareARowAreEntriesBehindTheRows() {
    VocabularyWriter writer({"genres"});
    writer.add({});
    writer.add({"10", "Café", {"Comedy"}, 7, true});
    writer.add({"9", "Harbour", {}, 2, true});
    writer.addShared({"x-1", "Harbour II", {"Drama"}, 1, true}, 2);
    writer.addShared({"7", "", {}, 0, true}, 0);
    QCOMPARE(writer.size(), std::int64_t{3});
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, writer.addShared({"8", "", {}, 0, true}, 3));
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, writer.add({"8", "", {}, 0, true}));
    QVERIFY(writer.write(folder(), "shared").ok());
    const Vocabulary films = Vocabulary::open(folder(), "shared", 3).value();
    QCOMPARE(films.entries(), std::int64_t{5});
    QCOMPARE(films.entry("x-1"), std::optional<std::int32_t>(3));
    QCOMPARE(films.row("x-1"), std::optional<std::int32_t>(2));
    QCOMPARE(films.row("7"), std::optional<std::int32_t>(0));
    QCOMPARE(films.rowOf(1), 1);
    QCOMPARE(films.title(3), std::string_view("Harbour II"));
    QCOMPARE(films.attribute(0, 3), std::string_view("Drama"));
    QVERIFY(films.isCandidate(3) && !films.entry("8"));
    QCOMPARE(films.search("harbour", 9), (std::vector<std::int32_t>{2, 3}));
    QVERIFY(!films.lostSharedIds());

    const ItemIndex index(films);
    QVERIFY(index.sharesRows());
    QCOMPARE(index.size(), 5);
    QVERIFY(!index.hasRow(*index.find("7")) && index.hasRow(*index.find("x-1")));
    QCOMPARE(index.layout(), (std::vector<std::int32_t>{0, 1, 2}));
    QCOMPARE(index.vectorOf(*index.find("x-1")), 2);
  }

  // The order that breaks ties: of hashes that are the same on every platform.
  void itemsAreOrderedByAHashOfTheirId() {
    const ItemIndex index(films());
    QCOMPARE(index.size(), 4);
    QCOMPARE(index.id(0), std::string_view(""));
    for (std::int32_t item = 1; item < index.size(); ++item) {
      QCOMPARE(index.find(index.id(item)), std::optional(item));
      QCOMPARE(index.ofEntry(index.entry(item)), item);
      if (item > 1) QVERIFY(hash64(index.id(item - 1)) < hash64(index.id(item)));
    }
    QCOMPARE(hash64("10"), std::uint64_t{15017679864016259122U});
    for (const auto& [item, id] : {std::pair{1, "9"}, {2, "x-1"}, {3, "10"}})
      QCOMPARE(index.id(item), std::string_view(id));
    QCOMPARE(index.ofEntry(3), 0);
    QVERIFY(!index.sharesRows() && !index.find("010"));
    QCOMPARE(index.layout().size(), std::size_t{4});
  }

  void knowsNoOtherIds() {
    const Vocabulary films = this->films();
    for (const char* id : {"", "1", "010", "x", "zzz"}) QVERIFY(!films.row(id));
  }

  void gapsAndPaddingAreNoCandidates() {
    const Vocabulary films = this->films();
    QVERIFY(!films.isCandidate(0));
    QVERIFY(films.isCandidate(1));
    QVERIFY(!films.isCandidate(3));
    QCOMPARE(films.rawId(3), std::string_view(""));
  }

  void searchesIdsAndTitlesIgnoringCase() {
    const Vocabulary films = this->films();
    QCOMPARE(films.search("HARBOUR", 10), (std::vector<std::int32_t>{2, 4}));
    QCOMPARE(films.search("harbour", 1), (std::vector<std::int32_t>{2}));
    QCOMPARE(films.search("10", 10), (std::vector<std::int32_t>{1}));
    QVERIFY(films.search("nothing", 10).empty());
  }

  void refusesRowsOutside() {
    const Vocabulary films = this->films();
    QVERIFY_EXCEPTION_THROWN(static_cast<void>(films.title(5)), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(static_cast<void>(films.rawId(-1)), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(static_cast<void>(films.attribute(2, 1)), InvalidArgument);
  }

  void refusesAPresentRowZeroAndDoubleIds() {
    auto entries = threeFilms();
    entries[0].present = true;
    QVERIFY_EXCEPTION_THROWN(static_cast<void>(writeVocabulary(folder(), "bad", {}, entries)),
                             InvalidArgument);
    entries = threeFilms();
    entries[2].rawId = "10";
    QVERIFY_EXCEPTION_THROWN(
        static_cast<void>(writeVocabulary(folder(), "bad", {"a", "b"}, entries)), InvalidArgument);
    QVERIFY(!std::filesystem::exists(folder() / "bad.vocab"));
  }

  // Every cut of the file is refused with its path; none crashes.
  void refusesEveryTruncation() {
    films();
    const std::string whole = readFile(folder() / "item.vocab").value();
    for (std::size_t length = 0; length < whole.size(); ++length) {
      std::ofstream(folder() / "cut.vocab", std::ios::binary) << whole.substr(0, length);
      const auto opened = Vocabulary::open(folder(), "cut");
      QVERIFY2(!opened, std::to_string(length).c_str());
      QVERIFY(opened.error().code == ErrorCode::kData);
      QCOMPARE(opened.error().path, (folder() / "cut.vocab").string());
    }
  }
};

QTEST_GUILESS_MAIN(VocabularyTest)
#include "vocabulary_test.moc"
