// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/column_roles.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/text.h"

namespace parapet::data {
namespace {

using experiment::ColumnRole;

constexpr std::array<std::pair<std::string_view, ColumnRole>, 24> kNames{{
    {"user", ColumnRole::kUser},      {"userid", ColumnRole::kUser},
    {"uid", ColumnRole::kUser},       {"customerid", ColumnRole::kUser},
    {"visitorid", ColumnRole::kUser}, {"sessionid", ColumnRole::kUser},
    {"item", ColumnRole::kItem},      {"itemid", ColumnRole::kItem},
    {"iid", ColumnRole::kItem},       {"movie", ColumnRole::kItem},
    {"movieid", ColumnRole::kItem},   {"productid", ColumnRole::kItem},
    {"trackid", ColumnRole::kItem},   {"artistid", ColumnRole::kItem},
    {"bookid", ColumnRole::kItem},    {"asin", ColumnRole::kItem},
    {"videoid", ColumnRole::kItem},   {"articleid", ColumnRole::kItem},
    {"time", ColumnRole::kTime},      {"timestamp", ColumnRole::kTime},
    {"ts", ColumnRole::kTime},        {"unixtime", ColumnRole::kTime},
    {"eventtime", ColumnRole::kTime}, {"unixreviewtime", ColumnRole::kTime},
}};

constexpr std::array<std::pair<std::string_view, ColumnRole>, 52> kWords{{
    {"visitor", ColumnRole::kUser},   {"customer", ColumnRole::kUser},
    {"reader", ColumnRole::kUser},    {"readerid", ColumnRole::kUser},
    {"listener", ColumnRole::kUser},  {"listenerid", ColumnRole::kUser},
    {"viewer", ColumnRole::kUser},    {"viewerid", ColumnRole::kUser},
    {"buyer", ColumnRole::kUser},     {"buyerid", ColumnRole::kUser},
    {"member", ColumnRole::kUser},    {"memberid", ColumnRole::kUser},
    {"client", ColumnRole::kUser},    {"clientid", ColumnRole::kUser},
    {"person", ColumnRole::kUser},    {"personid", ColumnRole::kUser},
    {"account", ColumnRole::kUser},   {"accountid", ColumnRole::kUser},
    {"username", ColumnRole::kUser},  {"reviewerid", ColumnRole::kUser},
    {"who", ColumnRole::kUser},       {"what", ColumnRole::kItem},
    {"book", ColumnRole::kItem},      {"isbn", ColumnRole::kItem},
    {"product", ColumnRole::kItem},   {"sku", ColumnRole::kItem},
    {"film", ColumnRole::kItem},      {"filmid", ColumnRole::kItem},
    {"song", ColumnRole::kItem},      {"songid", ColumnRole::kItem},
    {"track", ColumnRole::kItem},     {"artist", ColumnRole::kItem},
    {"album", ColumnRole::kItem},     {"albumid", ColumnRole::kItem},
    {"game", ColumnRole::kItem},      {"gameid", ColumnRole::kItem},
    {"app", ColumnRole::kItem},       {"appid", ColumnRole::kItem},
    {"article", ColumnRole::kItem},   {"video", ColumnRole::kItem},
    {"recipeid", ColumnRole::kItem},  {"businessid", ColumnRole::kItem},
    {"hotelid", ColumnRole::kItem},   {"restaurant", ColumnRole::kItem},
    {"course", ColumnRole::kItem},    {"courseid", ColumnRole::kItem},
    {"when", ColumnRole::kTime},      {"date", ColumnRole::kTime},
    {"datetime", ColumnRole::kTime},  {"unixtimestamp", ColumnRole::kTime},
    {"createdat", ColumnRole::kTime}, {"epochseconds", ColumnRole::kTime},
}};

std::optional<ColumnRole> roleIn(std::span<const std::pair<std::string_view, ColumnRole>> names,
                                 std::string_view name) {
  const std::string wanted = plainName(name);
  const auto found =
      std::ranges::find_if(names, [&](const auto& entry) { return entry.first == wanted; });
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::string plainName(std::string_view name) {
  std::string text = toLowerAscii(name);
  std::erase_if(text, [](char byte) { return byte == '_' || byte == '-' || byte == ' '; });
  return text;
}

std::optional<ColumnRole> roleOfName(std::string_view name) {
  return roleIn(kNames, name);
}

std::optional<ColumnRole> roleOfWord(std::string_view name) {
  return roleIn(kWords, name);
}

const char* roleName(ColumnRole role) {
  switch (role) {
    case ColumnRole::kUser:
      return "user";
    case ColumnRole::kItem:
      return "item";
    case ColumnRole::kContext:
      return "context";
    case ColumnRole::kFeature:
      return "feature";
    case ColumnRole::kTime:
      return "time";
    case ColumnRole::kNumeric:
      break;
  }
  return "number";
}

std::vector<experiment::Column> standardColumns(std::span<const SourceColumn> source) {
  std::vector<experiment::Column> columns;
  for (const auto& [name, role] :
       {std::pair{"user", ColumnRole::kUser}, std::pair{"item", ColumnRole::kItem},
        std::pair{"time", ColumnRole::kTime}}) {
    const auto found = std::ranges::find_if(
        source, [&](const SourceColumn& column) { return roleOfName(column.name) == role; });
    if (found == source.end()) continue;
    experiment::Column column{.name = name, .role = role};
    if (found->name != name) column.from = found->name;
    columns.push_back(std::move(column));
  }
  return columns;
}

std::vector<experiment::Column> columnsOf(const experiment::Dataset& spec,
                                          std::span<const SourceColumn> source) {
  return spec.columns.empty() ? standardColumns(source) : spec.columns;
}

}  // namespace parapet::data
