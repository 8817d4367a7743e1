// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/problems_model.h"

#include <QGuiApplication>
#include <QObject>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <QStringList>
#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/models/setting_names.h"

namespace parapet::ui {
namespace {

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

/// Every fix is tried on the document; nobody reads the buttons of a hundred rows.
constexpr std::size_t kMaxFixedRows = 12;

}  // namespace

Severity severityOf(const experiment::Findings& findings) {
  if (!findings.problems.empty()) return Severity::kProblem;
  return findings.warnings.empty() ? Severity::kNone : Severity::kWarning;
}

QString severityName(Severity severity) {
  if (severity == Severity::kNone) return {};
  return severity == Severity::kProblem ? QObject::tr("Problem") : QObject::tr("Warning");
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

QString locationOf(const experiment::Problem& problem, const nlohmann::ordered_json& document) {
  if (problem.pointer.empty()) return QObject::tr("Document");
  const SettingName name = settingName(problem.pointer, document);
  return shownText(name.section + QStringLiteral(" › ") + name.name);
}

QString problemText(const experiment::Problem& problem, const nlohmann::ordered_json& document) {
  QString text = shownText(problem.message);
  if (!problem.pointer.empty()) text.prepend(locationOf(problem, document) + QStringLiteral(": "));
  if (!problem.accepted.empty())
    text += QObject::tr("; accepted: %1").arg(shownText(problem.accepted));
  return text;
}

QString findingsText(const experiment::Findings& findings) {
  QStringList lines;
  for (const auto* list : {&findings.problems, &findings.warnings})
    for (const experiment::Problem& problem : *list) {
      const QString message = shownText(problem.message);
      lines << (problem.accepted.empty()
                    ? message
                    : QObject::tr("%1. Accepted: %2").arg(message, shownText(problem.accepted)));
    }
  return lines.join('\n');
}

ProblemsModel::ProblemsModel(ExperimentEditor& editor, QObject* parent)
    : RowsModel(parent), editor_(editor) {
  std::vector<RowsColumn<ProblemRow>> columns{
      {.title = tr("Kind"),
       .text = [](const ProblemRow& of, int) { return severityName(of.severity); }},
      {.title = tr("Location"),
       .text = [this](const ProblemRow& of, int) { return locationOf(of.problem, document_); }},
      {.title = tr("Problem"),
       .text = [](const ProblemRow& of,
                  int) { return QString::fromStdString(of.problem.message); }},
      {.title = tr("Accepted"),
       .text = [](const ProblemRow& of,
                  int) { return QString::fromStdString(of.problem.accepted); }},
      {.title = tr("Fix"),
       .text =
           [](const ProblemRow& of, int) {
             QStringList labels;
             for (const experiment::Fix& fix : of.fixes)
               labels << QString::fromStdString(fix.label);
             return labels.join(QStringLiteral(" · "));
           }},
  };
  for (RowsColumn<ProblemRow>& column : columns) column.toolTip = column.text;
  columns[kLocation].toolTip = [](const ProblemRow& of, int) {
    return QString::fromStdString(of.problem.pointer);
  };
  setColumns(std::move(columns));
  connect(&editor, &ExperimentEditor::findingsChanged, this, &ProblemsModel::follow);
  follow();
}

QVariant ProblemsModel::more(const ProblemRow& row, int column, int role) const {
  if (role == kPointerRole) return QString::fromStdString(row.problem.pointer);
  if (role == Qt::DecorationRole && column == kSeverity)
    return severityIcon(QGuiApplication::palette(), row.severity);
  return {};
}

void ProblemsModel::apply(const experiment::Fix& fix) {
  nlohmann::json document(editor_.document());
  document = document.patch(fix.patch);
  editor_.setValue({}, document, shownText(fix.label));
}

void ProblemsModel::follow() {
  std::vector<ProblemRow> next;
  for (const auto& problem : editor_.findings().problems)
    next.push_back({Severity::kProblem, problem});
  for (const auto& problem : editor_.findings().warnings)
    next.push_back({Severity::kWarning, problem});
  const auto same = [](const ProblemRow& a, const ProblemRow& b) {
    return a.severity == b.severity && a.problem == b.problem;
  };
  if (std::ranges::equal(next, rows(), same) && document_ == editor_.document()) return;
  document_ = editor_.document();
  // Text that is no JSON has to be typed right first.
  if (!next.empty() && !editor_.draftError()) {
    const experiment::Fixes fixes{nlohmann::json(document_)};
    for (std::size_t row = 0; row < std::min(next.size(), kMaxFixedRows); ++row)
      next[row].fixes = fixes.of(next[row].problem);
  }
  replaceRows(std::move(next));
}

}  // namespace parapet::ui
