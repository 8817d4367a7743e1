// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <functional>
#include <vector>

#include "ui/controllers/plan_watch.h"
#include "ui/forms/form.h"
#include "ui/pages/model/graph_panel.h"
#include "ui/pages/model/layers_panel.h"
#include "ui/pages/model/optimizer_panel.h"
#include "ui/pages/page.h"

namespace parapet::ui {

/// Layers, heads, loss and optimizer of the model beside the graph that they make. What is wrong is
/// red in the graph and in the lists.
class ModelPage : public StepPage {
  Q_OBJECT

 public:
  /// "parapet-cli VERB DOC …" for the document that is open.
  using CommandOf = std::function<QString(const QString& verb)>;
  ModelPage(const Workbench& bench, PreflightWatch& preflight, CommandOf command,
            QWidget* parent = nullptr);

  [[nodiscard]] QString title() const override { return tr("Model"); }
  [[nodiscard]] QString iconName() const override { return QStringLiteral("model"); }
  [[nodiscard]] QString terminalCommand() const override;
  [[nodiscard]] nlohmann::json saveState() const override;
  void restoreState(const nlohmann::json& state) override;

  [[nodiscard]] QStringList prefixes() const override;
  bool reveal(const QString& pointer) override;

  [[nodiscard]] LayersPanel& layers() const { return *layers_; }
  [[nodiscard]] DocumentTable& heads() const { return *heads_; }
  [[nodiscard]] GraphPanel& graph() const { return *graph_; }
  [[nodiscard]] OptimizerPanel& optimizers() const { return *optimizers_; }
  [[nodiscard]] RatePanel& rates() const { return *rates_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  enum Tab { kLayers, kHeads, kLoss, kOptimizer };
  QScrollArea* scrollingTab(QWidget* inside, const QString& name);
  QWidget* makeEditors();
  QWidget* makeHeads();
  QWidget* makeLoss();
  QWidget* makeOptimizer();
  QWidget* makeGraph();
  void makeActions();
  void follow();
  void open(const QString& pointer);

  Workbench bench_;
  PreflightWatch& preflight_;
  CommandOf command_;
  QSplitter* splitter_;
  QTabBar* tabs_;
  QStackedWidget* stack_;
  LayersPanel* layers_;
  DocumentTable* heads_ = nullptr;
  RowSettings* headSettings_ = nullptr;
  std::vector<SettingsForm*> forms_;  ///< of loss and schedule
  OptimizerPanel* optimizers_ = nullptr;
  RatePanel* rates_ = nullptr;
  GraphPanel* graph_;
  QLabel* totals_;
  QTimer pause_;
  bool moved_ = false;  ///< somebody chose the width of the editors
};

}  // namespace parapet::ui
