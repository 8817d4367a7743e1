// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <functional>

#include "engine/base/clock.h"
#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/rows_model.h"
#include "ui/style/controls.h"

namespace parapet::ui {

/// Trains a few steps of the experiment twice, off the GUI thread, and reports whether both reached
/// the same: on its own devices bit for bit, against one device within rounding.
class VerifyPanel : public QWidget {
  Q_OBJECT

 public:
  enum Against { kSameDevices, kOneDevice };

  VerifyPanel(workspace::Workspace& workspace, ExperimentEditor& editor, QWidget* parent = nullptr);

  /// Gives "parapet-cli verb DOC --set …" for the experiment that is open.
  void setDocumentCommand(std::function<QString(const QString& verb)> command);
  /// The terminal command that does the same.
  [[nodiscard]] QString command() const;
  /// Nothing happens while the experiment has problems.
  void start();
  void cancel();
  [[nodiscard]] bool running() const { return background_.running(); }
  void choose(Against against) {
    chosen_ = true;
    against_->setCurrentIndex(against);
  }

 signals:
  void finished();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  enum class Verdict {
    kPassed,
    kNotPassed,  ///< or there is none: it was cancelled, or could not be made
  };
  void build();
  void connectParts();
  [[nodiscard]] workspace::VerifyOptions options() const;
  [[nodiscard]] QString oneDevice() const;
  void showProgress(const QString& stage, qint64 done, qint64 total);
  void showResult(const Result<workspace::Verification>& result);
  void showVerdict(const QString& text, Verdict verdict);
  void clearVerdict();
  void restyle();
  void followRunning();
  void followDocument();

  workspace::Workspace& workspace_;
  ExperimentEditor& editor_;
  std::function<QString(const QString&)> documentCommand_;
  QComboBox* against_;
  QSpinBox* steps_;
  QPushButton *start_, *cancel_;
  ThinProgressBar* progress_;
  QLabel *stage_, *verdict_;
  QLineEdit* command_;
  QPushButton* copy_;
  ReportTableModel* tensors_;
  QTableView* view_;
  Verdict shown_ = Verdict::kNotPassed;
  Stopwatch sinceFirstStep_;
  bool chosen_ = false;             ///< a person chose what is compared
  nlohmann::ordered_json checked_;  ///< the document that the verdict is about
  Background background_;
};

}  // namespace parapet::ui
