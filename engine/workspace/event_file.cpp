// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/event_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/log.h"
#include "engine/nn/parameters.h"

namespace parapet::workspace {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint32_t kPolynomial = 0x82F63B78u;  // reflected
constexpr std::uint32_t kMaskDelta = 0xA282EAD8u;

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}();

/// A CRC of bytes that hold a CRC themselves would tell less.
std::uint32_t masked(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + kMaskDelta;
}

template <class T>
void appendRaw(std::string& out, T value) {
  std::array<char, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  out.append(bytes.data(), bytes.size());
}

void appendVarint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  out += static_cast<char>(value);
}

/// Wire types of protocol buffers.
enum class Wire : std::uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void appendKey(std::string& out, std::uint64_t field, Wire wire) {
  appendVarint(out, field << 3 | static_cast<std::uint64_t>(wire));
}

void appendBytes(std::string& out, std::uint64_t field, std::string_view bytes) {
  appendKey(out, field, Wire::kBytes);
  appendVarint(out, bytes.size());
  out += bytes;
}

std::string eventAt(double wallSeconds, std::int64_t step) {
  std::string event;
  appendKey(event, 1, Wire::kFixed64);  // wall_time
  appendRaw(event, wallSeconds);
  appendKey(event, 2, Wire::kVarint);  // step
  appendVarint(event, static_cast<std::uint64_t>(step));
  return event;
}

/// Events older than this are written, so that a reader follows the run.
constexpr double kFlushSeconds = 1.0;

double wallSeconds() {
  return static_cast<double>(wallClockMs()) / 1000.0;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char byte : bytes)
    crc = (crc >> 8) ^ kCrcTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFF];
  return ~crc;
}

EventFile::EventFile(double wallSeconds) {
  std::string event = eventAt(wallSeconds, 0);
  appendBytes(event, 3, "brain.Event:2");  // file_version
  append(event);
}

void EventFile::add(double wallSeconds, std::int64_t step, std::string_view tag, float value) {
  std::string scalar;
  appendBytes(scalar, 1, tag);
  appendKey(scalar, 2, Wire::kFixed32);  // simple_value
  appendRaw(scalar, value);
  appendValue(wallSeconds, step, scalar);
}

// A tensor with one string, in the form of the plugin "text".
void EventFile::addText(double wallSeconds, std::int64_t step, std::string_view tag,
                        std::string_view text) {
  constexpr std::uint64_t kString = 7;  // DataType
  std::string size, shape, tensor, plugin, metadata, value;
  appendKey(size, 1, Wire::kVarint);
  appendVarint(size, 1);
  appendBytes(shape, 2, size);  // dim
  appendKey(tensor, 1, Wire::kVarint);
  appendVarint(tensor, kString);
  appendBytes(tensor, 2, shape);  // tensor_shape
  appendBytes(tensor, 8, text);   // string_val
  appendBytes(plugin, 1, "text");
  appendBytes(metadata, 1, plugin);
  appendBytes(value, 1, tag);
  appendBytes(value, 8, tensor);
  appendBytes(value, 9, metadata);
  appendValue(wallSeconds, step, value);
}

void EventFile::addHistogram(double wallSeconds, std::int64_t step, std::string_view tag,
                             std::span<const float> values) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  double count = 0.0, sum = 0.0, squares = 0.0;
  for (const float each : values) {
    const auto value = static_cast<double>(each);
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
    count += 1.0;
    sum += value;
    squares += value * value;
  }
  if (count == 0.0) return;
  const std::size_t buckets = most > least ? kBuckets : 1;
  const double width = most > least ? (most - least) / static_cast<double>(buckets) : 1.0;
  std::vector<double> limits(buckets), counts(buckets, 0.0);
  for (std::size_t bucket = 0; bucket < buckets; ++bucket)
    limits[bucket] = least + width * static_cast<double>(bucket + 1);
  limits.back() = std::max(most, limits.back());
  for (const float each : values) {
    if (!std::isfinite(each)) continue;
    const auto bucket = static_cast<std::size_t>((static_cast<double>(each) - least) / width);
    counts[std::min(bucket, buckets - 1)] += 1.0;
  }
  const auto packed = [](const std::vector<double>& numbers) {
    std::string bytes;
    for (const double number : numbers) appendRaw(bytes, number);
    return bytes;
  };
  std::string histogram, value;
  std::uint64_t field = 1;  // min, max, num, sum, sum_squares
  for (const double number : {least, most, count, sum, squares}) {
    appendKey(histogram, field++, Wire::kFixed64);
    appendRaw(histogram, number);
  }
  appendBytes(histogram, 6, packed(limits));  // bucket_limit
  appendBytes(histogram, 7, packed(counts));  // bucket
  appendBytes(value, 1, tag);
  appendBytes(value, 5, histogram);
  appendValue(wallSeconds, step, value);
}

