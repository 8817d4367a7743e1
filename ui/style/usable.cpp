// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/usable.h"

#include <QVariant>

namespace parapet::ui {
namespace {

constexpr const char* kReason = "whyDisabled";
constexpr const char* kOwnTip = "toolTipWhenEnabled";

template <class Control>
void setUsableOf(Control& control, bool usable, const QString& reason) {
  const QString before = whyDisabled(control);
  // Between two calls other code may have set another tooltip.
  const bool isExtended = !before.isEmpty() && control.toolTip().endsWith(before);
  const QString own = isExtended ? control.property(kOwnTip).toString() : control.toolTip();
  control.setProperty(kOwnTip, own);
  control.setProperty(kReason, usable ? QString() : reason);
  control.setEnabled(usable);
  control.setToolTip(usable || reason.isEmpty() ? own
                     : own.isEmpty()            ? reason
                                                : own + QLatin1Char('\n') + reason);
}

}  // namespace

void setUsable(QWidget& control, bool usable, const QString& reason) {
  setUsableOf(control, usable, reason);
}

void setUsable(QAction& action, bool usable, const QString& reason) {
  setUsableOf(action, usable, reason);
}

QString whyDisabled(const QObject& control) {
  return control.property(kReason).toString();
}

}  // namespace parapet::ui
