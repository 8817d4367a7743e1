// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <string>

namespace parapet::data {

/// The bytes of a .gz file that holds the text.
inline std::string gzip(const std::string& text) {
  z_stream state{};
  deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&state, text.size()) + 64, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  deflate(&state, Z_FINISH);
  packed.resize(state.total_out);
  deflateEnd(&state);
  return packed;
}

/// The bytes of a .zst file that holds the text, with a checksum, as the program zstd makes it.
inline std::string zstd(const std::string& text, int windowLog = 0) {
  ZSTD_CCtx* const state = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(state, ZSTD_c_checksumFlag, 1);
  if (windowLog > 0) {
    ZSTD_CCtx_setParameter(state, ZSTD_c_contentSizeFlag, 0);
    ZSTD_CCtx_setParameter(state, ZSTD_c_windowLog, windowLog);
  }
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  // Not in one go, which would fit the window to the text.
  ZSTD_inBuffer start{text.data(), text.size() / 2, 0};
  if (windowLog > 0) {
    ZSTD_compressStream2(state, &out, &start, ZSTD_e_continue);
    in.pos = start.pos;
  }
  ZSTD_compressStream2(state, &out, &in, ZSTD_e_end);
  packed.resize(out.pos);
  ZSTD_freeCCtx(state);
  return packed;
}

}  // namespace parapet::data
