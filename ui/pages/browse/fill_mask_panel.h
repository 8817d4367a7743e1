// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>
#include <nlohmann/json.hpp>
#include <optional>

#include "ui/bridge/background.h"
#include "ui/controllers/browse_session.h"
#include "ui/models/pieces_model.h"

class QLineEdit;
class QSpinBox;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace parapet::ui {

class AttentionView;
class QuietLabel;

/// A question to a masked language model.
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
  /// The step of the model that is open; 0 while none is.
  [[nodiscard]] std::int64_t step() const { return model_ ? model_->step() : 0; }
  /// None while no model is open.
  [[nodiscard]] std::vector<workspace::AttentionLayer> layers() const;
  [[nodiscard]] const FilledPiecesModel& pieces() const { return *pieces_; }
  [[nodiscard]] const ReadPiecesModel& readPieces() const { return *read_; }
  [[nodiscard]] AttentionView& attention() const { return *attention_; }
  /// A caption that says which model answers, or why it does not.
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

class FlowLayout;
class ModelPicker;

/// Asks masked language models: a text is typed, words of it are masked by clicking them, and the
/// most probable pieces for each mask are listed, or what a head of the attention reads is drawn. A
/// second checkpoint may answer beside the first.
class FillMaskPanel : public QWidget {
  Q_OBJECT

 public:
  explicit FillMaskPanel(workspace::Workspace& workspace, QWidget* parent = nullptr);

  /// Opens a checkpoint; what is typed is asked of it.
  void open(const ModelChoice& choice, const QString& runName);
  /// The text with [MASK] in place of the words that are masked.
  [[nodiscard]] QString prompt() const;
  /// The word under each [MASK] of prompt(), "" where it was typed.
  [[nodiscard]] QStringList maskedWords() const;
  /// Options of `parapet-cli predict RUN` for the same answer: " --text … --attention 1,2".
  [[nodiscard]] QString terminalOptions() const;
  /// The text, its masks and what is asked, over a restart.
  [[nodiscard]] nlohmann::json saveState() const;
  void restoreState(const nlohmann::json& state);
  [[nodiscard]] MaskedColumn& first() const { return *first_; }
  /// Hidden until a second model is chosen.
  [[nodiscard]] MaskedColumn& second() const { return *second_; }
  [[nodiscard]] ModelPicker& picker() const { return *picker_; }
  [[nodiscard]] const FilledPiecesModel& pieces() const { return first_->pieces(); }
  /// The caption of the list: which model answers, or why it does not.
  [[nodiscard]] QString caption() const { return first_->caption(); }

 private:
  /// A view of the model that is open.
  struct View {
    int view = 0, layer = 1, head = 1;
  };
  QWidget* makeText();
  QWidget* makeChoices();
  QSpinBox* addNumber(FlowLayout& line, const QString& label, const QString& name,
                      const QString& tip);
  void showWords();
  [[nodiscard]] MaskedQuestion question() const;
  void followLayers();
  void ask();

  workspace::Workspace& workspace_;
  QLineEdit* text_ = nullptr;
  QTabBar* views_ = nullptr;
  QSpinBox *count_ = nullptr, *layer_ = nullptr, *head_ = nullptr;
  QList<QWidget*> ofPieces_, ofAttention_;  ///< controls of one view
  ModelPicker* picker_ = nullptr;
  QWidget* words_ = nullptr;
  FlowLayout* line_ = nullptr;
  QList<QToolButton*> buttons_;  ///< a word each
  std::optional<View> wanted_;   ///< remembered, of a model that is not open yet
  MaskedColumn *first_, *second_;
};

}  // namespace parapet::ui
