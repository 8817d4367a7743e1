// SPDX-License-Identifier: Apache-2.0
#include "engine/base/record/record.h"

#include <QtTest>

using namespace parapet;
using namespace parapet::record;

// A module of its own, whose structs are described beside them.
namespace garden {

enum class Kind { kTree, kFlower };

struct Bed {
  std::string name;
  std::int64_t plants = 1;
};
struct Plant {
  Kind kind = Kind::kTree;
  double height = 2.5;
  std::optional<std::string> colour;
  std::vector<Bed> beds;
};

const Record<Bed>& describe(Type<Bed>) {
  static const auto record = Record<Bed>()
                                 .renamed({{"count", "plants"}})
                                 .field("name", &Bed::name, pathName(), "Name of the bed.")
                                 .required()
                                 .field("plants", &Bed::plants, integer({.min = 1}), "How many.");
  return record;
}

const Record<Plant>& describe(Type<Plant>) {
  static const auto record =
      Record<Plant>()
          .selector("kind", &Plant::kind,
                    choice<Kind>({{"tree", Kind::kTree}, {"flower", Kind::kFlower}}), "What it is.")
          .field("height", &Plant::height, number({.min = 0.0, .minExcluded = true}), "Metres.")
          .of({"tree"})
          .field("colour", &Plant::colour, optional(text()), "Of its petals.")
          .of({"flower"})
          .field("beds", &Plant::beds, list(object<Bed>()), "Where it grows.");
  return record;
}

}  // namespace garden

class RecordTest : public QObject {
  Q_OBJECT

 private:
  static garden::Plant read(const char* text, Findings& findings) {
    garden::Plant plant;
    recordOf<garden::Plant>().read(nlohmann::json::parse(text), plant, Location("", findings));
    return plant;
  }

 private Q_SLOTS:
  void readsStructsOfOtherModules() {
    Findings findings;
    const garden::Plant plant = read(
        R"({"kind": "flower", "colour": "red", "beds": [{"name": "a", "plants": 3}]})", findings);
    QVERIFY(findings.problems.empty());
    QVERIFY(plant.kind == garden::Kind::kFlower);
    QCOMPARE(plant.colour.value_or(""), std::string("red"));
    QCOMPARE(plant.beds.at(0).plants, std::int64_t{3});
  }

  void writesWhatItReads() {
    Findings findings;
    const garden::Plant plant = read(R"({"kind": "tree", "beds": [{"name": "a"}]})", findings);
    const auto written = recordOf<garden::Plant>().write(plant);
    QCOMPARE(written.dump(),
             std::string(R"({"kind":"tree","height":2.5,"beds":[{"name":"a","plants":1}]})"));
  }

  void findsAllProblemsAtOnce_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("pointer");
    QTest::addColumn<QByteArray>("part");
    const auto row = [](const char* claim, const char* text, const char* pointer,
                        const char* part) {
      QTest::newRow(claim) << QByteArray(text) << QByteArray(pointer) << QByteArray(part);
    };
    row("unknown key", R"({"hight": 3})", "/hight", "did you mean \"height\"?");
    row("key of another kind", R"({"kind": "flower", "height": 3})", "/height",
        "height is a setting of tree");
    row("wrong type", R"({"height": "3"})", "/height", "found the text \"3\"");
    row("out of range", R"({"height": 0})", "/height", "out of range");
    row("missing key", R"({"beds": [{}]})", "/beds/0/name", "is missing");
    row("renamed key", R"({"beds": [{"name": "a", "count": 3}]})", "/beds/0/count",
        "\"count\" is now called \"plants\"");
    row("a key with a slash", R"({"a/b": 1})", "/a~1b", "unknown key");
  }
  void findsAllProblemsAtOnce() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, part);
    Findings findings;
    read(text.constData(), findings);
    QCOMPARE(findings.problems.size(), std::size_t{1});
    QCOMPARE(findings.problems[0].pointer, pointer.toStdString());
    QVERIFY2(findings.problems[0].message.find(part.toStdString()) != std::string::npos,
             findings.problems[0].message.c_str());
  }

  void describesItsKeys() {
    const auto schema = recordOf<garden::Plant>().schema();
    QCOMPARE(schema.at("properties").size(), std::size_t{4});
    QCOMPARE(schema.at("properties").at("height").at("default").get<double>(), 2.5);
    QCOMPARE(schema.at("additionalProperties").get<bool>(), false);
    QCOMPARE(schema.at("allOf").size(), std::size_t{2});
  }
};

QTEST_GUILESS_MAIN(RecordTest)
#include "record_test.moc"
