// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "engine/base/files.h"
#include "engine/tensor/buffer.h"
#include "tests/bench/common/samples.h"
#include "tests/bench/engine/benches.h"

namespace parapet::bench {
namespace {

// Every so many rows one repeats its predecessor, so that lists contain exact ties.
constexpr std::int64_t kTieEvery = 10;

struct Arguments {
  std::string out;
  std::int64_t rows = 0, dim = 0;
  std::uint64_t seed = 1;
  int threads = 1;
};

void writeVectors(const Arguments& arguments) {
  Workers workers(arguments.threads);
  tensor::Buffer<float> vectors(tensor::hostDevice(), arguments.rows * arguments.dim);
  fillUniform(vectors.host(), arguments.seed, workers);
  for (std::int64_t row = kTieEvery; row < arguments.rows; row += kTieEvery)
    std::copy_n(vectors.data() + (row - 1) * arguments.dim, arguments.dim,
                vectors.data() + row * arguments.dim);
  auto file = FileWriter::create(arguments.out);
  if (!file.ok()) throw InternalError(file.error().text());
  Status written = file->write(std::as_bytes(std::span<const float>(vectors.host())));
  if (written.ok()) written = file->finish();
  if (!written.ok()) throw InternalError(written.error().text());
}

}  // namespace

void addVectors(CLI::App& program) {
  CLI::App* command = program.add_subcommand("vectors", "Write vectors that all participants read");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("--out", arguments->out, "File")->required();
  command->add_option("--rows", arguments->rows)->required()->check(CLI::PositiveNumber);
  command->add_option("--dim", arguments->dim)->required()->check(CLI::PositiveNumber);
  command->add_option("--seed", arguments->seed);
  command->add_option("--threads", arguments->threads)->check(CLI::Range(1, 1024));
  command->callback([arguments] { writeVectors(*arguments); });
}

}  // namespace parapet::bench
