// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/other_kind.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/experiment/experiment.h"

namespace parapet::experiment {
namespace {

using OrderedJson = nlohmann::ordered_json;
using OrderedPointer = OrderedJson::json_pointer;

/// The object at `at` with all defaults, if the document gave nothing of it but its selector.
OrderedJson defaultsOf(const OrderedJson& document, const OrderedPointer& at,
                       const std::string& selector, const OrderedJson& kind) {
  OrderedJson probe = document;
  probe[at] = OrderedJson{{selector, kind}};
  const OrderedJson full = toJson(parse(nlohmann::json(probe)).experiment);
  const bool known = full.contains(at) && full.at(at).is_object();
  return known ? full.at(at) : OrderedJson::object();
}

class Compactor {
 public:
  Compactor(const Experiment& experiment, const std::vector<std::string>& kept)
      : document_(toJson(experiment)), meaning_(document_.dump()), kept_(kept) {
    for (const char* key : {"/parapet", "/name"}) kept_.emplace_back(key);
  }

  OrderedJson compact() {
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
  void visit(OrderedJson& node, const std::string& pointer) {
    if (node.is_array())
      for (std::size_t i = 0; i < node.size(); ++i)
        visit(node[i], fmt::format("{}/{}", pointer, i));
    if (!node.is_object()) return;
    std::vector<std::string> keys;
    for (const auto& [key, value] : node.items()) keys.push_back(key);
    for (const std::string& key : keys) {
      const std::string at = pointer + "/" + key;
      if (!isKept(at)) {
        const OrderedJson before = node;
        node.erase(key);
        if (meansTheSame()) continue;
        node = before;
      }
      visit(node[key], at);
    }
  }

  OrderedJson document_;
  const std::string meaning_;
  std::vector<std::string> kept_;
};

}  // namespace

OtherKind ofOtherKind(const OrderedJson& document, const OrderedPointer& at,
                      const std::string& selector, const OrderedJson& kind) {
  const OrderedJson& object = document.at(at);
  const OrderedJson before =
      defaultsOf(document, at, selector, object.value(selector, OrderedJson()));
  const OrderedJson after = defaultsOf(document, at, selector, kind);
  // The reader names what is wrong with an unknown kind, which has no settings.
  const bool isKnown = after.value(selector, OrderedJson()) == kind;
  OtherKind changed{OrderedJson::object(), {}};
  for (const auto& [key, value] : object.items()) {
    const bool isForeign = before.contains(key) && !after.contains(key);
    const bool isUntouched = before.contains(key) && before[key] == value;
    // Shares of one kind are no paths of another.
    const bool means = isForeign || !before.contains(key) || !after.contains(key) ||
                       before[key].is_number() == after[key].is_number();
    if (key == selector || (!isUntouched && means && !isForeign)) changed.object[key] = value;
    if (isKnown && isForeign && !isUntouched && key != selector) changed.lost.push_back(key);
  }
  changed.object[selector] = kind;
  return changed;
}

OrderedJson compactJson(const Experiment& experiment, const std::vector<std::string>& kept) {
  return Compactor(experiment, kept).compact();
}

}  // namespace parapet::experiment
