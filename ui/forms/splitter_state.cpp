// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/splitter_state.h"

#include <algorithm>

namespace parapet::ui {

nlohmann::json splitterState(const QSplitter& splitter) {
  const QList<int> sizes = splitter.sizes();
  return std::vector<int>(sizes.begin(), sizes.end());
}

void restoreSplitter(QSplitter& splitter, const nlohmann::json& pageState) {
  const auto sizes = pageState.find("splitter");
  if (sizes == pageState.end() || !sizes->is_array()) return;
  const auto isNumber = [](const nlohmann::json& size) { return size.is_number_integer(); };
  if (sizes->size() != static_cast<std::size_t>(splitter.count()) ||
      !std::ranges::all_of(*sizes, isNumber))
    return;
  const auto numbers = sizes->get<std::vector<int>>();
  splitter.setSizes({numbers.begin(), numbers.end()});
}

}  // namespace parapet::ui
