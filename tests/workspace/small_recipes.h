// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <QTemporaryDir>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "engine/base/random.h"
#include "engine/data/generate/generate.h"
#include "tests/experiment/sample_document.h"

namespace parapet::testing {

/// The recipes over data of a few hundred rows: generated ones stand in for those that a recipe does
/// not bring along. Model, losses and optimizers are the recipe's own; batches do not divide by
/// three.
class SmallRecipes {
 public:
  static constexpr std::int64_t kBatch = 50;

  SmallRecipes() {
    const experiment::Generator movies{
        .kind = experiment::GeneratorKind::kMovies, .users = 60, .items = 40, .events = 700};
    made_ = data::generate(movies, {folder() / "movies"}, {}).ok();
    writeEvents(folder() / "frappe");
    writeTexts(folder() / "texts");
  }
  [[nodiscard]] bool made() const { return made_; }

  [[nodiscard]] experiment::Experiment of(std::string_view name) const {
    nlohmann::json document = experiment::test::recipeJson(name);
    nlohmann::json& dataset = document["dataset"];
    const std::string source = dataset["source"];
    if (source == "movielens") dataset["path"] = (folder() / "movies").string();
    if (source == "csv") dataset["path"] = (folder() / "frappe" / "frappe.csv").string();
    if (source == "text") dataset["path"] = (folder() / "texts").string();
    if (source == "parquet") {
      dataset["source"] = "generated";
      dataset.erase("slice");
      dataset["generator"] = {{"kind", "events"}};
    }
    if (dataset.contains("generator")) {
      nlohmann::json& generator = dataset["generator"];
      const bool listens = generator.value("kind", "movies") == "events";
      generator.update({{"users", 60}, {"items", 40}, {"events", listens ? 3000 : 700}});
    }
    nlohmann::json& batch = dataset["batch"];
    batch["size"] = source == "text" ? 7 : kBatch;
    if (dataset.contains("split") && dataset["split"]["kind"] == "random")
      dataset["split"].update({{"train", 0.8}, {"validation", 0.1}, {"test", 0.1}});
    document["training"]["epochs"] = 1;
    return experiment::test::parsedDocument(document);
  }

 private:
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path().toStdString(); }

  /// Writes the events of users, items and contexts, and a catalogue.
  static void writeEvents(const std::filesystem::path& folder) {
    std::filesystem::create_directory(folder);
    std::ofstream events(folder / "frappe.csv");
    events
        << "user\titem\tcnt\tdaytime\tweekday\tisweekend\thomework\tcost\tweather\tcountry\tcity\n";
    const Random random(3, RandomPurpose::kSampling);
    for (std::uint64_t row = 0; row < 700; ++row) {
      const auto draw = [&](std::uint64_t column, std::uint64_t bound) {
        return random.below(16 * row + column, bound);
      };
      events << fmt::format("{}\t{}\t1\tday{}\tweekday{}\t{}\thome{}\tfree\tsky{}\tland{}\t{}\n",
                            draw(0, 40), draw(1, 30), draw(2, 4), draw(3, 7), draw(4, 2),
                            draw(5, 3), draw(6, 5), draw(7, 9), draw(8, 20));
    }
    std::ofstream catalogue(folder / "meta.csv");
    catalogue << "item\tname\tcategory\n";
    for (int item = 0; item < 30; ++item)
      catalogue << fmt::format("{0}\tprogram {0}\tkind{1}\n", item, item % 4);
  }

  /// Lines that the recipes find long enough, and the pieces that they are made of.
  static void writeTexts(const std::filesystem::path& folder) {
    static constexpr std::array kWords{"the", "cat", "dog", "sees", "likes", "finds", "today"};
    std::filesystem::create_directory(folder);
    std::ofstream vocabulary(folder / "vocab.txt");
    vocabulary << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n.\n";
    for (const char* word : kWords) vocabulary << word << '\n';
    const Random random(4, RandomPurpose::kSampling);
    std::uint64_t drawn = 0;
    for (const auto& [file, lines] :
         {std::pair{"train.txt", 21}, {"valid.txt", 8}, {"test.txt", 8}}) {
      std::ofstream text(folder / file);
      for (int line = 0; line < lines; ++line) {
        std::string words;
        while (words.size() < 102) {
          words += kWords[random.below(drawn, kWords.size())];
          words += ' ';
          ++drawn;
        }
        text << words << ".\n";
      }
    }
  }

  QTemporaryDir folder_;
  bool made_ = false;
};

}  // namespace parapet::testing
