// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <filesystem>

#include "engine/experiment/experiment.h"

namespace parapet::ui {

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
