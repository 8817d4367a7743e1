// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/common/arguments.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <memory>

namespace parapet::bench {
namespace {

// Reads a positive number and what follows it, or throws.
std::int64_t takeSize(std::string_view& rest, const std::string& text) {
  std::int64_t size = 0;
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
  if (code != std::errc{} || size < 1 || end == rest.data() + rest.size())
    throw CLI::ValidationError(fmt::format("{}: MxNxK:NN is accepted, T for transposed", text));
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
  return size;
}

}  // namespace

void Settings::addTo(CLI::App& command) {
  command.add_option("--threads", threads, "Threads [1]")->check(CLI::Range(1, 1024));
  command.add_option("--seconds", budget.seconds, "Least time of measuring [1]");
  command.add_option("--runs", budget.runs, "Least number of runs [5]")
      ->check(CLI::Range(1, 1000000));
}

ProductShape parseProductShape(const std::string& text) {
  ProductShape shape{text};
  std::string_view rest = text;
  shape.m = takeSize(rest, text);
  shape.n = takeSize(rest, text);
  shape.k = takeSize(rest, text);
  if (rest.size() != 2 || rest.find_first_not_of("NT") != std::string_view::npos)
    throw CLI::ValidationError(
        fmt::format("{}: ends in {}; NN, NT, TN, TT are accepted", text, rest));
  shape.transposeA = rest[0] == 'T';
  shape.transposeB = rest[1] == 'T';
  return shape;
}

void addRowCommand(CLI::App& program, const char* description, void (*run)(const RowSettings&)) {
  static const std::map<std::string, RowDraw> kDraws{{"uniform", RowDraw::kUniform},
                                                     {"zipf", RowDraw::kZipf}};
  CLI::App* command = program.add_subcommand("rows", description);
  const auto settings = std::make_shared<RowSettings>();
  settings->common.addTo(*command);
  command->add_option("--rows", settings->rows, "Rows of the table [30,000,000]")
      ->check(CLI::PositiveNumber);
  command->add_option("--dim", settings->dim, "Width, a multiple of 16 [64]")
      ->check(CLI::PositiveNumber);
  command->add_option("--batch", settings->batch, "Rows of a step [65,536]")
      ->check(CLI::PositiveNumber);
  command->add_option("--ids", settings->draws, "Which rows: uniform, zipf [both]")
      ->transform(CLI::CheckedTransformer(kDraws));
  command->callback([settings, run] {
    if (settings->dim % 16 != 0) throw CLI::ValidationError("--dim: a multiple of 16 is accepted");
    run(*settings);
  });
}

nlohmann::json rowsLine(const RowSettings& settings, RowDraw draw, const Timing& lookUp,
                        const Timing& update) {
  const double seconds = lookUp.median + update.median;
  return {{"threads", settings.common.threads},
          {"rows", settings.rows},
          {"dim", settings.dim},
          {"batch", settings.batch},
          {"ids", draw == RowDraw::kUniform ? "uniform" : "zipf"},
          {"lookup", toJson(lookUp)},
          {"update", toJson(update)},
          {"seconds", seconds},
          {"rows_per_second", static_cast<double>(settings.batch) / seconds}};
}

int runProgram(CLI::App& program, int argc, char** argv) {
  program.require_subcommand(1);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace parapet::bench
