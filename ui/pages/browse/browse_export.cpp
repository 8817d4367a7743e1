// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/browse_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/quoting.h"
#include "ui/models/table_text.h"

namespace parapet::ui {
namespace {

using retrieval::RecommendedItem;

constexpr const char* kHeader[] = {"user",         "run",
                                   "step",         "data",
                                   "candidates",   "seen",
                                   "rank",         "id",
                                   "title",        "score",
                                   "popularity",   "popularity_percentile",
                                   "held_out_hit", "seen_in_training",
                                   "column",       "context",
                                   "given",        "rank_in_column_1"};

/// One list, the model it is from, and the list it is compared with.
struct Source {
  const retrieval::Recommendation* list;
  const retrieval::Recommender* model;
  std::size_t column;                      ///< from 1
  const retrieval::Recommendation* first;  ///< null: it is the first
};

std::vector<Source> sourcesOf(const std::vector<ColumnAnswer>& answers) {
  std::vector<Source> sources;
  const auto answered = [](const ColumnAnswer& answer) {
    return answer.ready && !answer.error && answer.model;
  };
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (answered(answers[i]))
      sources.push_back({&answers[i].list, answers[i].model.get(), i + 1,
                         i > 0 && answered(answers[0]) ? &answers[0].list : nullptr});
  return sources;
}

/// 0 if the item is not there.
std::int64_t rankIn(const retrieval::Recommendation& list, std::int32_t item) {
  const auto found = std::ranges::find(list.items, item, &RecommendedItem::item);
  return found == list.items.end() ? 0 : found->rank;
}

std::string contextField(const retrieval::Recommendation& list) {
  std::vector<std::string> parts;
  for (const retrieval::ContextValue& value : list.context)
    parts.push_back(value.name + "=" + value.value);
  return fmt::format("{}", fmt::join(parts, ";"));
}

std::vector<std::string> givenNames(const retrieval::Recommendation& list) {
  std::vector<std::string> names;
  for (const retrieval::ContextValue& value : list.context)
    if (value.given) names.push_back(value.name);
  return names;
}

const char* seenWord(retrieval::SeenItems seen) {
  switch (seen) {
    case retrieval::SeenItems::kKeep:
      return "keep";
    case retrieval::SeenItems::kExcludeTrain:
      return "exclude_training";
    case retrieval::SeenItems::kExcludeAll:
      break;
  }
  return "exclude_all";
}

std::vector<std::string> fieldsOf(const Source& source, const RecommendedItem& item,
                                  retrieval::SeenItems seen) {
  const std::int64_t rank = source.first ? rankIn(*source.first, item.item) : item.rank;
  return {source.list->user,
          source.model->model().runId,
          fmt::format("{}", source.list->step),
          source.model->dataset().hash(),
          fmt::format("{}", source.list->candidates),
          seenWord(seen),
          fmt::format("{}", item.rank),
          item.id,
          item.title,
          fmt::format("{}", item.score),
          fmt::format("{}", item.popularity),
          fmt::format("{}", item.popularityPercentile),
          item.heldOutHit ? "true" : "false",
          item.seen ? "true" : "false",
          fmt::format("{}", source.column),
          contextField(*source.list),
          fmt::format("{}", fmt::join(givenNames(*source.list), ";")),
          rank > 0 ? fmt::format("{}", rank) : std::string()};
}

// Through text: the shortest of the float, not of the double next to it.
nlohmann::ordered_json number(float value) {
  if (!std::isfinite(value)) return nullptr;
  return nlohmann::ordered_json::parse(fmt::format("{}", value));
}

template <class Field>
std::string lines(const std::vector<ColumnAnswer>& answers, retrieval::SeenItems seen,
                  char separator, const Field& field) {
  std::string text = fmt::format("{}\n", fmt::join(kHeader, std::string(1, separator)));
  for (const Source& source : sourcesOf(answers))
    for (const RecommendedItem& item : source.list->items) {
      std::string line;
      for (const std::string& value : fieldsOf(source, item, seen))
        line += (line.empty() ? "" : std::string(1, separator)) + field(value);
      text += line + '\n';
    }
  return text;
}

}  // namespace

std::string listsAsCsv(const std::vector<ColumnAnswer>& answers, retrieval::SeenItems seen) {
  return lines(answers, seen, ',', [](const std::string& value) { return csvField(value); });
}

QString listsAsTsv(const std::vector<ColumnAnswer>& answers, retrieval::SeenItems seen) {
  return QString::fromStdString(lines(answers, seen, '\t', [](std::string value) {
    std::replace_if(
        value.begin(), value.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; },
        ' ');
    return value;
  }));
}

std::string listsAsJson(const std::vector<ColumnAnswer>& answers, retrieval::SeenItems seen) {
  using Json = nlohmann::ordered_json;
  Json lists = Json::array();
  for (const Source& source : sourcesOf(answers)) {
    Json items = Json::array();
    for (const RecommendedItem& item : source.list->items) {
      const std::int64_t rank = source.first ? rankIn(*source.first, item.item) : item.rank;
      items.push_back(Json{{"rank", item.rank},
                           {"id", item.id},
                           {"title", item.title},
                           {"score", number(item.score)},
                           {"popularity", item.popularity},
                           {"popularity_percentile", item.popularityPercentile},
                           {"held_out_hit", item.heldOutHit},
                           {"seen_in_training", item.seen},
                           {"rank_in_column_1", rank > 0 ? Json(rank) : Json()}});
    }
    Json context = Json::object();
    for (const retrieval::ContextValue& value : source.list->context)
      context[value.name] = value.value;
    Json against;
    if (source.first) {
      const auto left = itemsOf(source.first->items), right = itemsOf(source.list->items);
      const retrieval::Overlap common = retrieval::overlap(left, right);
      against = Json{{"k", common.length},
                     {"overlap", common.share},
                     {"rbo", retrieval::rankBiasedOverlap(left, right)}};
    }
    lists.push_back(Json{{"user", source.list->user},
                         {"run", source.model->model().runId},
                         {"step", source.list->step},
                         {"data", source.model->dataset().hash()},
                         {"candidates", source.list->candidates},
                         {"seen", seenWord(seen)},
                         {"column", source.column},
                         {"context", std::move(context)},
                         {"given", givenNames(*source.list)},
                         {"warnings", source.list->warnings},
                         {"against_column_1", std::move(against)},
                         {"items", std::move(items)}});
  }
  return lists.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parapet::ui
