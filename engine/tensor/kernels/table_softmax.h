// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/tensor/kernels/kernel.h"

/// How CPU kernels of PpTableSoftmax go through their work, on either side of the border.
///
/// A block of rows meets the table tile by tile. A tile of logits becomes e^(s − m), m the greatest
/// of the row in this tile, and m and the row's sum are kept: one product and one exponential a
/// logit. When all tiles are through, the sums of a row give its loss, and each tile of its powers
/// the probabilities, up to a factor of the row in the tile, f[i, t] = w[i]·e^(m[i, t] − log Σ
/// e^s[i, :]). The factor goes to the smaller operand of the second and the third product:
///
///   dTable[t] += powers[t]ᵀ · (f[:, t] ⊙ hidden);   dHidden += f[:, t] ⊙ (powers[t] · table[t])
///
/// A tile of the table belongs to one part, so its gradient has one order; the parts' dHidden are
/// added in their order. Labels are subtracted afterwards.
///
/// `Lines` are the functions over a row of a tile that a kernel writes for its instruction set:
///   greatest(line, count, bias)        line += bias (null: 0); the greatest of them
///   powers(line, count, scale, shift)  line = e^(scale·line − shift), 0 where that is denormal; Σ
namespace parapet::tensor {

/// Where the scratch of PpTableSoftmax has what.
class TableSoftmaxMemory {
 public:
  TableSoftmaxMemory(const PpTableSoftmax& args, bool gradients)
      : sizes_(ppTableSoftmaxBlocks(args.rows, args.tableRows, args.width, gradients)),
        width_(args.width),
        gradients_(gradients),
        scratch_(args.scratch),
        lines_(scratch_ + sizes_.powersElements),
        parts_(lines_ + sizes_.linesElements) {}
  [[nodiscard]] const PpTableSoftmaxBlocks& sizes() const { return sizes_; }
  /// Powers of a tile [blockRows, PP_TABLE_TILE_STRIDE].
  [[nodiscard]] float* powers(std::int64_t part, std::int64_t tile) const {
    return gradients_ ? scratch_ + tile * sizes_.blockRows * PP_TABLE_TILE_STRIDE : ofPart(part, 0);
  }
  /// Greatest logit of each row in a tile, and the sum of its powers: [blockRows].
  [[nodiscard]] float* greatest(std::int64_t tile) const { return line(tile); }
  [[nodiscard]] float* total(std::int64_t tile) const { return line(sizes_.tiles + tile); }
  /// Lines of [blockRows]: the logit of each row's label, whether no earlier column of its tile has
  /// an equal one, the row's greatest logit, and w·gradientScale / Σ e^(s − greatest).
  [[nodiscard]] float* own() const { return line(2 * sizes_.tiles); }
  [[nodiscard]] float* isFirst() const { return line(2 * sizes_.tiles + 1); }
  [[nodiscard]] float* most() const { return line(2 * sizes_.tiles + 2); }
  [[nodiscard]] float* share() const { return line(2 * sizes_.tiles + 3); }
  /// Scratch of a part: three matrices [blockRows, width], and a tile's factors [blockRows].
  [[nodiscard]] float* gradient(std::int64_t part) const { return ofPart(part, 0); }
  [[nodiscard]] float* product(std::int64_t part) const { return ofPart(part, width_); }
  [[nodiscard]] float* scaled(std::int64_t part) const { return ofPart(part, 2 * width_); }
  [[nodiscard]] float* factors(std::int64_t part) const { return ofPart(part, 3 * width_); }

 private:
  [[nodiscard]] float* line(std::int64_t index) const { return lines_ + index * sizes_.blockRows; }
  [[nodiscard]] float* ofPart(std::int64_t part, std::int64_t columns) const {
    return parts_ + part * sizes_.partElements + columns * sizes_.blockRows;
  }

  PpTableSoftmaxBlocks sizes_;
  std::int64_t width_;
  bool gradients_;
  float *scratch_, *lines_, *parts_;
};

/// One block of rows.
template <class Multiply, class Lines>
class TableSoftmaxBlock {
 public:
  TableSoftmaxBlock(const PpCall* call, const PpTableSoftmax& args,
                    const TableSoftmaxMemory& memory, std::int64_t begin, const Multiply& multiply,
                    const Lines& lines)
      : call_(call),
        alone_(onThisThread(*call)),
        args_(args),
        memory_(memory),
        begin_(begin),
        rows_(std::min(args.rows - begin, memory.sizes().blockRows)),
        multiply_(multiply),
        lines_(lines) {}

