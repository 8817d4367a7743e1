// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabBar>
#include <vector>

#include "ui/forms/document_table.h"
#include "ui/forms/form.h"
#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// All settings of the selected row of a table, below each other.
class RowSettings : public QScrollArea {
  Q_OBJECT

 public:
  /// `hint`: what to do while no row is selected.
  explicit RowSettings(const QString& hint, QWidget* parent = nullptr);
  /// Follows another table; the one before is forgotten.
  void setTable(DocumentTable* table);
  [[nodiscard]] SettingsForm* form() const { return form_; }
  bool reveal(const QString& pointer);

 private:
  void follow();

  QLabel* hint_;
  DocumentTable* table_ = nullptr;
  SettingsForm* form_ = nullptr;
  QString pointer_;
};

class FlowLayout;
class Form;

/// The kind of the model and the layers of its parts: two towers, or one network, and the heads.
/// Below the list stand all settings of the selected layer.
class LayersPanel : public QWidget {
  Q_OBJECT

 public:
  explicit LayersPanel(ExperimentEditor& editor, QWidget* parent = nullptr);

  /// The layers that are shown.
  [[nodiscard]] DocumentTable* table() const;
  [[nodiscard]] RowSettings& settings() const { return *settings_; }
  [[nodiscard]] QComboBox& kind() const { return *kind_; }
  /// How the outputs of two towers make a score.
  [[nodiscard]] Field& score() const { return *score_; }
  /// Sizes of the encoder by name; hidden where there is none.
  [[nodiscard]] QComboBox& preset() const { return *preset_; }
  /// The part, the layer and the field of a pointer; false if it is none of layers.
  bool reveal(const QString& pointer);

 private:
  struct Part {
    QString title, pointer;
    bool operator==(const Part&) const = default;
  };
  [[nodiscard]] std::vector<Part> partsOfDocument() const;
  void makeKind(FlowLayout& line);
  void makeScore(FlowLayout& line);
  void makePreset(FlowLayout& line);
  void offerKinds();
  void followPreset();
  void follow();
  void showPart(int part);

  ExperimentEditor& editor_;
  QComboBox* kind_;
  Field* score_ = nullptr;
  Form* weights_;  ///< where an encoder begins; hidden where there is none
  QComboBox* preset_;
  QWidget* presetBox_ = nullptr;  ///< with its label
  QTabBar* tabs_;
  QStackedWidget* stack_;
  RowSettings* settings_;
  std::vector<Part> parts_;
};

}  // namespace parapet::ui
