// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

#include "engine/experiment/experiment.h"

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

/// "parapet-cli VERB DOC --set …" (verb "train", "verify"): what turns the document of `base` into
/// `now`. Lists of another length and objects of another kind are set as a whole, since their parts
/// cannot be named alone.
QString documentCommand(const QString& verb, const QString& doc, const experiment::Experiment& base,
                        const experiment::Experiment& now);

/// The command for a workspace other than the default one: with `--workspace FOLDER`.
QString inWorkspace(const QString& command, const std::filesystem::path& folder);

/// Quoted for a POSIX shell if need be.
QString shellWord(const QString& word);

}  // namespace parapet::ui
