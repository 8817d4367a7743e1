// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <QTemporaryDir>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/random.h"
#include "tests/experiment/sample_document.h"

namespace parapet::testing {

/// Sentences in which the verb decides the adverb, and the subject is the object.
inline constexpr std::array kNouns{"cat", "dog", "bird", "horse"};
inline constexpr std::array kVerbs{"sees", "likes", "finds"};
inline constexpr std::array kAdverbs{"today", "slowly", "again"};

inline std::string sentences(std::int64_t lines, std::uint64_t seed) {
  const Random random(seed, RandomPurpose::kSampling);
  std::string text;
  for (std::uint64_t line = 0; line < static_cast<std::uint64_t>(lines); ++line) {
    const auto noun = random.below(2 * line, kNouns.size());
    const auto verb = random.below(2 * line + 1, kVerbs.size());
    text += fmt::format("the {0} {1} the {0} {2} .\n", kNouns[noun], kVerbs[verb], kAdverbs[verb]);
  }
  return text;
}

inline void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

/// A folder with a corpus and its vocabulary.
class Corpus {
 public:
  Corpus() {
    const std::filesystem::path folder(folder_.path().toStdString());
    write(folder / "train.txt", sentences(400, 1));
    write(folder / "valid.txt", sentences(240, 2));
    write(folder / "test.txt", sentences(40, 3));
    write(folder / "vocab.txt",
          "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\n.\ncat\ndog\nbird\nhorse\nsees\nlikes\nfinds\n"
          "today\nslowly\nagain\n");
  }
  [[nodiscard]] std::string path() const { return folder_.path().toStdString(); }

 private:
  QTemporaryDir folder_;
};

inline nlohmann::json grammarJson() {
  return experiment::parseJson(R"({"parapet": 1, "name": "grammar",
    "dataset": {"source": "text", "text": {"vocabulary": "vocab.txt", "max_length": 12},
      "batch": {"size": 24, "shuffle": "epoch"}},
    "tables": [{"name": "tokens", "vocabulary": "tokens", "embedding_dim": 16,
      "initializer": {"kind": "truncated_normal", "stddev": 0.1}}],
    "features": [{"name": "tokens", "column": "tokens", "table": "tokens", "sequence": true,
      "max_length": 12}],
    "model": {"kind": "masked_lm",
      "layers": [{"kind": "position"}, {"kind": "layer_norm"},
        {"kind": "transformer_block", "heads": 2, "units": 32, "rate": 0.1}],
      "masked_layers": [{"kind": "dense", "units": 16, "activation": "gelu"},
        {"kind": "layer_norm"}],
      "masking": {"rate": 0.2, "max_selections": 3}},
    "loss": {"kind": "vocabulary_softmax", "reduction": "weighted_mean"},
    "optimizer": {"kind": "adam", "learning_rate": 0.01},
    "training": {"epochs": 2, "validate_every": 1, "seed": 5,
      "checkpoints": {"every": null, "keep": 3, "best": null}}})")
      .value();
}

inline experiment::Experiment documentOf(const Corpus& corpus) {
  nlohmann::json document = grammarJson();
  document["dataset"]["path"] = corpus.path();
  return experiment::test::parsedDocument(document);
}

}  // namespace parapet::testing
