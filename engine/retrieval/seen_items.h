// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parapet::retrieval {

/// Which of a user's items are left out of the answer.
enum class SeenItems {
  kKeep,          ///< nothing is left out
  kExcludeTrain,  ///< items of the user's training rows
  kExcludeAll,    ///< items of every imported row of the user
};

}  // namespace parapet::retrieval
