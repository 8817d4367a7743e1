// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace parapet::experiment {

/// The experiments of a workspace have a title, which is free text for people, and a name, which commands
/// and files use and which is derived from the title. A name is one word of a command line, needs no quotes, and
/// is neither an option (-x), a file (a/b, a.json), the id of a run, `latest` nor the name of a recipe, so that
/// `train NAME` means one thing.
inline constexpr std::size_t kMaxExperimentNameBytes = 64;

/// kInvalidDocument at /name that says what is accepted, unless `name` is such a name.
Status checkExperimentName(std::string_view name);

/// The name of a title, in ASCII: "My data" gives "My-data", "Möbel 2026 🙂" gives "Moebel-2026".
/// "experiment" if nothing is left; the name of a recipe gets a number.
std::string experimentNameFrom(std::string_view text);

/// `wanted` if it is a name that is not taken; else its stem with the next number that is free:
/// "clicks" → "clicks-2", "clicks-2" → "clicks-3", and "sample", a recipe, → "sample-1".
std::string freeExperimentName(std::string_view wanted,
                               const std::function<bool(std::string_view)>& isTaken);

inline constexpr std::size_t kMaxExperimentTitle = 120;  ///< characters

/// kInvalidDocument at /name that says why, unless `title` is a title: a text of one line without control
/// characters, marks that turn the direction of a text or hide, and spaces around it, that no command
/// takes for something else (a recipe, a run, a .json file).
Status checkExperimentTitle(std::string_view title);

/// A title as it is stored and compared, in Unicode's NFC: "ö" of one and of two code points is one title. What is
/// no UTF-8 stays as it is.
std::string normalizedTitle(std::string_view title);

/// The title nearest to a text: normalized, without what a title may not hold, and cut. "experiment" if nothing
/// is left.
std::string experimentTitleFrom(std::string_view text);

/// `wanted` if it is a title that is not taken; else with the next number that is free: "Möbel" →
/// "Möbel 2"; a title that is a name becomes the next free name.
std::string freeExperimentTitle(std::string_view wanted,
                                const std::function<bool(std::string_view)>& isTaken);

}  // namespace parapet::experiment
