// SPDX-License-Identifier: Apache-2.0
#include "engine/data/sources/generated_source.h"

#include <fmt/format.h>

#include "engine/data/generate/movie_folder.h"

namespace parapet::data {
namespace {

// Changes when the same settings would give other events.
constexpr int kGeneratorVersion = 1;

experiment::Generator settingsOf(const experiment::Dataset& spec) {
  return spec.generator.value_or(experiment::Generator{});
}

}  // namespace

GeneratedSource::GeneratedSource(const experiment::Dataset& spec)
    : generator_(settingsOf(spec)),
      rules_{.users = {},
             .items = {},
             .scale = spec.label.scale,
             .weighted = spec.weight.has_value()} {}

Result<std::unique_ptr<RowSource>> GeneratedSource::open(const experiment::Dataset& spec) {
  PARAPET_TRY(checkGenerator(settingsOf(spec)));
  return std::unique_ptr<RowSource>(new GeneratedSource(spec));
}

Status GeneratedSource::hashInto(Hasher& hasher, const WorkContext&) const {
  const auto& settings = generator_.settings();
  hasher.update(fmt::format("generator {} {} {} {} {}\n", kGeneratorVersion, settings.users,
                            settings.items, settings.events, settings.seed));
  return {};
}

Status GeneratedSource::readCatalogues() {
  users_.attributeNames = {"age", "gender", "occupation"};
  for (std::int64_t user = 1; user <= generator_.settings().users; ++user)
    users_.entries.push_back(
        {user,
         "",
         {fmt::format("{}", generator_.age(user)), std::string(1, generator_.gender(user)),
          generator_.occupation(user)}});
  items_.attributeNames = {"genres", "released"};
  for (std::int64_t item = 1; item <= generator_.settings().items; ++item)
    items_.entries.push_back({item,
                              generator_.title(item),
                              {generator_.genres(item), releaseDate(generator_.title(item))}});
  return {};
}

const Catalogue* GeneratedSource::catalogue(std::string_view column) const {
  return column == "item" ? &items_ : &users_;
}

std::string GeneratedSource::catalogueName(std::string_view column) const {
  return fmt::format("of generated {}s", column);
}

void GeneratedSource::restrict(const IdRange& users, const IdRange& items) {
  rules_.users = users;
  rules_.items = items;
}

std::string GeneratedSource::reasonAgainst(const GeneratedEvent& event) const {
  std::string reason = RowRules::reasonAgainstId("user", event.user, rules_.users);
  if (reason.empty()) reason = RowRules::reasonAgainstId("item", event.item, rules_.items);
  if (reason.empty()) reason = rules_.reasonAgainstRating(event.rating);
  return reason;
}

Status GeneratedSource::read(RowChunk& chunk) {
  chunk.clear();
  while (chunk.size() < kChunkRows && next_ < generator_.settings().events) {
    const GeneratedEvent event = generator_.event(next_++);
    if (std::string reason = reasonAgainst(event); !reason.empty()) {
      bad_.add(next_, std::move(reason), movieLine(event));
      continue;
    }
    bad_.countGood();
    chunk.users.push_back(event.user);
    chunk.items.push_back(event.item);
    chunk.labels.push_back(event.rating);
    chunk.times.push_back(event.time);
    if (rules_.weighted) chunk.weights.push_back(event.rating);
  }
  return {};
}

}  // namespace parapet::data
