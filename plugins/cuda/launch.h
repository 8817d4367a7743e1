// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/plugin_abi.h"
#include "plugins/cuda/device_code.h"
#include "plugins/cuda/grid.h"
#include "plugins/cuda/stream.h"

namespace parapet::cuda {

#ifdef __CUDACC__

template <class Body>
__global__ void __launch_bounds__(kThreads) runBody(const Body body) {
  body();
}

/// Makes the stream's device the thread's own; false if the op has failed.
bool beginLaunch(Stream& stream);
void endLaunch(Stream& stream);

/// Runs body() on every thread of a grid, after what the stream was asked before.
template <class Body>
void launch(const PpCall* call, Grid grid, const Body& body) {
  Stream& stream = streamOf(call);
  if (grid.blocks <= 0 || !beginLaunch(stream)) return;
  runBody<<<static_cast<unsigned>(grid.blocks), static_cast<unsigned>(grid.threads), 0,
            static_cast<cudaStream_t>(stream.handle)>>>(body);
  endLaunch(stream);
}

#endif

template <class Body>
struct OfElements {
  Body body;
  std::int64_t count;
  PP_DEVICE void operator()() const {
    for (std::int64_t i = block() * threads() + thread(); i < count; i += blocks() * threads())
      body(i);
  }
};
/// body(i), i = 0 … count-1, by a thread each.
template <class Body>
void forElements(const PpCall* call, std::int64_t count, const Body& body) {
  launch(call, gridOfElements(count), OfElements<Body>{body, count});
}

template <class Body>
struct OfRows {
  Body body;
  std::int64_t rows, width, lanes, rowsPerBlock;
  PP_DEVICE void operator()() const {
    const std::int64_t first = thread() & (lanes - 1);
    for (std::int64_t row = block() * rowsPerBlock + thread() / lanes; row < rows;
         row += blocks() * rowsPerBlock)
      for (std::int64_t d = first; d < width; d += lanes) body(row, d);
  }
};
/// body(row, column) of a matrix, by a thread each; neighbours take neighbouring columns.
template <class Body>
void forRows(const PpCall* call, std::int64_t rows, std::int64_t width, const Body& body) {
  const RowGrid cut = gridOfRows(rows, width);
  launch(call, cut.grid, OfRows<Body>{body, rows, width, cut.lanes, cut.rowsPerBlock});
}

template <class Body>
struct OfWarps {
  Body body;
  std::int64_t count;
  PP_DEVICE void operator()() const {
    const std::int64_t warps = threads() / kWarp;
    for (std::int64_t i = block() * warps + warp(); i < count; i += blocks() * warps) body(i);
  }
};
/// body(i) by all lanes of a warp.
template <class Body>
void forWarps(const PpCall* call, std::int64_t count, const Body& body) {
  launch(call, gridOfWarps(count), OfWarps<Body>{body, count});
}

template <class Body>
struct OfBlocks {
  Body body;
  std::int64_t count;
  PP_DEVICE void operator()() const {
    for (std::int64_t i = block(); i < count; i += blocks()) {
      body(i);
      meet();
    }
  }
};
/// body(i) by all threads of a block.
template <class Body>
void forBlocks(const PpCall* call, std::int64_t count, const Body& body,
               std::int64_t threadsOfBlock = kThreads) {
  Grid grid = gridOfBlocks(count);
  grid.threads = threadsOfBlock;
  launch(call, grid, OfBlocks<Body>{body, count});
}

}  // namespace parapet::cuda
