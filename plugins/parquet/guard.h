// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/status.h>

#include <cstdint>
#include <exception>

#include "engine/data/source_abi.h"

namespace parapet::plugin {

/// Leaves the text of what Arrow says in `error`, in one line, and tells which kind it is.
std::int32_t reported(const arrow::Status& status, PsError* error);
/// Leaves the text of an exception in `error`, and tells which kind it is.
std::int32_t reported(const std::exception& exception, PsError* error);

/// Runs what gives a Status; nothing that it throws comes out.
template <class Work>
std::int32_t guarded(PsError* error, const Work& work) noexcept {
  try {
    const arrow::Status status = work();
    return status.ok() ? PS_OK : reported(status, error);
  } catch (const std::exception& exception) {
    return reported(exception, error);
  }
}

}  // namespace parapet::plugin
