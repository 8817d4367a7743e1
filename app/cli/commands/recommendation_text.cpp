// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/recommendation_text.h"

#include <fmt/format.h>

#include "app/cli/text_table.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

/// ", weekday monday, is_organic 1 (as in the last row)"; of a user without rows "(the usual value)"
std::string contextText(const std::vector<retrieval::ContextValue>& context, bool fromLastRow) {
  std::string text;
  for (const retrieval::ContextValue& value : context)
    text +=
        fmt::format(", {} {}{}", terminalText(value.name, LineEnds::kEscape),
                    value.value.empty() ? "unknown" : terminalText(value.value, LineEnds::kEscape),
                    value.given   ? ""
                    : fromLastRow ? " (as in the last row)"
                                  : " (the usual value)");
  return text;
}

/// ", history 50, 181", ", 20 items of its history"
std::string historyText(const std::optional<retrieval::QueryHistory>& history) {
  if (!history) return {};
  const std::size_t count = history->items.size();
  if (!history->given)
    return fmt::format(", {} item{} of its history", count, count == 1 ? "" : "s");
  return fmt::format(", history {}",
                     count == 0 ? "empty" : terminalText(join(history->items), LineEnds::kEscape));
}

}  // namespace

Json contextJson(const std::vector<retrieval::ContextValue>& context) {
  if (context.empty()) return nullptr;
  Json object = Json::object();
  for (const retrieval::ContextValue& value : context) object[value.name] = value.value;
  return object;
}

Json givenJson(const std::vector<retrieval::ContextValue>& context,
               const std::optional<retrieval::QueryHistory>& history) {
  Json names = Json::array();
  for (const retrieval::ContextValue& value : context)
    if (value.given) names.push_back(value.name);
  if (history && history->given) names.push_back("history");
  return names;
}

Json recommendationJson(const retrieval::Recommendation& list, const ListOrigin& origin) {
  Json items = Json::array();
  for (const retrieval::RecommendedItem& item : list.items)
    items.push_back(Json{{"id", item.id},
                         {"title", textOrNull(item.title)},
                         {"score", number(static_cast<double>(item.score))},
                         {"rank", item.rank}});
  std::vector<std::string> warnings = origin.warnings;
  warnings.insert(warnings.end(), list.warnings.begin(), list.warnings.end());
  return Json{{"user", textOrNull(list.user)},
              {"context", contextJson(list.context)},
              {"history", list.history ? Json(list.history->items) : Json(nullptr)},
              {"given", givenJson(list.context, list.history)},
              {"items", std::move(items)},
              {"step", origin.step},
              {"warnings", std::move(warnings)}};
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
               item.heldOutHit  ? "held-out hit"
               : item.inHistory ? "in the history"
               : item.seen      ? "seen in training"
                                : ""});
  const std::string about = list.userTitle.empty() ? "" : fmt::format(" ({})", list.userTitle);
  const std::string user =
      list.user.empty() ? "No user" : "User " + terminalText(list.user + about, LineEnds::kEscape);
  return fmt::format("{}{}: best {} of {} items at step {}\n{}", user,
                     contextText(list.context, list.fromLastRow) + historyText(list.history),
                     list.items.size(), formatCount(list.candidates), origin.step, table.text());
}

}  // namespace parapet::cli