  /// The powers of all tiles, and what they add to the sums.
  void forward() {
    forTiles([&](std::int64_t part, std::int64_t tile) { powersOf(part, tile); });
    for (std::int64_t i = 0; i < rows_; ++i) sumRow(i);
  }
  /// After forward().
  void gradients() {
    if (args_.dHidden)
      for (std::int64_t part = 0; part < memory_.sizes().parts; ++part)
        std::fill_n(memory_.gradient(part), rows_ * args_.width, 0.0f);
    forTiles([&](std::int64_t part, std::int64_t tile) { tileGradients(part, tile); });
    if (args_.dHidden) hiddenGradients();
  }

 private:
  /// Calls body(part, tile), the tiles of a part in order.
  template <class Body>
  void forTiles(const Body& body) {
    const std::int64_t parts = memory_.sizes().parts, tiles = memory_.sizes().tiles;
    forBlocks(call_, parts, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t part = first; part < last; ++part)
        for (std::int64_t t = tiles * part / parts; t < tiles * (part + 1) / parts; ++t)
          body(part, t);
    });
  }
  [[nodiscard]] std::int64_t columnsOf(std::int64_t tile) const {
    return std::min(PP_TABLE_TILE, args_.tableRows - tile * PP_TABLE_TILE);
  }
  [[nodiscard]] const float* tableOf(std::int64_t tile) const {
    return args_.table + tile * PP_TABLE_TILE * args_.width;
  }
  [[nodiscard]] std::int64_t labelOf(std::int64_t i) const { return args_.labels[begin_ + i]; }
  [[nodiscard]] float weightOf(std::int64_t i) const {
    return args_.weight ? args_.weight[begin_ + i] : 1.0f;
  }
  void multiply(const PpMatmul& product) { multiply_(&alone_, &product); }

  // A product of few rows stays in the second-level cache until its powers are taken.
  void powersOf(std::int64_t part, std::int64_t tile) {
    constexpr std::int64_t kRows = 128;
    const std::int64_t width = args_.width, columns = columnsOf(tile);
    const float* const bias = args_.bias ? args_.bias + tile * PP_TABLE_TILE : nullptr;
    for (std::int64_t i = 0; i < rows_; i += kRows) {
      const std::int64_t count = std::min(kRows, rows_ - i);
      float* const powers = memory_.powers(part, tile) + i * PP_TABLE_TILE_STRIDE;
      multiply({count, columns, width, 0, 1, args_.hidden + (begin_ + i) * width, width,
                tableOf(tile), width, 0.0f, powers, PP_TABLE_TILE_STRIDE});
      for (std::int64_t r = i; r < i + count; ++r)
        weighRow(tile, r, powers + (r - i) * PP_TABLE_TILE_STRIDE, columns, bias);
    }
  }
  void weighRow(std::int64_t tile, std::int64_t i, float* line, std::int64_t columns,
                const float* bias) {
    const float greatest = lines_.greatest(line, columns, bias);
    const std::int64_t label = labelOf(i) - tile * PP_TABLE_TILE;
    if (label >= 0 && label < columns) {
      memory_.own()[i] = line[label];
      const bool isFirst = std::find(line, line + label, line[label]) == line + label;
      memory_.isFirst()[i] = isFirst ? 1.0f : 0.0f;
    }
    memory_.greatest(tile)[i] = greatest;
    memory_.total(tile)[i] = lines_.powers(line, columns, 1.0f, greatest);
  }
  void sumRow(std::int64_t i) {
    const std::int64_t tiles = memory_.sizes().tiles;
    float most = memory_.greatest(0)[i];
    for (std::int64_t t = 1; t < tiles; ++t) most = std::max(most, memory_.greatest(t)[i]);
    double total = 0.0;
    for (std::int64_t t = 0; t < tiles; ++t)
      total += static_cast<double>(memory_.total(t)[i]) * powerOf(memory_.greatest(t)[i], most);
    const float own = memory_.own()[i];
    bool hit = own == most && memory_.isFirst()[i] != 0.0f;
    for (std::int64_t t = 0; t < labelOf(i) / PP_TABLE_TILE; ++t)
      hit = hit && memory_.greatest(t)[i] < own;
    const auto weight = static_cast<double>(weightOf(i));
    args_.sums[0] +=
        weight * (std::log(total) + static_cast<double>(most) - static_cast<double>(own));
    args_.sums[1] += hit ? weight : 0.0;
    args_.sums[2] += weight;
    memory_.most()[i] = most;
    memory_.share()[i] =
        static_cast<float>(static_cast<double>(args_.gradientScale) * weight / total);
  }
  static double powerOf(float greatest, float most) {
    return std::exp(static_cast<double>(greatest) - static_cast<double>(most));
  }

  void tileGradients(std::int64_t part, std::int64_t tile) {
    const std::int64_t width = args_.width, columns = columnsOf(tile), first = tile * PP_TABLE_TILE;
    const float* const powers = memory_.powers(part, tile);
    float* const factors = memory_.factors(part);
    for (std::int64_t i = 0; i < rows_; ++i)
      factors[i] = static_cast<float>(static_cast<double>(memory_.share()[i]) *
                                      powerOf(memory_.greatest(tile)[i], memory_.most()[i]));
    if (args_.dHidden) {
      float* const product = memory_.product(part);
      float* const sum = memory_.gradient(part);
      multiply({rows_, width, columns, 0, 0, powers, PP_TABLE_TILE_STRIDE, tableOf(tile), width,
                0.0f, product, width});
      for (std::int64_t i = 0; i < rows_; ++i)
        for (std::int64_t d = i * width; d < (i + 1) * width; ++d)
          sum[d] += factors[i] * product[d];
    }
    if (args_.dTable) {
      float* const scaled = memory_.scaled(part);
      const float* const hidden = args_.hidden + begin_ * width;
      for (std::int64_t i = 0; i < rows_; ++i)
        for (std::int64_t d = i * width; d < (i + 1) * width; ++d)
          scaled[d] = factors[i] * hidden[d];
      multiply({columns, width, rows_, 1, 0, powers, PP_TABLE_TILE_STRIDE, scaled, width, 1.0f,
                args_.dTable + first * width, width});
    }
    if (args_.dBias)
      for (std::int64_t i = 0; i < rows_; ++i) {
        const float* const line = powers + i * PP_TABLE_TILE_STRIDE;
        float* const to = args_.dBias + first;
        for (std::int64_t j = 0; j < columns; ++j) to[j] += factors[i] * line[j];
      }
    labelGradients(first, columns);
  }
  /// Adds the gradients of the labels that lie in one tile.
  void labelGradients(std::int64_t first, std::int64_t columns) {
    const std::int64_t width = args_.width;
    for (std::int64_t i = 0; i < rows_; ++i) {
      const std::int64_t label = labelOf(i);
      if (label < first || label >= first + columns) continue;
      const float weight = args_.gradientScale * weightOf(i);
      const float* const hidden = args_.hidden + (begin_ + i) * width;
      if (args_.dBias) args_.dBias[label] -= weight;
      for (std::int64_t d = 0; args_.dTable && d < width; ++d)
        args_.dTable[label * width + d] -= weight * hidden[d];
    }
  }
  void hiddenGradients() {
    const std::int64_t width = args_.width;
    forBlocks(call_, rows_, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const float weight = args_.gradientScale * weightOf(i);
        const float* const table = args_.table + labelOf(i) * width;
        float* const to = args_.dHidden + (begin_ + i) * width;
        for (std::int64_t d = 0; d < width; ++d) to[d] = -weight * table[d];
        for (std::int64_t part = 0; part < memory_.sizes().parts; ++part) {
          const float* const from = memory_.gradient(part) + i * width;
          for (std::int64_t d = 0; d < width; ++d) to[d] += from[d];
        }
      }
    });
  }

  const PpCall* call_;
  const PpCall alone_;
  const PpTableSoftmax& args_;
  const TableSoftmaxMemory& memory_;
  std::int64_t begin_, rows_;
  const Multiply& multiply_;
  const Lines& lines_;
};

/// The whole of PpTableSoftmax: `multiply` is a matmul.
template <class Multiply, class Lines>
std::int32_t runTableSoftmax(const PpCall* call, const PpTableSoftmax* args,
                             const Multiply& multiply, const Lines& lines) {
  const bool gradients = args->dHidden || args->dTable || args->dBias;
  const TableSoftmaxMemory memory(*args, gradients);
  for (std::int64_t begin = 0; begin < args->rows; begin += memory.sizes().blockRows) {
    TableSoftmaxBlock<Multiply, Lines> block(call, *args, memory, begin, multiply, lines);
    block.forward();
    if (gradients) block.gradients();
  }
  return PP_OK;
}

}  // namespace parapet::tensor
