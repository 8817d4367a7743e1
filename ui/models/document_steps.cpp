// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/document_steps.h"

namespace parapet::ui {
namespace {

// Longer, and two decisions of a user would become one step.
constexpr std::chrono::milliseconds kMergeWindow{1000};

}  // namespace

DocumentStep::DocumentStep(const QString& what, QString pointer, SharedDocument before,
                           SharedDocument after, Apply apply)
    : QUndoCommand(what),
      pointer_(std::move(pointer)),
      before_(std::move(before)),
      after_(std::move(after)),
      apply_(std::move(apply)) {}

bool DocumentStep::mergeWith(const QUndoCommand* other) {
  const auto* next = static_cast<const DocumentStep*>(other);
  if (next->pointer_ != pointer_ || next->at_ - at_ > kMergeWindow) return false;
  after_ = next->after_;
  at_ = next->at_;
  if (*after_ == *before_) setObsolete(true);
  return true;
}

}  // namespace parapet::ui
