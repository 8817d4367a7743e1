// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <span>
#include <string>
#include <vector>

namespace parapet::ui {

/// What tells a run from others of its name, short enough for a list.
struct RunTraits {
  QString data;   ///< "ml-100k", "generated, 20,000 rows"
  QString model;  ///< "retrieval / in-batch softmax"
  /// Values of the settings that people vary, in a fixed order; "" where a document has none.
  QStringList settings;

  bool operator==(const RunTraits&) const = default;
};

/// Of a document with all defaults; empty texts for one that cannot be read.
RunTraits traitsOf(const std::string& experimentJson);

/// Where `run` differs from the others of its name: "learning rate 0.1 · seed 7"; "" if nowhere. The
/// most telling settings come first, three at most.
QString differenceText(const RunTraits& run, std::span<const RunTraits* const> others);

}  // namespace parapet::ui
