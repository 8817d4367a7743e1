// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/vocabulary_training.h"

#include <fmt/format.h>

#include <filesystem>

#include "engine/base/atomic_file.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

namespace fs = std::filesystem;

/// The folder that a vocabulary is looked for in.
fs::path folderOf(const fs::path& data) {
  std::error_code ignored;
  return fs::is_directory(data, ignored) ? data : data.parent_path();
}

/// `wanted`, or the first of "vocab-2.txt", … that is free; "vocab.txt" where it is elsewhere.
std::string freeName(const fs::path& folder, const std::string& wanted) {
  const fs::path file(wanted.empty() || fs::path(wanted).is_absolute() ? "vocab.txt" : wanted);
  std::error_code ignored;
  fs::path name = file;
  for (int number = 2; fs::exists(folder / name, ignored); ++number)
    name = file.parent_path() /
           fmt::format("{}-{}{}", file.stem().string(), number, file.extension().string());
  return name.string();
}

}  // namespace

VocabularyTraining::VocabularyTraining(ExperimentEditor& editor, QObject* parent)
    : QObject(parent), editor_(editor) {}

void VocabularyTraining::start() {
  const experiment::Dataset& dataset = editor_.experiment().dataset;
  if (running()) return;
  if (!dataset.path || !dataset.text) return emit failed(tr("Choose the texts first."));
  const fs::path data(*dataset.path);
  const std::string name = freeName(folderOf(data), dataset.text->vocabulary);
  workspace::PieceTraining training;
  if (!dataset.text->lowercase) training.casing = workspace::Casing::kCased;
  background_.start(
      [data, training, target = folderOf(data) / name](
          const WorkContext& context) -> Result<workspace::TrainedPieces> {
        PARAPET_ASSIGN(auto pieces, workspace::trainPieces(data, training, context));
        PARAPET_TRY(writeFileAtomically(target.string(), pieces.text()));
        return pieces;
      },
      [this, id = editor_.experimentId(), name](const Result<workspace::TrainedPieces>& pieces) {
        if (pieces)
          take(id, name, *pieces);
        else
          emit failed(shownText(pieces.error().text()));
      });
}

void VocabularyTraining::take(const QString& experimentId, const std::string& name,
                              const workspace::TrainedPieces& pieces) {
  // Another experiment may have been opened meanwhile; the file is there all the same.
  const auto& text = editor_.experiment().dataset.text;
  if (editor_.experimentId() == experimentId && text && text->vocabulary != name)
    editor_.setValue("/dataset/text/vocabulary", name, tr("Use the trained vocabulary"));
  emit trained(tr("%1 pieces from %2 words, stored as %3")
                   .arg(countText(static_cast<std::int64_t>(pieces.pieces.size())),
                        countText(pieces.words), shownText(name)));
}

}  // namespace parapet::ui
