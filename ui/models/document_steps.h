// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QUndoCommand>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

namespace parapet::ui {

using Document = nlohmann::ordered_json;
using SharedDocument = std::shared_ptr<const Document>;

/// One step of the undo history: the document before and after. Documents are some kilobytes, and
/// steps share them, so whole documents are kept and no step can be undone wrongly.
class DocumentStep : public QUndoCommand {
 public:
  using Apply = std::function<void(const SharedDocument&)>;
  /// `pointer` names what changed; "" for changes that never merge.
  DocumentStep(const QString& what, QString pointer, SharedDocument before, SharedDocument after,
               Apply apply);

  void undo() override { apply_(before_); }
  void redo() override { apply_(after_); }
  [[nodiscard]] int id() const override { return pointer_.isEmpty() ? -1 : 1; }
  /// Merges changes of one field that follow each other within a second.
  bool mergeWith(const QUndoCommand* other) override;

 private:
  QString pointer_;
  SharedDocument before_, after_;
  Apply apply_;
  std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::now();
};

}  // namespace parapet::ui
