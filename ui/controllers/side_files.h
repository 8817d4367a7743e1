// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <map>
#include <vector>

#include "engine/workspace/source_questions.h"
#include "ui/bridge/background.h"
#include "ui/controllers/source_watch.h"

namespace parapet::ui {

/// Looks for files beside the data that tell titles and attributes, and asks files for their
/// columns, off the GUI thread. What it adds to the document is one undo step each.
class SideFiles : public QObject {
  Q_OBJECT

 public:
  SideFiles(ExperimentEditor& editor, SourceWatch& watch, QObject* parent = nullptr);

  /// Files beside the data that the document does not name.
  [[nodiscard]] const std::vector<workspace::CatalogueProposal>& offers() const { return offers_; }
  /// Adds an offer, by its number.
  void accept(int offer);
  /// A file that was chosen, with what it probably tells; refused() if it is no table.
  void addCatalogue(const QString& file);
  void addVectors(const QString& file);
  /// Names of columns of a file that the document names; those that are not known are asked for.
  [[nodiscard]] QStringList columnsOf(const QString& path, const nlohmann::json& format);
  [[nodiscard]] bool looking() const { return finder_.running(); }

 signals:
  void offersChanged();
  void refused(const Error& error);
  /// An entry stands in the document now, at this pointer.
  void added(const QString& pointer);

 private:
  void look();
  void addCatalogue(const experiment::Catalogue& catalogue);
  /// The last entry of a list of the data set, "catalogues" or "vectors", becomes one of the
  /// document.
  void addLast(const char* list, const experiment::Dataset& dataset, const std::string& file);
  [[nodiscard]] const experiment::Dataset& dataset() const { return editor_.experiment().dataset; }

  ExperimentEditor& editor_;
  SourceWatch& watch_;
  std::vector<workspace::CatalogueProposal> offers_;
  std::string looked_;  ///< what the offers depend on
  std::map<std::string, QStringList> columns_;
  Background finder_{"find catalogues"}, opener_{"look at a file"};
};

}  // namespace parapet::ui
