// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "engine/base/random.h"
#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;

namespace {

/// Numbers that come out the same in every run.
class Dice {
 public:
  explicit Dice(std::uint64_t round) : random_(round, RandomPurpose::kSampling) {}
  std::size_t below(std::size_t bound) { return random_.below(index_++, bound); }

 private:
  Random random_;
  std::uint64_t index_ = 0;
};

std::vector<std::string> pointersOf(const nlohmann::json& document) {
  std::vector<std::string> pointers;
  const nlohmann::json leaves = document.flatten();
  for (const auto& [pointer, value] : leaves.items()) {
    std::string prefix = pointer;
    while (!prefix.empty()) {
      pointers.push_back(prefix);
      prefix.resize(prefix.rfind('/'));
    }
  }
  return pointers;
}

nlohmann::json strangeValue(Dice& dice) {
  static const std::vector<nlohmann::json> values{nullptr,
                                                  true,
                                                  0,
                                                  -1,
                                                  1,
                                                  3.0,
                                                  2.5,
                                                  1e308,
                                                  -1e-320,
                                                  std::numeric_limits<double>::quiet_NaN(),
                                                  std::numeric_limits<double>::infinity(),
                                                  9223372036854775807,
                                                  18446744073709551615ull,
                                                  "",
                                                  "x",
                                                  "cpu*1024",
                                                  "sgd",
                                                  "adam",
                                                  "compressed",
                                                  "generated",
                                                  "\xff\xfe",
                                                  "../..",
                                                  nlohmann::json::array(),
                                                  nlohmann::json::object(),
                                                  {1, 2, 3},
                                                  {{"kind", "adam"}},
                                                  {{{"name", "user"}}}};
  return values[dice.below(values.size())];
}

void mutate(nlohmann::json& document, Dice& dice) {
  using Pointer = nlohmann::json::json_pointer;
  const std::vector<std::string> pointers = pointersOf(document);
  if (pointers.empty()) return;
  const Pointer target(pointers[dice.below(pointers.size())]);
  const Pointer other(pointers[dice.below(pointers.size())]);
  switch (dice.below(4)) {
    case 0: {
      auto& parent = document.at(target.parent_pointer());
      if (parent.is_object()) {
        parent.erase(target.back());
      } else {
        parent.erase(std::stoul(target.back()));
      }
      break;
    }
    case 1:
      document.at(target) = strangeValue(dice);
      break;
    case 2: {
      const nlohmann::json copy = document.at(other);
      document.at(target) = copy;
      break;
    }
    default:
      if (document.at(target).is_object()) document.at(target)["epsilom"] = strangeValue(dice);
  }
}

}  // namespace

class MutationsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void changedDocumentsAreProblemsOrValid() {
    int valid = 0;
    const std::vector<Recipe>& all = recipes();
    for (std::uint64_t round = 0; round < 3000; ++round) {
      Dice dice(round);
      nlohmann::json document = test::recipeJson(all[round % all.size()].name);
      for (std::size_t changes = 1 + dice.below(3); changes > 0; --changes) mutate(document, dice);
      const Parsed parsed = parse(document);
      for (const Problem& problem : parsed.findings.problems) {
        QVERIFY2(!problem.message.empty() && !problem.accepted.empty(), problem.pointer.c_str());
        QVERIFY(problem.pointer.empty() || problem.pointer[0] == '/');
      }
      const std::string written =
          toJson(parsed.experiment)
              .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
      QCOMPARE(fingerprint(parsed.experiment).size(), std::size_t{32});
      if (!parsed.findings.problems.empty()) continue;
      ++valid;
      const Parsed again = parse(parseJson(written).value());
      QVERIFY2(again.findings.problems.empty(),
               (test::textOf(again.findings.problems) + document.dump()).c_str());
      QCOMPARE(toJson(again.experiment).dump(), written);
    }
    QVERIFY2(valid > 30 && valid < 2900, QByteArray::number(valid));
  }

  /// One name of each list in turn: what looks a name up must not count on finding it.
  void documentsWithoutANameAreProblems() {
    for (const Recipe& recipe : recipes()) {
      const nlohmann::json document = test::recipeJson(recipe.name);
      for (const std::string& pointer : pointersOf(document)) {
        if (!pointer.ends_with("/name")) continue;
        nlohmann::json nameless = document;
        const nlohmann::json::json_pointer name(pointer);
        nameless.at(name.parent_pointer()).erase("name");
        QVERIFY2(!parse(nameless).findings.problems.empty(), (recipe.name + pointer).c_str());
      }
    }
  }

  void randomBytesAreErrorsOrJson() {
    const std::string text = findRecipe("sample")->text;
    for (std::uint64_t round = 0; round < 2000; ++round) {
      Dice dice(round + 100000);
      std::string changed = text;
      for (std::size_t changes = 1 + dice.below(4); changes > 0; --changes)
        changed[dice.below(changed.size())] = static_cast<char>(dice.below(256));
      if (dice.below(4) == 0) changed.resize(dice.below(changed.size()));
      const auto json = parseJson(changed);
      if (!json.ok()) {
        QVERIFY(json.error().line.value_or(0) >= 1);
        continue;
      }
      (void)parse(*json);
    }
  }

  void randomPointersAreErrorsOrSet() {
    const nlohmann::json document = test::recipeJson("sample");
    const std::vector<std::string> pointers = pointersOf(document);
    for (std::uint64_t round = 0; round < 200; ++round) {
      Dice dice(round + 200000);
      std::string pointer = pointers[dice.below(pointers.size())];
      pointer[dice.below(pointer.size())] = "/~0az-"[dice.below(6)];
      nlohmann::json changed = document;
      if (!setPointer(
               changed, pointer,
               strangeValue(dice).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
               .ok())
        QCOMPARE(changed.dump(), document.dump());
      (void)parse(changed);
    }
  }
};

QTEST_GUILESS_MAIN(MutationsTest)
#include "mutations_test.moc"