void EventFile::appendValue(double wallSeconds, std::int64_t step, std::string_view value) {
  std::string summary;
  appendBytes(summary, 1, value);
  std::string event = eventAt(wallSeconds, step);
  appendBytes(event, 5, summary);
  append(event);
}

void EventFile::append(std::string_view event) {
  std::string length;
  appendRaw(length, static_cast<std::uint64_t>(event.size()));
  bytes_ += length;
  appendRaw(bytes_, masked(crc32c(length)));
  bytes_ += event;
  appendRaw(bytes_, masked(crc32c(event)));
}

Result<std::unique_ptr<TensorBoardSink>> TensorBoardSink::open(const std::filesystem::path& folder,
                                                               const std::string& runId,
                                                               const std::string& document,
                                                               train::Session& session) {
  const auto refused = [](Error error) {
    error.pointer = "/training/tensorboard";
    return error;
  };
  const double now = wallSeconds();
  std::unique_ptr<TensorBoardSink> sink(new TensorBoardSink(session, now));
  const std::filesystem::path place = folder / runId;
  if (const Status made = createFolders(place); !made) return refused(made.error());
  const std::string name =
      fmt::format("events.out.tfevents.{}.{}", static_cast<std::int64_t>(now), runId);
  sink->path_ = place / name;
  std::error_code ignored;
  for (int more = 1; std::filesystem::exists(sink->path_, ignored); ++more)
    sink->path_ = place / fmt::format("{}.{}", name, more);
  sink->out_.open(sink->path_, std::ios::binary);
  // Markdown takes lines that begin with four blanks for code.
  std::string text = "    ";
  for (const char letter : document) {
    text += letter;
    if (letter == '\n') text += "    ";
  }
  sink->events_.addText(now, 0, "document", text);
  sink->flush();
  if (sink->failed_)
    return refused(Error{
        ErrorCode::kIo,
        fmt::format("{} cannot be written; a folder that can is accepted", sink->path_.string()),
        {},
        sink->path_.string()});
  return sink;
}

void TensorBoardSink::add(const std::string& tag, std::int64_t step, double value) {
  if (!std::isnan(value)) events_.add(wallSeconds(), step, tag, static_cast<float>(value));
}

void TensorBoardSink::addMetrics(const std::vector<experiment::Metric>& metrics,
                                 std::int64_t step) {
  for (const auto& [name, value] : metrics) add(name, step, value);
}

// Results of an epoch may come while the next one trains: the weights are those of now.
void TensorBoardSink::addWeights() {
  for (const nn::Parameter& parameter : session_.parameters()) {
    std::vector<float> values(static_cast<std::size_t>(parameter.size()));
    nn::gatherRows(parameter, -1, values);
    events_.addHistogram(wallSeconds(), step_, "weights/" + parameter.spec.name, values);
  }
}

void TensorBoardSink::onStep(const std::string&, const experiment::StepPoint& point) {
  step_ = point.step;
  add("step_loss", point.step, point.loss);
  if (wallSeconds() - flushed_ >= kFlushSeconds) flush();
}

void TensorBoardSink::onEvent(const std::string&, const experiment::RunEvent& event) {
  if (const auto* ended = std::get_if<experiment::EpochEnded>(&event)) {
    const experiment::EpochSummary& epoch = ended->summary;
    add("loss", epoch.step, epoch.loss);
    add("loss_as_displayed", epoch.step, epoch.lossAsDisplayed);
    add("learning_rate", epoch.step, epoch.learningRate);
    add("examples_per_second", epoch.step, epoch.examplesPerSecond);
    addMetrics(epoch.metrics, epoch.step);
    const bool isValidated = std::ranges::any_of(epoch.metrics, [](const experiment::Metric& each) {
      return each.first.starts_with("val_");
    });
    if (isValidated) addWeights();
    flush();
  }
  if (const auto* ended = std::get_if<experiment::RunEnded>(&event)) {
    addMetrics(ended->testMetrics, step_);
    flush();
  }
}

// A full disk must not end the training: it is said once, and the run goes on.
void TensorBoardSink::flush() {
  const std::string bytes = events_.take();
  flushed_ = wallSeconds();
  if (failed_) return;
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out_.flush();
  if (out_) return;
  failed_ = true;
  log(LogLevel::kWarning,
      fmt::format("{} cannot be written any more; the run goes on without it", path_.string()));
}

}  // namespace parapet::workspace
