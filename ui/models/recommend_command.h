// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <map>
#include <optional>

namespace parapet::ui {

/// What `parapet-cli recommend` is asked.
struct RecommendQuestion {
  QString run;
  QStringList users;                     ///< not empty
  std::map<QString, QString> context{};  ///< by name
  std::optional<QStringList> history{};  ///< oldest first; nullopt: the user's own
  std::int64_t k = 10;
  QStringList options{};  ///< words as they stand, "--exclude-seen"
};

/// The command, each word quoted for a shell where it must be. The terminal separates ids by commas;
/// where one has a comma of its own, the question is a line of JSON on the standard input.
QString recommendCommand(const RecommendQuestion& question);

}  // namespace parapet::ui
