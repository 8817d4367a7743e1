// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "engine/base/text.h"

namespace parapet::launch {
namespace {

std::string quotedFact(const std::vector<Fact>& facts, const std::string& name) {
  const auto found = std::ranges::find(facts, name, &Fact::name);
  return found == facts.end() ? "nothing" : '"' + printable(found->value) + '"';
}

}  // namespace

std::string nameOf(std::int32_t rank, const std::string& host) {
  return host.empty() ? fmt::format("rank {}", rank)
                      : fmt::format("rank {} ({})", rank, printable(host));
}

std::string Verdict::text() const {
  return rank < 0 ? reason : nameOf(rank, host) + ": " + reason;
}

std::vector<Difference> differences(std::span<const Joined> all, Milliseconds maxSkewMs) {
  std::vector<Difference> found;
  if (all.empty()) return found;
  const Join& first = all.front().join;
  const std::string firstName = nameOf(first.rank, first.host);
  for (const Joined& each : all.subspan(1)) {
    const std::string name = nameOf(each.join.rank, each.join.host);
    const auto compare = [&](const std::string& fact) {
      const std::string own = quotedFact(first.facts, fact);
      const std::string other = quotedFact(each.join.facts, fact);
      if (own != other)
        found.push_back({each.join.rank, fmt::format("{}: {} has {}, {} has {}", printable(fact),
                                                     name, other, firstName, own)});
    };
    for (const Fact& fact : first.facts) compare(fact.name);
    for (const Fact& fact : each.join.facts)
      if (std::ranges::find(first.facts, fact.name, &Fact::name) == first.facts.end())
        compare(fact.name);
    if (std::abs(each.skewMs) > maxSkewMs)
      found.push_back({each.join.rank,
                       fmt::format("clock: {} is {} ms {} {}; at most {} ms are accepted", name,
                                   std::abs(each.skewMs), each.skewMs > 0 ? "ahead of" : "behind",
                                   firstName, maxSkewMs)});
  }
  return found;
}

}  // namespace parapet::launch
