// SPDX-License-Identifier: Apache-2.0
// Ops that move rows. They copy or add single elements: copies are exact, sums of n parts err by n
// roundings.
#include <fmt/format.h>

#include <algorithm>

#include "engine/selftest/cases.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/row_gradients.h"
#include "engine/selftest/samples.h"

namespace parapet::selftest {
namespace {

using tensor::Accumulate;
using tensor::Device;
using tensor::Launch;

void addFill(const Device& device, std::vector<Case>& cases) {
  for (const std::int64_t count : {0, 1, 7, 1000, 200'000})
    cases.push_back(makeCase("fill", fmt::format("{}", count), 0.0, [=](Measure& measure) {
      auto out = DeviceFloats::unset(device, count);
      tensor::run({&device}, PpFill{out.data(), count, 0.1f});
      measure.same("out", out.read(), std::vector<float>(static_cast<std::size_t>(count), 0.1f));
    }));
}

void gatherCase(const Device& device, Shape shape, Measure& measure) {
  const std::int64_t tableRows = 41;
  const auto table = samples(1, tableRows * shape.width);
  const auto rows = sampleRows(2, shape.rows, tableRows);
  const DeviceFloats tableHere(device, table);
  const DeviceInts rowsHere(device, rows);
  auto out = DeviceFloats::unset(device, shape.size());
  tensor::run({&device}, PpGatherRows{.table = tableHere.data(),
                                      .tableRows = tableRows,
                                      .width = shape.width,
                                      .rows = rowsHere.data(),
                                      .count = std::ssize(rowsHere.span()),
                                      .out = out.data()});
  measure.values("out", out.read(), reference::gatherRows(toDouble(table), shape.width, rows));
}

// Every third row of a table, from the last on, is another one.
void replaceCase(const Device& device, Shape shape, Measure& measure) {
  const std::int64_t outRows = 3 * shape.rows;
  const auto in = samples(1, shape.size()), before = samples(2, outRows * shape.width);
  std::vector<std::int32_t> rows;
  for (std::int64_t row = outRows; (row -= 3) >= 0;) rows.push_back(static_cast<std::int32_t>(row));
  const DeviceFloats inHere(device, in);
  const DeviceInts rowsHere(device, rows);
  DeviceFloats out(device, before);
  tensor::run({&device}, PpReplaceRows{.outRows = outRows,
                                       .width = shape.width,
                                       .rows = rowsHere.data(),
                                       .count = std::ssize(rowsHere.span()),
                                       .in = inHere.data(),
                                       .out = out.data()});
  std::vector<float> expected = before;
  for (std::size_t n = 0; n < rows.size(); ++n)
    std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(n) * shape.width, shape.width,
                expected.begin() + rows[n] * shape.width);
  measure.same("out", out.read(), expected);
}

// The order of the groups is the device's own; as sets they are those of the reference.
void groupCase(const Device& device, std::int64_t count, std::int64_t tableRows, Measure& measure) {
  const auto rows = sampleRows(3, count, tableRows);
  const std::vector<std::int32_t> none(static_cast<std::size_t>(tableRows), -1);
  const DeviceInts rowsHere(device, rows);
  DeviceInts indexOfRow(device, none);
  GroupsHere groupsHere(device, count);
  groupsHere.run(device, rowsHere, tableRows, indexOfRow.data());
  measure.same("indexOfRow", indexOfRow.read(), none);
  const std::int64_t groups = groupsHere.count();
  const auto groupRows = groupsHere.rows.read(), first = groupsHere.first.read(),
             next = groupsHere.next.read();
  std::vector<std::vector<std::int32_t>> expected(static_cast<std::size_t>(tableRows));
  for (std::size_t n = 0; n < rows.size(); ++n)
    expected[static_cast<std::size_t>(rows[n])].push_back(static_cast<std::int32_t>(n));
  const auto distinct =
      std::ranges::count_if(expected, [](const auto& values) { return !values.empty(); });
  measure.require(groups == distinct, fmt::format("{} groups; {} is right", groups, distinct));
  for (std::size_t u = 0; groups == distinct && u < static_cast<std::size_t>(groups); ++u) {
    std::vector<std::int32_t> values;
    for (std::int32_t n = first[u]; n >= 0 && values.size() < rows.size();
         n = next[static_cast<std::size_t>(n)])
      values.push_back(n);
    measure.same(fmt::format("values of row {}", groupRows[u]), values,
                 expected[static_cast<std::size_t>(groupRows[u])]);
  }
}

void copyCase(const Device& device, Shape shape, std::int64_t gap, Accumulate accumulate,
              Measure& measure) {
  const std::int64_t strideIn = shape.width + gap, strideOut = shape.width + 2 * gap;
  const auto in = samples(5, shape.rows * strideIn);
  const auto before = samples(6, shape.rows * strideOut);
  const DeviceFloats inHere(device, in);
  DeviceFloats out(device, before);
  tensor::run({&device}, PpCopyColumns{.rows = shape.rows,
                                       .width = shape.width,
                                       .in = inHere.data(),
                                       .strideIn = strideIn,
                                       .out = out.data(),
                                       .strideOut = strideOut,
                                       .accumulate = numberOf(accumulate)});
  Exact expected(before.size());
  for (std::int64_t b = 0; b < shape.rows; ++b)
    for (std::int64_t d = 0; d < strideOut; ++d) {
      const auto at = static_cast<std::size_t>(b * strideOut + d);
      if (d >= shape.width || accumulate == Accumulate::kYes)
        expected.add(at, static_cast<double>(before[at]));
      if (d < shape.width)
        expected.add(at, static_cast<double>(in[static_cast<std::size_t>(b * strideIn + d)]));
    }
  measure.values("out", out.read(), expected);
}

void sumCase(const Device& device, std::int64_t parts, std::int64_t count, bool inPlace,
             Measure& measure) {
  std::vector<DeviceFloats> held;
  std::vector<const float*> pointers;
  Exact expected(static_cast<std::size_t>(count));
  for (std::int64_t part = 0; part < parts; ++part) {
    const auto values = samples(7 + static_cast<std::uint64_t>(part), count);
    held.emplace_back(device, values);
    for (std::size_t i = 0; i < values.size(); ++i) expected.add(i, static_cast<double>(values[i]));
  }
  for (const DeviceFloats& part : held) pointers.push_back(part.data());
  auto apart = DeviceFloats::unset(device, count);
  DeviceFloats& out = inPlace ? held[0] : apart;
  tensor::run({&device}, PpSumParts{.count = count,
                                    .parts = static_cast<std::int32_t>(pointers.size()),
                                    .in = pointers.data(),
                                    .out = out.data()});
  measure.values("out", out.read(), expected);
}

void addCopies(const Device& device, Shape shape, std::vector<Case>& cases) {
  for (const std::int64_t gap : {0, 5})
    for (const auto accumulate : {Accumulate::kNo, Accumulate::kYes}) {
      const bool adds = accumulate == Accumulate::kYes;
      cases.push_back(
          makeCase("copyColumns",
                   fmt::format("{}{}{}", shape.name(), gap ? " strided" : "", adds ? " added" : ""),
                   adds ? kUnit : 0.0,
                   [=](Measure& measure) { copyCase(device, shape, gap, accumulate, measure); }));
    }
}

void addSums(const Device& device, std::vector<Case>& cases) {
  for (const std::int64_t parts : {1, 2, 3, 8})
    for (const std::int64_t count : {0, 1, 33, 1000, 100'000})
      for (const bool inPlace : {false, true})
        cases.push_back(
            makeCase("sumParts", fmt::format("{} × {}{}", parts, count, inPlace ? " in place" : ""),
                     static_cast<double>(parts - 1) * kUnit,
                     [=](Measure& measure) { sumCase(device, parts, count, inPlace, measure); }));
}

}  // namespace

void addRowCases(const Device& device, std::vector<Case>& cases) {
  addFill(device, cases);
  for (const Shape shape : oddShapes()) {
    cases.push_back(makeCase("gatherRows", shape.name(), 0.0,
                             [=](Measure& measure) { gatherCase(device, shape, measure); }));
    cases.push_back(makeCase("replaceRows", shape.name(), 0.0,
                             [=](Measure& measure) { replaceCase(device, shape, measure); }));
    addCopies(device, shape, cases);
  }
  addSums(device, cases);
  // Few rows: long groups. Many rows: hardly any duplicates.
  for (const std::int64_t count : {0, 1, 3, 7, 31, 1000, 16'384})
    for (const std::int64_t tableRows : {1, 5, 5000})
      cases.push_back(
          makeCase("groupRows", fmt::format("{} of {}", count, tableRows), 0.0,
                   [=](Measure& measure) { groupCase(device, count, tableRows, measure); }));
}

}  // namespace parapet::selftest
