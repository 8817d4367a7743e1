// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "engine/experiment/experiment.h"

namespace parapet::ui {

/// A list that `parapet-cli recommend` is asked for: of a user, in a context.
struct ListQuestion {
  QString user;
  std::map<QString, QString> context{};  ///< by name
  std::optional<QStringList> history{};  ///< oldest first; nullopt: the user's own
  bool operator==(const ListQuestion&) const = default;
};

/// A question to `parapet-cli recommend`.
struct RecommendQuestion {
  QString run;
  std::vector<ListQuestion> lists;     ///< not empty
  std::map<QString, QString> where{};  ///< attributes of listed items, a value each
  std::int64_t k = 10;
  QStringList options{};  ///< words as they stand, "--exclude-seen"
};

/// The command, each word quoted for a shell where it must be. Options ask for every user in every
/// combination of the values of contexts, and separate ids by commas: where that is another question, or
/// an id has a comma of its own, each list is a line of JSON on the standard input.
QString recommendCommand(const RecommendQuestion& question);

/// "parapet-cli VERB DOC --set …" (verb "train", "verify"): what turns the document of `base` into
/// `now`. Lists of another length and objects of another kind are set as a whole, since their parts
/// cannot be named alone.
QString documentCommand(const QString& verb, const QString& doc, const experiment::Experiment& base,
                        const experiment::Experiment& now);

/// The command for a workspace other than the default one: with `--workspace FOLDER`. In a model folder
/// commands that ask a run have `--model FOLDER` in its place.
QString inWorkspace(const QString& command, const std::filesystem::path& folder);

/// Quoted for a POSIX shell if need be.
QString shellWord(const QString& word);

}  // namespace parapet::ui
