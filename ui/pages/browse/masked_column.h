// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/bridge/background.h"
#include "ui/controllers/model_cache.h"
#include "ui/models/filled_pieces_model.h"
#include "ui/models/read_pieces_model.h"

class QStackedWidget;

namespace parapet::ui {

class AttentionView;
class QuietLabel;

/// What is asked of a masked language model.
struct MaskedQuestion {
  enum class About {
    kPieces,     ///< for every [MASK]
    kAttention,  ///< of a head
  };
  About about = About::kPieces;
  QString text{};
  QStringList masked{};    ///< the word under each [MASK], "" where it was typed
  std::int64_t count = 5;  ///< pieces of a mask
  int layer = 0, head = 0;
};

/// One model of texts: which it is, and what it answers to the question that is asked of all of them.
class MaskedColumn : public QWidget {
  Q_OBJECT

 public:
  /// `name` tells it from the one beside it: "first model".
  MaskedColumn(workspace::Workspace& workspace, const QString& name, QWidget* parent = nullptr);

  /// Opens a checkpoint; opened() follows, or the caption says why not.
  void open(const ModelChoice& choice, const QString& runName);
  void close();
  void ask(const MaskedQuestion& question);
  /// Of the model that is open; 0 while none is.
  [[nodiscard]] std::int64_t step() const { return model_ ? model_->step() : 0; }
  /// None while no model is open.
  [[nodiscard]] std::vector<workspace::AttentionLayer> layers() const;
  [[nodiscard]] const FilledPiecesModel& pieces() const { return *pieces_; }
  [[nodiscard]] const ReadPiecesModel& readPieces() const { return *read_; }
  [[nodiscard]] AttentionView& attention() const { return *attention_; }
  /// Which model answers, or why it does not.
  [[nodiscard]] QString caption() const;

 signals:
  void opened();

 private:
  QWidget* makeAttention(const QString& name);
  void askPieces();
  void askAttention();
  void tell(const QString& caption);
  void say(const QString& what);
  void clear();

  workspace::Workspace& workspace_;
  std::shared_ptr<workspace::MaskedModel> model_;
  MaskedQuestion question_;
  QString runName_;
  QuietLabel* caption_;
  QStackedWidget* views_;
  FilledPiecesModel* pieces_;
  AttentionView* attention_;
  QuietLabel* legend_;
  ReadPiecesModel* read_;
  Background opening_, asking_;
};

}  // namespace parapet::ui
