// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/common/measure.h"

namespace parapet::bench {

/// Settings of every measurement: `--threads`, `--seconds`, `--runs`.
struct Settings {
  int threads = 1;
  Budget budget;
  void addTo(CLI::App& command);
};

/// A product c[m, n] = op(a)·op(b) of inner size k, written "8192x64x8192:TN" on the command line:
/// m × n × k, then N or T for each of a and b, T being stored transposed.
struct ProductShape {
  std::string text;
  std::int64_t m = 0, n = 0, k = 0;
  bool transposeA = false, transposeB = false;
  [[nodiscard]] double flops() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

/// Errors   CLI::ValidationError if the text is not of that form.
ProductShape parseProductShape(const std::string& text);

/// The rows of a table that are looked up.
enum class RowDraw {
  kUniform,  ///< every row as often as every other
  kZipf,     ///< the r-th most frequent row in proportion to ln(1 + 1/r), close to 1/r
};

/// Settings of both `rows` commands: a table [rows, dim], of which `batch` rows are used in a step.
struct RowSettings {
  Settings common;
  std::int64_t rows = 30'000'000;
  std::int64_t dim = 64;  ///< a multiple of 16
  std::int64_t batch = 65'536;
  std::vector<RowDraw> draws{RowDraw::kUniform, RowDraw::kZipf};  ///< one after the other
};

/// Batches used by turns, so that the caches hold none of the rows from the run before.
constexpr std::size_t kRowBatches = 8;

/// Adds a sub-command `rows` that parses RowSettings and calls `run`.
void addRowCommand(CLI::App& program, const char* description, void (*run)(const RowSettings&));
/// The settings with both timings and "rows_per_second", a row being looked up and updated.
nlohmann::json rowsLine(const RowSettings& settings, RowDraw draw, const Timing& lookUp,
                        const Timing& update);

/// Parses the arguments, runs the sub-command and turns what it throws into a line on stderr.
/// Returns the exit code: 0 done, 1 failed, 2 wrong arguments.
int runProgram(CLI::App& program, int argc, char** argv);

}  // namespace parapet::bench
