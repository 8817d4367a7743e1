// SPDX-License-Identifier: Apache-2.0
#include "engine/train/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/byte_fields.h"

namespace parapet::train {

// A batch has the number of its item shares (StepBatch::itemLogQ), and the shares themselves if that
// number is new.
static constexpr std::uint32_t kNoItemShares = 0;

class CommandWriter::Bytes : public ByteWriter<Bytes> {
 public:
  Bytes(std::string& out, CommandWriter& writer) : ByteWriter(out), writer_(writer) {}

  using ByteWriter::put;
  void put(const data::FeatureIds& feature) {
    put(feature.ids);
    put(feature.offsets);
    put(feature.weights);
    put(feature.dense);
  }
  void put(const nn::StepBatch& batch) {
    put(batch.rows);
    put(batch.seed);
    put(batch.batch);
    put(batch.examples);
    put(static_cast<std::uint32_t>(batch.features.size()));
    for (const data::FeatureIds& feature : batch.features) put(feature);
    put(batch.labels);
    put(batch.weights);
    put(batch.lists);
    put(batch.positions);
    putItemShares(batch.itemLogQ);
  }
  void put(const TrainBatch& of) {
    put(of.step);
    put(of.part.index);
    put(of.part.isLast);
    std::string& input = writer_.input_;
    std::string& next = writer_.next_;
    input.clear();
    Bytes(input, writer_).put(of.input);
    const bool wasNext = input == next;
    put(wasNext);
    if (!wasNext) bytes += input;
    next.clear();
    if (of.next) Bytes(next, writer_).put(*of.next);
    put(of.next.has_value());
    bytes += next;
  }
  void put(const ForwardBatch& of) {
    put(of.output);
    put(of.input);
  }

 private:
  void putItemShares(std::span<const float> logQ) {
    if (logQ.empty()) return put(kNoItemShares);
    const bool isKnown = std::ranges::equal(logQ, writer_.itemLogQ_);
    put(isKnown ? writer_.shares_ : ++writer_.shares_);
    if (isKnown) return;
    writer_.itemLogQ_.assign(logQ.begin(), logQ.end());
    put(logQ);
  }

  CommandWriter& writer_;
};

std::string_view CommandWriter::write(const Command& command) {
  bytes_.clear();
  Bytes writer(bytes_, *this);
  writer.put(static_cast<std::uint8_t>(command.index()));
  std::visit([&](const auto& of) { writer.put(of); }, command);
  return bytes_;
}

class CommandReader::Bytes : public ByteReader<Bytes> {
 public:
  Bytes(std::string_view from, CommandReader& reader) : ByteReader(from), reader_(reader) {}

  using ByteReader::get;
  /// The vectors of what was read there last are used again.
  void get(HeldBatch& into) {
    std::size_t ids = 0, numbers = 0;
    const auto takeIds = [&] { return taken(into.ids, ids); };
    const auto takeNumbers = [&] { return taken(into.numbers, numbers); };
    nn::StepBatch& batch = into.input = {};
    get(batch.rows);
    get(batch.seed);
    get(batch.batch);
    get(batch.examples);
    std::uint32_t features = 0;
    get(features);
    into.features.clear();
    for (std::uint32_t feature = 0; feature < features && problem.empty(); ++feature) {
      const auto of = takeIds(), offsets = takeIds();
      const auto weights = takeNumbers(), dense = takeNumbers();
      into.features.push_back({of, offsets, weights, dense});
    }
    batch.features = into.features;
    batch.labels = takeNumbers();
    batch.weights = takeNumbers();
    batch.lists = takeIds();
    batch.positions = takeIds();
    getItemShares(into);
  }
  void get(TrainBatch& of) {
    get(of.step);
    get(of.part.index);
    get(of.part.isLast);
    bool wasNext = false, hasNext = false;
    get(wasNext);
    if (!wasNext) {
      get(reader_.batch_);
    } else if (reader_.hasNext_) {
      std::swap(reader_.batch_, reader_.next_);
    } else {
      problem = "the step before did not say which batch is next";
    }
    of.input = reader_.batch_.input;
    get(hasNext);
    if (hasNext) get(reader_.next_);
    reader_.hasNext_ = hasNext && problem.empty();
    if (hasNext) of.next = reader_.next_.input;
  }
  void get(ForwardBatch& of) {
    get(of.output);
    get(reader_.batch_);
    of.input = reader_.batch_.input;
  }

 private:
  template <class T>
  std::span<const T> taken(std::vector<std::vector<T>>& from, std::size_t& index) {
    if (index == from.size()) from.emplace_back();
    getNumbers(from[index]);
    return from[index++];
  }
  void getItemShares(HeldBatch& into) {
    std::uint32_t number = 0;
    get(number);
    into.itemLogQ.reset();
    if (number == kNoItemShares || !problem.empty()) return;
    if (number != reader_.shares_) {
      auto follows = std::make_shared<std::vector<float>>();
      getNumbers(*follows);
      reader_.itemLogQ_ = std::move(follows);
      reader_.shares_ = number;
    }
    into.itemLogQ = reader_.itemLogQ_;
    into.input.itemLogQ = *into.itemLogQ;
  }

  CommandReader& reader_;
};

Result<Command> CommandReader::read(std::string_view bytes) {
  Bytes reader(bytes, *this);
  std::uint8_t number = 0;
  reader.get(number);
  Command command;
  if (reader.problem.empty() && !holdAlternative(number, command))
    reader.problem = fmt::format("there is none with the number {}", number);
  if (reader.problem.empty()) std::visit([&](auto& of) { reader.get(of); }, command);
  if (reader.problem.empty() && reader.left() > 0)
    reader.problem = fmt::format("{} bytes too many", reader.left());
  if (reader.problem.empty()) return command;
  return Error{ErrorCode::kPeer, "a command cannot be read: " + reader.problem};
}

}  // namespace parapet::train
