// SPDX-License-Identifier: Apache-2.0
// A small driver for fuzz targets, for compilers without libFuzzer. Inputs are a function of the
// seed and of the target's code, so a run can be repeated; an input that ends in a new way is kept
// and mutated further.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "tests/fuzz/failing_input.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/mutator.h"

namespace parapet::fuzz {
namespace {

constexpr const char* kUsage =
    "usage: {} [OPTION]… [FILE]…\n"
    "  FILE                 run these inputs, and no others\n"
    "  --runs N             so many mutated inputs [5000]\n"
    "  --seconds S          as many as fit, instead\n"
    "  --seed N             of the mutations [1]\n"
    "  --most-bytes N       of an input [4096, or twice the longest seed]\n"
    "  --save-failing DIR   where an input is saved that fails [.]\n"
    "  --write-seeds DIR    writes the inputs that mutations start from, for another fuzzer\n";

// The limit of one input; a reader that needs longer or more hangs, or trusts a length that it read.
constexpr int kMaxSeconds = 10;
constexpr rlim_t kMaxMemory = rlim_t{4} << 30;

// The status of a target without seeds, which has said why it cannot run here.
constexpr int kSkipped = 77;

struct Options {
  std::int64_t runs = 5000;
  std::optional<std::int64_t> seconds;
  std::int64_t seed = 1;
  std::optional<std::int64_t> mostBytes;
  std::string failing = ".";
  std::optional<std::string> writeSeeds;
  std::vector<std::string> files;
};

/// The outcomes of the inputs so far.
std::unordered_set<std::uint64_t> outcomes;
bool isNewOutcome = false;

/// The letters of a message's first line, without what it quotes.
std::string withoutDetails(std::string_view outcome) {
  outcome = outcome.substr(0, outcome.find('\n'));
  const std::size_t first = outcome.find('"'), last = outcome.rfind('"');
  std::string plain;
  for (std::size_t i = 0; i < outcome.size(); ++i) {
    const char c = outcome[i];
    const bool isQuoted = first != std::string_view::npos && i >= first && i <= last;
    const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!isQuoted && isLetter) plain += c;
  }
  return plain;
}

std::optional<Options> parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (!name.starts_with("--")) {
      options.files.push_back(name);
      continue;
    }
    if (i + 1 == arguments.size()) return std::nullopt;
    const std::string& value = arguments[++i];
    if (name == "--save-failing") {
      options.failing = value;
      continue;
    }
    if (name == "--write-seeds") {
      options.writeSeeds = value;
      continue;
    }
    const auto number = parseInt(value);
    if (!number || *number < 0) return std::nullopt;
    if (name == "--runs") {
      options.runs = *number;
    } else if (name == "--seconds") {
      options.seconds = *number;
    } else if (name == "--seed") {
      options.seed = *number;
    } else if (name == "--most-bytes") {
      options.mostBytes = *number;
    } else {
      return std::nullopt;
    }
  }
  return options;
}

void run(std::string_view input) {
  watch(input);
  // A copy of exactly this size, so that a byte beyond its end is seen.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  watchNone();
}

int runFiles(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const auto bytes = readFile(file);
    if (!bytes.ok()) {
      fmt::print(stderr, "{}\n", bytes.error().text());
      return 2;
    }
    run(*bytes);
  }
  fmt::print("{} inputs ran\n", files.size());
  return 0;
}

int writeSeeds(const std::string& folder) {
  std::filesystem::create_directories(folder);
  const std::vector<std::string> inputs = seeds();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    writeInput(std::filesystem::path(folder) / fmt::format("seed-{}", i), inputs[i]);
  fmt::print("{} seeds in {}\n", inputs.size(), folder);
  return 0;
}

int fuzz(const std::string& target, const Options& options) {
  const std::vector<std::string> inputs = seeds();
  if (inputs.empty()) return kSkipped;
  for (const std::string& input : inputs) run(input);
  // Long inputs find little that short ones do not, and take their time.
  std::int64_t mostBytes = 4096;
  for (const std::string& input : inputs) mostBytes = std::max(mostBytes, 2 * std::ssize(input));
  Mutator mutator(static_cast<std::uint64_t>(options.seed), inputs, words(),
                  static_cast<std::size_t>(options.mostBytes.value_or(mostBytes)));
  const auto began = std::chrono::steady_clock::now();
  const auto spent = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  std::int64_t runs = 0;
  while (options.seconds ? spent() < static_cast<double>(*options.seconds) : runs < options.runs) {
    std::string input = mutator.next();
    isNewOutcome = false;
    run(input);
    ++runs;
    if (isNewOutcome) mutator.keep(std::move(input));
  }
  fmt::print("{}: {} runs in {}, {} runs/s; {} outcomes, {} inputs kept\n", target,
             formatCount(runs), formatDuration(spent()),
             formatCount(static_cast<std::int64_t>(static_cast<double>(runs) / spent())),
             outcomes.size(), mutator.corpusSize());
  return 0;
}

int main(const std::vector<std::string>& arguments, const std::string& program) {
  const auto options = parse(arguments);
  if (!options) {
    fmt::print(stderr, kUsage, program);
    return 2;
  }
  if (options->writeSeeds) return writeSeeds(*options->writeSeeds);
  const rlimit memory{kMaxMemory, kMaxMemory};
  if (!hasAddressSanitizer()) setrlimit(RLIMIT_AS, &memory);
  const std::string target = std::filesystem::path(program).filename();
  std::filesystem::create_directories(options->failing);
  watchInputs(options->failing, target, kMaxSeconds);
  return options->files.empty() ? fuzz(target, *options) : runFiles(options->files);
}

}  // namespace

void heard(std::string_view outcome) {
  if (outcomes.insert(hash64(withoutDetails(outcome))).second) isNewOutcome = true;
}

}  // namespace parapet::fuzz

int main(int count, char** arguments) {
  return parapet::fuzz::main({arguments + 1, arguments + count}, arguments[0]);
}
