// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "engine/tensor/buffer.h"
#include "engine/tensor/ops/ops.h"
#include "tests/bench/common/arguments.h"
#include "tests/bench/common/samples.h"
#include "tests/bench/engine/benches.h"
#include "tests/bench/engine/device.h"

namespace parapet::bench {
namespace {

struct Arguments {
  Settings settings;
  std::vector<std::string> shapes;
  bool bf16 = false;
};

void runShape(const ProductShape& shape, const Arguments& arguments) {
  const Settings& settings = arguments.settings;
  const tensor::Device device = runDevice();
  Workers workers(settings.threads);
  tensor::Buffer<float> a(device, shape.m * shape.k), b(device, shape.k * shape.n),
      c(device, shape.m * shape.n);
  fillUniform(a.host(), 1, workers);
  fillUniform(b.host(), 2, workers);
  const tensor::Launch launch{&device, &workers,
                              arguments.bf16 ? tensor::Precision::kBf16 : tensor::Precision::kFp32};
  const PpMatmul args{.m = shape.m,
                      .n = shape.n,
                      .k = shape.k,
                      .transposeA = shape.transposeA ? 1 : 0,
                      .transposeB = shape.transposeB ? 1 : 0,
                      .a = a.data(),
                      .strideA = shape.transposeA ? shape.m : shape.k,
                      .b = b.data(),
                      .strideB = shape.transposeB ? shape.k : shape.n,
                      .c = c.data(),
                      .strideC = shape.n};
  const Timing timing = measure(settings.budget, [&] { tensor::run(launch, args); });
  nlohmann::json line = toJson(timing);
  line["shape"] = shape.text;
  line["threads"] = settings.threads;
  line["precision"] = arguments.bf16 ? "bf16" : "fp32";
  line["gflops"] = shape.flops() / timing.median / 1e9;
  printLine(line);
}

}  // namespace

void addMatmul(CLI::App& program) {
  CLI::App* command = program.add_subcommand("matmul", "Products by the op matmul");
  const auto arguments = std::make_shared<Arguments>();
  arguments->settings.addTo(*command);
  command->add_option("SHAPE", arguments->shapes, "MxNxK:NT …")->required();
  command->add_flag("--bf16", arguments->bf16, "Operands rounded to bf16");
  command->callback([arguments] {
    for (const std::string& shape : arguments->shapes)
      runShape(parseProductShape(shape), *arguments);
  });
}

}  // namespace parapet::bench
