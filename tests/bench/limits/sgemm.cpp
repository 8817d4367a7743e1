// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "engine/tensor/buffer.h"
#include "tests/bench/common/arguments.h"
#include "tests/bench/common/samples.h"
#include "tests/bench/limits/limits.h"
#ifdef PARAPET_BENCH_ONEDNN
#include <dnnl.h>
#include <omp.h>
#endif

namespace parapet::bench {
namespace {

struct Arguments {
  Settings settings;
  std::vector<std::string> shapes;
};

#ifdef PARAPET_BENCH_ONEDNN

// Row-major products as oneDNN takes them; leading dimensions are those of the stored matrices.
void multiply(const ProductShape& shape, const float* a, const float* b, float* c) {
  const auto status =
      dnnl_sgemm(shape.transposeA ? 'T' : 'N', shape.transposeB ? 'T' : 'N', shape.m, shape.n,
                 shape.k, 1.0f, a, shape.transposeA ? shape.m : shape.k, b,
                 shape.transposeB ? shape.k : shape.n, 0.0f, c, shape.n);
  if (status != dnnl_success)
    throw InternalError(
        fmt::format("dnnl_sgemm of {} returned {}", shape.text, static_cast<int>(status)));
}

void runShape(const ProductShape& shape, const Settings& settings) {
  Workers workers(1);
  tensor::Buffer<float> a(tensor::hostDevice(), shape.m * shape.k);
  tensor::Buffer<float> b(tensor::hostDevice(), shape.k * shape.n);
  tensor::Buffer<float> c(tensor::hostDevice(), shape.m * shape.n);
  fillUniform(a.host(), 1, workers);
  fillUniform(b.host(), 2, workers);
  const Timing timing =
      measure(settings.budget, [&] { multiply(shape, a.data(), b.data(), c.data()); });
  nlohmann::json line = toJson(timing);
  line["shape"] = shape.text;
  line["threads"] = settings.threads;
  line["gflops"] = shape.flops() / timing.median / 1e9;
  printLine(line);
}

void runSgemm(const Arguments& arguments) {
  ::omp_set_num_threads(arguments.settings.threads);
  for (const std::string& shape : arguments.shapes)
    runShape(parseProductShape(shape), arguments.settings);
}

#else

void runSgemm(const Arguments&) {
  throw InternalError("built without oneDNN; Debian's package is libdnnl-dev");
}

#endif

}  // namespace

void addSgemm(CLI::App& program) {
  CLI::App* command = program.add_subcommand("sgemm", "Products by oneDNN");
  const auto arguments = std::make_shared<Arguments>();
  arguments->settings.addTo(*command);
  command->add_option("SHAPE", arguments->shapes, "MxNxK:NT …")->required();
  command->callback([arguments] { runSgemm(*arguments); });
}

}  // namespace parapet::bench
