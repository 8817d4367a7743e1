// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <functional>

#include "ui/controllers/plan_watch.h"
#include "ui/forms/document_table.h"
#include "ui/models/features_model.h"
#include "ui/models/tables_model.h"
#include "ui/pages/page.h"

namespace parapet::ui {

/// Embedding tables above the features that read them, both to be edited in place. A feature
/// dropped on a table shares it; Ctrl+T and the context menu do the same.
class TablesPage : public StepPage {
  Q_OBJECT

 public:
  /// "parapet-cli VERB DOC …" for the document that is open.
  using CommandOf = std::function<QString(const QString& verb)>;
  TablesPage(const Workbench& bench, PreflightWatch& preflight, CommandOf command,
             QWidget* parent = nullptr);

  [[nodiscard]] QString title() const override { return tr("Tables & features"); }
  [[nodiscard]] QString iconName() const override { return QStringLiteral("tables"); }
  [[nodiscard]] QString terminalCommand() const override;
  [[nodiscard]] nlohmann::json saveState() const override;
  void restoreState(const nlohmann::json& state) override;

  [[nodiscard]] QStringList prefixes() const override;
  bool reveal(const QString& pointer) override;
  /// A feature for every column that none reads, with the tables they need: one undo step.
  void addFreeColumns();

  [[nodiscard]] DocumentTable& tables() const { return *tableView_; }
  [[nodiscard]] DocumentTable& features() const { return *featureView_; }
  [[nodiscard]] QString totals() const { return totals_->text(); }
  /// The columns that no feature reads, and the button that adds them.
  [[nodiscard]] QWidget& freeColumns() const { return *free_; }

 private:
  void connectParts();
  void makeSharing();
  QWidget* makeFree();
  QLayout* makeTotals();
  void makeActions();
  void fillShareMenu();
  void follow();
  void countIds(const experiment::TimeUse& use);
  void showCounts();

  Workbench bench_;
  PreflightWatch& preflight_;
  CommandOf command_;
  TablesModel* tableModel_;
  FeaturesModel* featureModel_;
  QSplitter* splitter_;
  DocumentTable *tableView_, *featureView_;
  QLabel *totals_, *memory_, *freeText_ = nullptr;
  QPushButton* import_;  ///< only while sizes are unknown before the import
  QWidget* free_ = nullptr;
  QMenu* share_;
  experiment::TimeUse counted_;  ///< of the run that is under way, or of the last one
  QString countedFor_;           ///< the experiment that was open when it started
};

}  // namespace parapet::ui
