// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <vector>

#include "ui/controllers/preflight_watch.h"
#include "ui/forms/problems_panel.h"
#include "ui/pages/experiment/json_view.h"
#include "ui/pages/experiment/section.h"
#include "ui/pages/page.h"

namespace parapet::ui {

class DataSection;
class MeshSection;
class TablesSection;

/// The experiment as sections of a form beside its live JSON; either can be typed in.
class ExperimentPage : public Page {
  Q_OBJECT

 public:
  explicit ExperimentPage(const Workbench& bench, QWidget* parent = nullptr);

  [[nodiscard]] QString title() const override { return tr("Experiment"); }
  [[nodiscard]] QString iconName() const override { return "experiment"; }
  [[nodiscard]] QString terminalCommand() const override;
  [[nodiscard]] QList<QAction*> pageActions() const override;
  [[nodiscard]] nlohmann::json saveState() const override;
  void restoreState(const nlohmann::json& state) override;

  /// "parapet-cli VERB DOC --set …" for the document as it is.
  [[nodiscard]] QString documentCommandOf(const QString& verb) const;
  /// What a run would need, always of the newest document without problems.
  [[nodiscard]] PreflightWatch& preflight() { return preflight_; }

  /// Shows the section of a field and puts the focus there.
  void jumpTo(const QString& pointer);
  void openFile(const QString& file);
  /// False, with a message, if the file could not be written.
  bool saveFile(const QString& file);

  [[nodiscard]] JsonView& json() const { return *json_; }
  [[nodiscard]] TablesSection& tablesSection() const { return *tables_; }
  [[nodiscard]] DataSection& dataSection() const { return *data_; }
  [[nodiscard]] MeshSection& meshSection() const { return *mesh_; }
  [[nodiscard]] ProblemsPanel& problems() const { return *problems_; }

 private:
  void makeActions();
  void makeSections();
  QWidget* makeFormSide();
  QWidget* makeJsonSide();
  QAction* addPageAction(const QString& text, const QString& shortText, const QKeySequence& keys,
                         void (ExperimentPage::*run)());
  void chooseFileToOpen();
  void chooseFileToSave();
  void discardDraft();
  void verify();
  void rememberBase();
  void followFindings();
  void followPreflight();

  Workbench bench_;
  PreflightWatch preflight_;
  QList<QAction*> actions_;
  QTabBar* tabs_;
  QStackedWidget* stack_;
  QSplitter* splitter_;
  JsonView* json_;
  QWidget* draftBar_;
  QLabel* draftText_;
  ProblemsPanel* problems_;
  std::vector<Section*> sections_;
  DataSection* data_ = nullptr;
  TablesSection* tables_ = nullptr;
  MeshSection* mesh_ = nullptr;
  experiment::Experiment base_;  ///< as it was loaded or saved, for the terminal command
  QString file_;                 ///< where it was saved; else the origin names the document
};

}  // namespace parapet::ui
