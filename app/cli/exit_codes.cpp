// SPDX-License-Identifier: Apache-2.0
#include "app/cli/exit_codes.h"

#include <array>

namespace parapet::cli {

ExitCode exitCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidDocument:
      return ExitCode::kWrong;
    case ErrorCode::kNotFound:
      return ExitCode::kNotFound;
    case ErrorCode::kCancelled:
      return ExitCode::kStopped;
    case ErrorCode::kDiverged:
      return ExitCode::kDiverged;
    case ErrorCode::kData:
    case ErrorCode::kIo:
    case ErrorCode::kStore:
    case ErrorCode::kDevice:
    case ErrorCode::kPeer:
    case ErrorCode::kInternal:
      return ExitCode::kFailed;
  }
  return ExitCode::kFailed;
}

ExitCode exitCodeOf(experiment::RunState state) {
  switch (state) {
    case experiment::RunState::kFinished:
      return ExitCode::kDone;
    case experiment::RunState::kStopped:
      return ExitCode::kStopped;
    case experiment::RunState::kDiverged:
      return ExitCode::kDiverged;
    default:
      return ExitCode::kFailed;
  }
}

ExitCode moreUrgent(ExitCode left, ExitCode right) {
  constexpr std::array kOrder{ExitCode::kWrong, ExitCode::kNotFound, ExitCode::kFailed,
                              ExitCode::kDiverged, ExitCode::kStopped};
  for (const ExitCode code : kOrder)
    if (left == code || right == code) return code;
  return ExitCode::kDone;
}

}  // namespace parapet::cli
