// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>

namespace parapet::window {

/// Whether somebody sees what the program asks: not where it draws into memory.
bool canAsk();

/// Says that the last window ended while it started, and asks how to start: true for safe mode.
bool askForSafeMode();

/// Tells why a workspace cannot be opened and asks for another folder; nothing if the person quits.
/// Whoever starts the program from a desktop sees no terminal.
std::optional<QString> askForWorkspace(const QString& reason);

}  // namespace parapet::window
