// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/compact_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/experiment/experiment.h"

namespace parapet::experiment {
namespace {

using Json = nlohmann::ordered_json;

class Compactor {
 public:
  Compactor(const Experiment& experiment, const std::vector<std::string>& kept)
      : document_(toJson(experiment)), meaning_(document_.dump()), kept_(kept) {
    for (const char* key : {"/parapet", "/name"}) kept_.emplace_back(key);
  }

  Json compact() {
    visit(document_, "");
    return std::move(document_);
  }

 private:
  [[nodiscard]] bool isKept(const std::string& pointer) const {
    return std::ranges::any_of(kept_, [&](const std::string& kept) {
      return kept == pointer || kept.starts_with(pointer + "/");
    });
  }
  [[nodiscard]] bool meansTheSame() const {
    const Parsed parsed = parse(nlohmann::json(document_));
    return parsed.findings.problems.empty() && toJson(parsed.experiment).dump() == meaning_;
  }

  // Whole branches first: most settings go with the first try.
  void visit(Json& node, const std::string& pointer) {
    if (node.is_array())
      for (std::size_t i = 0; i < node.size(); ++i)
        visit(node[i], fmt::format("{}/{}", pointer, i));
    if (!node.is_object()) return;
    std::vector<std::string> keys;
    for (const auto& [key, value] : node.items()) keys.push_back(key);
    for (const std::string& key : keys) {
      const std::string at = pointer + "/" + key;
      if (!isKept(at)) {
        const Json before = node;
        node.erase(key);
        if (meansTheSame()) continue;
        node = before;
      }
      visit(node[key], at);
    }
  }

  Json document_;
  const std::string meaning_;
  std::vector<std::string> kept_;
};

}  // namespace

Json compactJson(const Experiment& experiment, const std::vector<std::string>& kept) {
  return Compactor(experiment, kept).compact();
}

}  // namespace parapet::experiment
