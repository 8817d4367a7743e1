// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/recommendation_text.h"

#include <fmt/format.h>

#include "app/cli/text_table.h"
#include "engine/base/text.h"

namespace parapet::cli {

Json recommendationJson(const retrieval::Recommendation& list, const ListOrigin& origin) {
  Json items = Json::array();
  for (const retrieval::RecommendedItem& item : list.items)
    items.push_back(Json{{"id", item.id},
                         {"title", textOrNull(item.title)},
                         {"score", number(static_cast<double>(item.score))},
                         {"rank", item.rank}});
  return Json{{"user", list.user},         {"context", nullptr},  {"given", Json::array()},
              {"items", std::move(items)}, {"step", origin.step}, {"warnings", origin.warnings}};
}

std::string recommendationText(const retrieval::Recommendation& list, const ListOrigin& origin) {
  TextTable table({{"rank", Align::kRight},
                   {"score", Align::kRight},
                   {"item", Align::kRight},
                   {"title"},
                   {""}});
  for (const retrieval::RecommendedItem& item : list.items)
    table.add({fmt::format("{}", item.rank), shortNumber(static_cast<double>(item.score)), item.id,
               item.title,
               item.heldOutHit ? "held-out hit"
               : item.seen     ? "seen in training"
                               : ""});
  const std::string about = list.userTitle.empty() ? "" : fmt::format(" ({})", list.userTitle);
  const std::string user = terminalText(list.user + about, LineEnds::kEscape);
  return fmt::format("User {}: best {} of {} items at step {}\n{}", user, list.items.size(),
                     formatCount(list.candidates), origin.step, table.text());
}

}  // namespace parapet::cli
