// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// The call record of a launch: the host's workers behind the ABI's parallelFor.
PpCall makeCall(const Launch& launch);

/// Throws DeviceFailure with the backend's own words if an op did not return PP_OK.
void requireOk(std::int32_t code, const Launch& launch, std::string_view op);

/// Throws InvalidArgument "[tensor.<op>] <what> is <found>; <accepted>" unless `holds`.
void requireArgument(bool holds, std::string_view op, std::string_view what, std::int64_t found,
                     std::string_view accepted);

/// The same unless value > 0.
void requirePositive(std::string_view op, std::string_view what, float value);

/// Checks that every rows[n] lies in [0, tableRows); the exception calls them `name` and names n and
/// the value. What lies in a device's own memory was checked when it was brought there.
void requireRowsInRange(const Launch& launch, std::string_view op, const std::int32_t* rows,
                        std::int64_t count, std::int64_t tableRows, std::string_view name = "rows");

}  // namespace parapet::tensor
