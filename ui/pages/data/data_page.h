// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListWidget>
#include <QStackedWidget>

#include "ui/controllers/side_files.h"
#include "ui/controllers/source_watch.h"
#include "ui/pages/data/coverage_panel.h"
#include "ui/pages/data/filter_panel.h"
#include "ui/pages/data/import_panel.h"
#include "ui/pages/data/masking_panel.h"
#include "ui/pages/data/preview_panel.h"
#include "ui/pages/data/proposal_panel.h"
#include "ui/pages/data/side_files_panel.h"
#include "ui/pages/data/split_panel.h"
#include "ui/pages/page.h"

namespace parapet::ui {

class DropArea;
class QuietLabel;
class RecipeTiles;

/// From a file to imported data in steps: source, preview, titles, columns, filter, vocabularies, split,
/// rejected lines, and of texts their pieces and masks. Every step edits the document; what it shows follows it. The import and what
/// came of it stay in view below them.
class DataPage : public StepPage {
  Q_OBJECT

 public:
  explicit DataPage(Workbench& bench, QWidget* parent = nullptr);

  [[nodiscard]] QString title() const override { return tr("Data"); }
  [[nodiscard]] QString iconName() const override { return QStringLiteral("data"); }
  [[nodiscard]] QString terminalCommand() const override;
  [[nodiscard]] nlohmann::json saveState() const override;
  void restoreState(const nlohmann::json& state) override;

  [[nodiscard]] QStringList prefixes() const override {
    return {QStringLiteral("/dataset"), QStringLiteral("/model/masking")};
  }
  bool reveal(const QString& pointer) override;

  /// A data file or folder becomes the data of the experiment, or of a new one.
  void openData(const QString& path, SourceWatch::Into into = SourceWatch::Into::kThisExperiment);
  /// Asks for the file or the folder that the source reads.
  void askForData();
  /// Offers public data sets; what was downloaded is opened.
  void askForDownload();
  /// Trains the vocabulary that the texts lack.
  void trainVocabulary();
  /// Shows a step, from 0.
  void showStep(int step);
  [[nodiscard]] int currentStep() const { return steps_->currentRow(); }

  [[nodiscard]] SourceWatch& watch() { return watch_; }
  [[nodiscard]] PreviewPanel& preview() const { return *preview_; }
  [[nodiscard]] SideFiles& sideFiles() { return sideFiles_; }
  [[nodiscard]] SideFilesPanel& side() const { return *side_; }
  [[nodiscard]] FilterPanel& filter() const { return *filter_; }
  [[nodiscard]] CoveragePanel& coverage() const { return *coverage_; }
  [[nodiscard]] SplitPanel& split() const { return *split_; }
  [[nodiscard]] MaskingPanel& masking() const { return *masking_; }
  [[nodiscard]] ImportPanel& importPanel() const { return *import_; }
  [[nodiscard]] ProposalPanel& proposal() const { return *proposal_; }

 signals:
  /// A recipe becomes the experiment, with data; `path` is "" if none were chosen.
  void recipeRequested(const QString& name, const QString& path);
  /// The files beside the data are others than before.
  void sideFilesChanged();
  /// Public data are wanted for a recipe.
  void downloadRequested(const QString& recipe);
  /// Work beside the runs, as a race; "" once there is none.
  void workChanged(const QString& text);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  enum class StepHeight {
    kOfContent,  ///< the rest of the page stays empty
    kOfPage,     ///< the content takes what there is
  };
  /// `help`: the part of a document that its sign opens.
  QVBoxLayout* addStep(const QString& title, const QString& sentence, const QString& help,
                       StepHeight height = StepHeight::kOfContent);
  void addSource();
  void addPreview();
  void addSideFiles();
  void addColumns();
  void addFilter();
  void addVocabularies();
  void addSplit();
  void addRejectedLines();
  void addMasks();
  /// Whether the document reads texts decides whether there is a step of their masks.
  void followKind();
  void makeActions();
  void followLoaded();
  /// Opens a path that was typed, if it is another one.
  void openTyped(const QString& path);
  void showRecipes();
  void showChanges(const QStringList& changes);

  Workbench bench_;
  SourceWatch watch_;
  SideFiles sideFiles_;
  VocabularyTraining vocabulary_;
  QListWidget* steps_;
  QStackedWidget* stack_;
  DropArea* drop_ = nullptr;
  RecipeTiles* recipes_ = nullptr;
  QuietLabel* changes_ = nullptr;
  QString openedPath_;
  PreviewPanel* preview_ = nullptr;
  SideFilesPanel* side_ = nullptr;
  FilterPanel* filter_ = nullptr;
  CoveragePanel* coverage_ = nullptr;
  SplitPanel* split_ = nullptr;
  MaskingPanel* masking_ = nullptr;
  ImportPanel* import_ = nullptr;
  ProposalPanel* proposal_ = nullptr;
};

}  // namespace parapet::ui
