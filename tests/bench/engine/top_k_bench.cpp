// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <memory>

#include "engine/base/files.h"
#include "engine/retrieval/top_k.h"
#include "engine/tensor/buffer.h"
#include "tests/bench/common/arguments.h"
#include "tests/bench/engine/benches.h"
#include "tests/bench/engine/device.h"

namespace parapet::bench {
namespace {

struct Arguments {
  Settings settings;
  std::string candidates, queries, lists;
  std::int64_t dim = 64, count = 1, k = 10;
};

using Lists = std::vector<std::vector<retrieval::Scored>>;

tensor::Buffer<float> readVectors(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file.ok()) throw InternalError(file.error().text());
  const std::span<const float> values = file->as<float>();
  tensor::Buffer<float> buffer(runDevice(), static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), buffer.data());
  return buffer;
}

// [[[row, score], …] of the first query, …]: what the harness compares with the peers' lists.
void writeLists(const std::string& path, const Lists& lists) {
  nlohmann::json json = nlohmann::json::array();
  for (const auto& list : lists) {
    nlohmann::json& entries = json.emplace_back(nlohmann::json::array());
    for (const retrieval::Scored& entry : list) entries.push_back({entry.item, entry.score});
  }
  std::ofstream file(path);
  file << json.dump() << '\n';
  if (!file.flush()) throw InternalError("cannot write " + path);
}

void runTopK(const Arguments& arguments) {
  const auto candidates = readVectors(arguments.candidates);
  const auto all = readVectors(arguments.queries);
  if (all.size() < arguments.count * arguments.dim)
    throw InternalError(arguments.queries + ": fewer queries than asked for");
  const auto queries = all.host().first(static_cast<std::size_t>(arguments.count * arguments.dim));
  const std::vector<std::uint8_t> eligible(
      static_cast<std::size_t>(candidates.size() / arguments.dim), 1);
  Workers workers(arguments.settings.threads);
  Lists lists;
  const Timing timing = measure(arguments.settings.budget, [&] {
    lists = retrieval::topK(queries, candidates.host(), arguments.dim, eligible, arguments.k, {},
                            workers);
  });
  if (!arguments.lists.empty()) writeLists(arguments.lists, lists);
  nlohmann::json line = toJson(timing);
  line["threads"] = arguments.settings.threads;
  printLine(line);
}

}  // namespace

void addTopK(CLI::App& program) {
  CLI::App* command = program.add_subcommand("top-k", "Exact top-k of retrieval::topK");
  const auto arguments = std::make_shared<Arguments>();
  arguments->settings.addTo(*command);
  command->add_option("--candidates", arguments->candidates, "File of vectors")->required();
  command->add_option("--queries", arguments->queries, "File of vectors")->required();
  command->add_option("--dim", arguments->dim)->required()->check(CLI::PositiveNumber);
  command->add_option("--count", arguments->count, "Queries [1]")->check(CLI::PositiveNumber);
  command->add_option("-k", arguments->k, "Length of a list [10]")->check(CLI::PositiveNumber);
  command->add_option("--lists", arguments->lists, "File to write the lists to");
  command->callback([arguments] { runTopK(*arguments); });
}

}  // namespace parapet::bench
