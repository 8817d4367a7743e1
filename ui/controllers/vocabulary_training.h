// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "engine/workspace/source_questions.h"
#include "ui/bridge/background.h"
#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// Trains the WordPiece vocabulary that an experiment on texts lacks, stores it beside the texts, and
/// names it in the document, which is one undo step where it has another name. A file that is there
/// is left as it is.
///
/// Thread   GUI; the training runs in a thread of its own.
class VocabularyTraining : public QObject {
  Q_OBJECT

 public:
  explicit VocabularyTraining(ExperimentEditor& editor, QObject* parent = nullptr);

  void start();
  [[nodiscard]] bool running() const { return background_.running(); }

 signals:
  /// "145 pieces from 35,631 words, stored as vocab.txt".
  void trained(const QString& sentence);
  void failed(const QString& reason);

 private:
  void take(const QString& experimentId, const std::string& name,
            const workspace::TrainedPieces& pieces);

  ExperimentEditor& editor_;
  Background background_{"vocabulary"};
};

}  // namespace parapet::ui
