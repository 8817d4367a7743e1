// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/severity.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <QStringList>

#include "ui/bridge/shown_text.h"

namespace parapet::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("Severity", text);
}

bool isDark(const QPalette& palette) {
  return palette.color(QPalette::Base).lightness() < 128;
}

void paintProblem(QPainter& painter, const QColor& color) {
  painter.setBrush(color);
  painter.drawEllipse(QRectF(3, 3, 26, 26));
  painter.setPen(QPen(Qt::white, 4, Qt::SolidLine, Qt::RoundCap));
  painter.drawLine(QPointF(11, 11), QPointF(21, 21));
  painter.drawLine(QPointF(21, 11), QPointF(11, 21));
}

void paintWarning(QPainter& painter, const QColor& color) {
  QPainterPath triangle(QPointF(16, 3));
  triangle.lineTo(30, 28);
  triangle.lineTo(2, 28);
  triangle.closeSubpath();
  painter.fillPath(triangle, color);
  painter.setPen(QPen(Qt::white, 4, Qt::SolidLine, Qt::RoundCap));
  painter.drawLine(QPointF(16, 12), QPointF(16, 19));
  painter.drawPoint(QPointF(16, 24));
}

}  // namespace

Severity severityOf(const experiment::Findings& findings) {
  if (!findings.problems.empty()) return Severity::kProblem;
  return findings.warnings.empty() ? Severity::kNone : Severity::kWarning;
}

QString severityName(Severity severity) {
  if (severity == Severity::kNone) return {};
  return severity == Severity::kProblem ? tr("Problem") : tr("Warning");
}

QColor severityColor(const QPalette& palette, Severity severity) {
  if (severity == Severity::kNone) return palette.color(QPalette::Text);
  if (severity == Severity::kProblem) return isDark(palette) ? "#ff6b63" : "#b3261e";
  return isDark(palette) ? "#f0b040" : "#8a5a00";
}

QIcon severityIcon(const QPalette& palette, Severity severity) {
  if (severity == Severity::kNone) return {};
  QPixmap pixmap(32, 32);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  const QColor color = severityColor(palette, severity);
  severity == Severity::kProblem ? paintProblem(painter, color) : paintWarning(painter, color);
  return pixmap;
}

QString problemText(const experiment::Problem& problem) {
  QString text = shownText(problem.message);
  if (!problem.pointer.empty()) text.prepend(shownText(problem.pointer) + QStringLiteral(": "));
  if (!problem.accepted.empty()) text += tr("; accepted: %1").arg(shownText(problem.accepted));
  return text;
}

QString findingsText(const experiment::Findings& findings) {
  QStringList lines;
  for (const auto* list : {&findings.problems, &findings.warnings})
    for (const experiment::Problem& problem : *list) {
      const QString message = shownText(problem.message);
      lines << (problem.accepted.empty()
                    ? message
                    : tr("%1. Accepted: %2").arg(message, shownText(problem.accepted)));
    }
  return lines.join('\n');
}

}  // namespace parapet::ui
