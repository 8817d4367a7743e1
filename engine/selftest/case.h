// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace parapet::selftest {

/// How far a case was from its reference implementation.
struct Outcome {
  double maxError = 0.0;   ///< largest error in units of Σ|terms|; infinite for a wrong structure
  double tolerance = 0.0;  ///< largest error that rounding explains
  bool passed = false;
  std::string detail;  ///< where the largest error is, or what is wrong; empty if there is none
};

/// One claim about a device or a communicator.
struct Case {
  std::string name;              ///< "matmul a·bᵀ 7×33×16": unique among the cases of a list
  std::string op;                ///< "matmul"
  std::function<Outcome()> run;  ///< never throws; may be called again
  double unit = 0x1p-24;         ///< rounding of its operands: 2⁻⁹ of bf16
};

}  // namespace parapet::selftest
