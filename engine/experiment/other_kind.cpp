// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/other_kind.h"

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

}  // namespace parapet::experiment
