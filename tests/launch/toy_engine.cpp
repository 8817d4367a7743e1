// SPDX-License-Identifier: Apache-2.0
#include "tests/launch/toy_engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/hash.h"

namespace parapet::launch::test {
namespace {

/// Reads numbers and words between blanks; `isGood` turns false at the first that is missing.
class Words {
 public:
  explicit Words(const std::string& text) : text_(text) {}
  std::string next() {
    const std::size_t begin = text_.find_first_not_of(" \n", at_);
    if (begin == std::string::npos) return isGood = false, "";
    at_ = std::min(text_.find_first_of(" \n", begin), text_.size());
    return text_.substr(begin, at_ - begin);
  }
  std::uint64_t number() {
    const std::string word = next();
    const bool isNumber =
        !word.empty() && word.size() < 21 && word.find_first_not_of("0123456789") == word.npos;
    isGood = isGood && isNumber;
    return isNumber ? std::strtoull(word.c_str(), nullptr, 10) : 0;
  }
  bool isGood = true;

 private:
  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

std::uint64_t mixed(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ull;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}

ToyState ToyState::begin(std::uint64_t index, std::uint64_t count) {
  ToyState state;
  state.first = kWords * index / count;
  for (std::uint64_t i = state.first; i < kWords * (index + 1) / count; ++i)
    state.words.push_back(mixed(i));
  return state;
}

void ToyState::advance(std::uint64_t decision) {
  ++step;
  decided = decision;
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = mixed(words[i] + mixed(step * 1000 + first + i) + decided);
}

std::uint64_t ToyState::sum() const {
  std::uint64_t total = 0;
  for (const std::uint64_t word : words) total += mixed(word);
  return total;
}

std::string ToyState::text() const {
  return fmt::format("{} {} {} {} {} end", step, decided, first, words.size(),
                     fmt::join(words, " "));
}

std::optional<ToyState> ToyState::parse(const std::string& text) {
  Words in(text);
  ToyState state{in.number(), in.number(), in.number(), {}};
  const std::uint64_t count = in.number();
  for (std::uint64_t i = 0; i < count && in.isGood; ++i) state.words.push_back(in.number());
  if (in.next() != "end" || !in.isGood) return std::nullopt;
  return state;
}

std::vector<CommandKind> ToyPlan::after(std::uint64_t step) const {
  std::vector<CommandKind> kinds;
  if (step % validateEvery == 0) kinds.push_back(CommandKind::kValidate);
  if (step % checkpointEvery == 0 || step == steps) kinds.push_back(CommandKind::kCheckpoint);
  return kinds;
}

std::vector<ToyState> referenceRun(const ToyPlan& plan) {
  std::vector<ToyState> states{ToyState::begin(0, 1)};
  std::uint64_t decision = 0;
  while (states.size() <= plan.steps) {
    ToyState next = states.back();
    next.advance(decision);
    if (next.step % plan.validateEvery == 0) decision = next.sum();
    states.push_back(std::move(next));
  }
  return states;
}

std::string stepArguments(std::uint64_t step, std::uint64_t decision) {
  return fmt::format("{} {}", step, decision);
}

StepArguments parseStepArguments(const std::string& text) {
  Words in(text);
  return {in.number(), in.number()};
}

std::string manifestOf(std::uint64_t step, std::uint64_t decided,
                       const std::vector<Piece>& pieces) {
  std::string text = fmt::format("{} {} {}\n", step, decided, pieces.size());
  for (const Piece& piece : pieces)
    text += fmt::format("{} {} {}\n", piece.name, piece.bytes, piece.hash);
  return text + "end";
}

std::optional<ToyState> readCheckpoint(
    const std::function<const std::string*(const std::string&)>& read) {
  const std::string* const manifest = read(kManifestName);
  if (!manifest) return std::nullopt;
  Words in(*manifest);
  ToyState whole{in.number(), in.number(), 0, {}};
  const std::uint64_t count = in.number();
  for (std::uint64_t i = 0; i < count && in.isGood; ++i) {
    const std::string name = in.next();
    const std::uint64_t bytes = in.number();
    const std::string hash = in.next();
    const std::string* const piece = read(name);
    if (!piece || piece->size() != bytes || hashHex(*piece) != hash) return std::nullopt;
    const auto state = ToyState::parse(*piece);
    if (!state || state->step != whole.step || state->first != whole.words.size())
      return std::nullopt;
    whole.words.insert(whole.words.end(), state->words.begin(), state->words.end());
  }
  if (in.next() != "end" || !in.isGood || whole.words.size() != kWords) return std::nullopt;
  return whole;
}

}  // namespace parapet::launch::test
