// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "engine/workspace/source_questions.h"
#include "ui/bridge/background.h"
#include "ui/forms/form.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/rows_model.h"

class QLabel;
class QSpinBox;
class QTableView;
class QTextBrowser;

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

/// The first lines of a corpus as pieces, and which of them a masked language model is to predict, as
/// the training masks them. Settings of the masking stand above and change the document.
class MaskingPanel : public QWidget {
  Q_OBJECT

 public:
  /// Lines that are looked at: more than a reader takes in.
  static constexpr std::int64_t kLines = 50;

  explicit MaskingPanel(ExperimentEditor& editor, QWidget* parent = nullptr);

  /// As they are shown.
  [[nodiscard]] const std::vector<workspace::MaskedText>& texts() const { return texts_; }
  [[nodiscard]] QTextBrowser& view() const { return *view_; }
  [[nodiscard]] const ReportTableModel& selections() const { return selections_; }
  /// Shares of what is masked, or why nothing is shown.
  [[nodiscard]] QString summary() const;
  [[nodiscard]] QSpinBox& epoch() const { return *epoch_; }
  /// As the document has it until another one is tried; the document keeps its own.
  [[nodiscard]] QSpinBox& seed() const { return *seed_; }
  /// Options of `parapet-cli preview EXPERIMENT` for the same sample: "--masks 50 --epoch 2".
  [[nodiscard]] QString terminalOptions() const;
  bool reveal(const QString& pointer) { return form_->reveal(pointer); }

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  using Sample = std::shared_ptr<const workspace::TextSample>;
  struct Masked {
    Sample sample;
    experiment::Masking masking;
    std::vector<workspace::MaskedText> texts;
  };
  void buildForm();
  void addNumbers();
  void follow();
  void look();
  void showTexts();
  [[nodiscard]] QString capText() const;
  void showMessage(const QString& text);

  ExperimentEditor& editor_;
  Form* form_;
  QSpinBox *epoch_, *seed_;
  QLabel* summary_;
  QTextBrowser* view_;
  QTableView* table_;
  ReportTableModel selections_;
  experiment::Masking masking_;  ///< of texts_
  std::vector<workspace::MaskedText> texts_;
  std::optional<std::uint64_t> runSeed_;  ///< of the document, as seed_ follows it
  std::string source_;                    ///< the settings that sample_ was read with
  Sample sample_;
  QTimer pause_;
  Background reader_{"masks"};
};

}  // namespace parapet::ui
