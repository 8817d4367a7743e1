// SPDX-License-Identifier: GPL-3.0-or-later
// The context menu of a CurvePlot, and its pictures and files.
#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QSvgGenerator>

#include "engine/base/files.h"
#include "engine/base/quoting.h"
#include "ui/plots/curve_export.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/curve_plot_parts.h"

namespace parapet::ui {
namespace {

/// Pictures are made for documents: twice the pixels of the screen.
constexpr double kPictureScale = 2.0;

Status writeSvg(QCustomPlot& plot, const QString& path) {
  QSvgGenerator generator;
  generator.setFileName(path);
  generator.setSize(plot.size());
  generator.setViewBox(QRect(QPoint(0, 0), plot.size()));
  QCPPainter painter;
  if (!painter.begin(&generator))
    return Error{ErrorCode::kIo, "[plots.export] cannot write the picture", {}, path.toStdString()};
  painter.setMode(QCPPainter::pmVectorized);
  plot.toPainter(&painter, plot.width(), plot.height());
  painter.end();
  return {};
}

}  // namespace

void CurvePlot::buildActions() {
  const auto make = [this](const QString& text, const QKeySequence& keys) {
    auto* action = new QAction(text, this);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(action);
    return action;
  };
  Parts& p = *parts_;
  p.back = make(tr("Zoom back"), QKeySequence(Qt::ALT | Qt::Key_Left));
  connect(p.back, &QAction::triggered, this, &CurvePlot::zoomBack);
  p.forward = make(tr("Zoom forward"), QKeySequence(Qt::ALT | Qt::Key_Right));
  connect(p.forward, &QAction::triggered, this, &CurvePlot::zoomForward);
  connect(make(tr("Show everything"), QKeySequence(Qt::Key_Home)), &QAction::triggered, this,
          &CurvePlot::zoomReset);
  p.log = make(tr("Logarithmic"), QKeySequence(Qt::Key_L));
  p.log->setCheckable(true);
  connect(p.log, &QAction::toggled, this, &CurvePlot::setLogarithmic);
  connect(make(tr("Copy picture"), QKeySequence::Copy), &QAction::triggered, this,
          &CurvePlot::copyPicture);
  connect(make(tr("Copy data"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)),
          &QAction::triggered, this, &CurvePlot::copyData);
  connect(make(tr("Export…"), QKeySequence()), &QAction::triggered, this, &CurvePlot::chooseExport);
  setContextMenuPolicy(Qt::ActionsContextMenu);
  const auto enable = [this] {
    parts_->back->setEnabled(parts_->zoom.canGoBack());
    parts_->forward->setEnabled(parts_->zoom.canGoForward());
  };
  connect(this, &CurvePlot::zoomChanged, this, enable);
  enable();
}

Result<std::string> CurvePlot::exportTo(const QString& path) {
  Parts& p = *parts_;
  const QString ending = QFileInfo(path).suffix().toLower();
  if (ending == QLatin1String("csv") || ending == QLatin1String("json")) emit dataWanted();
  if (ending == QLatin1String("csv")) {
    const std::string csv = curvesAsCsv(p.series());
    PARAPET_TRY(writeFileAtomically(path.toStdString(), csv));
    return formulaNote(csv);
  }
  if (ending == QLatin1String("json")) {
    PARAPET_TRY(writeFileAtomically(path.toStdString(), curvesAsJson(p.series())));
    return std::string();
  }
  p.crosshair->hide();
  refreshNow();
  if (ending == QLatin1String("svg")) {
    PARAPET_TRY(writeSvg(*p.plot, path));
    return std::string();
  }
  bool written = false;
  if (ending == QLatin1String("png"))
    written = p.plot->savePng(path, 0, 0, kPictureScale);
  else if (ending == QLatin1String("pdf"))
    written = p.plot->savePdf(path);
  else
    return Error{ErrorCode::kInvalidDocument,
                 "[plots.export] file ending \"" + ending.toStdString() +
                     "\"; accepted are png, pdf, svg, csv, json",
                 {},
                 path.toStdString()};
  if (!written)
    return Error{ErrorCode::kIo, "[plots.export] cannot write the picture", {}, path.toStdString()};
  return std::string();
}

void CurvePlot::copyPicture() {
  parts_->crosshair->hide();
  refreshNow();
  QGuiApplication::clipboard()->setPixmap(parts_->plot->toPixmap(0, 0, kPictureScale));
}

void CurvePlot::copyData() {
  emit dataWanted();
  const std::string csv = curvesAsCsv(parts_->series());
  QGuiApplication::clipboard()->setText(QString::fromStdString(csv));
  if (std::string note = formulaNote(csv); !note.empty())
    emit failed({ErrorCode::kData, std::move(note)});
}

void CurvePlot::chooseExport() {
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Export plot"), QStringLiteral("%1.png").arg(parts_->quantity),
      tr("Picture (*.png *.pdf *.svg);;Data (*.csv *.json)"));
  if (path.isEmpty()) return;
  const Result<std::string> note = exportTo(path);
  if (!note)
    emit failed(note.error());
  else if (!note->empty())
    emit failed({ErrorCode::kData, *note});
}

}  // namespace parapet::ui
