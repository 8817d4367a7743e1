// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/memory_text.h"

#include <QCoreApplication>
#include <algorithm>

#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("MemoryText", text);
}

}  // namespace

QString memoryText(const workspace::Preflight& preflight) {
  if (preflight.ranks.empty()) return tr("Sizes are known once the problems are fixed.");
  const auto bytes = [](std::uint64_t count) { return QString::fromStdString(formatBytes(count)); };
  const bool unknown =
      std::ranges::any_of(preflight.tables, [](const auto& table) { return table.rows < 0; });
  QString text = tr("Parameters with optimizer state %1, step buffers %2, total %3")
                     .arg(bytes(preflight.parameterBytes), bytes(preflight.activationBytes),
                          bytes(preflight.totalBytes));
  if (preflight.cachedTableBytes > 0)
    text += tr(", of it %1 in the host's memory").arg(bytes(preflight.cachedTableBytes));
  else if (const std::uint64_t memory = physicalMemoryBytes(); memory > 0)
    text += tr(" of %1 memory").arg(bytes(memory));
  return unknown ? text + tr(", and tables whose rows are known after the import") : text;
}

}  // namespace parapet::ui
