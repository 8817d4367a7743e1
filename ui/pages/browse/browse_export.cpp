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
                                   "held_out_hit", "seen_in_training"};

/// One list and the model it is from.
struct Source {
  const retrieval::Recommendation* list;
  const retrieval::Recommender* model;
};

std::vector<Source> sourcesOf(const std::vector<ColumnAnswer>& answers, const ModelNames& names) {
  std::vector<Source> sources;
  for (const ColumnAnswer& answer : answers) {
    if (answer.error || !names.shown) continue;
    sources.push_back({&answer.list, names.shown.get()});
    if (answer.compared && names.compared)
      sources.push_back({&*answer.compared, names.compared.get()});
  }
  return sources;
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
          item.seen ? "true" : "false"};
}

// Through text: the shortest of the float, not of the double next to it.
nlohmann::ordered_json number(float value) {
  if (!std::isfinite(value)) return nullptr;
  return nlohmann::ordered_json::parse(fmt::format("{}", value));
}

template <class Field>
std::string lines(const std::vector<ColumnAnswer>& answers, const ModelNames& names, char separator,
                  const Field& field) {
  std::string text = fmt::format("{}\n", fmt::join(kHeader, std::string(1, separator)));
  for (const Source& source : sourcesOf(answers, names))
    for (const RecommendedItem& item : source.list->items) {
      std::string line;
      for (const std::string& value : fieldsOf(source, item, names.seen))
        line += (line.empty() ? "" : std::string(1, separator)) + field(value);
      text += line + '\n';
    }
  return text;
}

}  // namespace

std::string listsAsCsv(const std::vector<ColumnAnswer>& answers, const ModelNames& names) {
  return lines(answers, names, ',', [](const std::string& value) { return csvField(value); });
}

QString listsAsTsv(const std::vector<ColumnAnswer>& answers, const ModelNames& names) {
  return QString::fromStdString(lines(answers, names, '\t', [](std::string value) {
    std::replace_if(
        value.begin(), value.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; },
        ' ');
    return value;
  }));
}

std::string listsAsJson(const std::vector<ColumnAnswer>& answers, const ModelNames& names) {
  using Json = nlohmann::ordered_json;
  Json lists = Json::array();
  for (const Source& source : sourcesOf(answers, names)) {
    Json items = Json::array();
    for (const RecommendedItem& item : source.list->items)
      items.push_back(Json{{"rank", item.rank},
                           {"id", item.id},
                           {"title", item.title},
                           {"score", number(item.score)},
                           {"popularity", item.popularity},
                           {"popularity_percentile", item.popularityPercentile},
                           {"held_out_hit", item.heldOutHit},
                           {"seen_in_training", item.seen}});
    lists.push_back(Json{{"user", source.list->user},
                         {"run", source.model->model().runId},
                         {"step", source.list->step},
                         {"data", source.model->dataset().hash()},
                         {"candidates", source.list->candidates},
                         {"seen", seenWord(names.seen)},
                         {"items", std::move(items)}});
  }
  return lists.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parapet::ui
