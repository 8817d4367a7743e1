// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/line_icon.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

// The resources lie in a static library; without this call the linker would leave them out. The
// macro must stand outside of any namespace.
static void initIconResources() {
  Q_INIT_RESOURCE(icons);
  Q_INIT_RESOURCE(docs);
}

namespace parapet::ui {
namespace {

void loadResources() {
  static const bool kReady = (initIconResources(), true);
  (void)kReady;
}

QByteArray drawing(const QString& name) {
  loadResources();
  QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QColor colorFor(QIcon::Mode mode, QIcon::State state) {
  const QPalette palette = QApplication::palette();
  if (mode == QIcon::Disabled) return palette.color(QPalette::Disabled, QPalette::WindowText);
  if (mode == QIcon::Selected) return palette.color(QPalette::HighlightedText);
  if (state == QIcon::On) return palette.color(QPalette::Link);
  return palette.color(QPalette::WindowText);
}

/// Draws the lines in the colour that the palette has now.
class LineIconEngine final : public QIconEngine {
 public:
  explicit LineIconEngine(QString name) : name_(std::move(name)) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
    const qreal ratio = painter->device() ? painter->device()->devicePixelRatio() : 1.0;
    painter->drawPixmap(rect, scaledPixmap(rect.size() * ratio, mode, state, ratio));
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    return scaledPixmap(size, mode, state, 1.0);
  }

  QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state,
                       qreal scale) override {
    const QColor color = colorFor(mode, state);
    const QString key = QStringLiteral("parapet-icon/%1/%2/%3x%4")
                            .arg(name_, color.name())
                            .arg(size.width())
                            .arg(size.height());
    QPixmap picture;
    if (!QPixmapCache::find(key, &picture)) {
      picture = QPixmap(size);
      picture.fill(Qt::transparent);
      const QByteArray svg = drawing(name_).replace("#000000", color.name().toLatin1());
      if (QSvgRenderer renderer(svg); renderer.isValid()) {
        QPainter painter(&picture);
        renderer.render(&painter);
      }
      QPixmapCache::insert(key, picture);
    }
    picture.setDevicePixelRatio(scale);
    return picture;
  }

  QString key() const override { return QStringLiteral("parapet-line-icon"); }
  QIconEngine* clone() const override { return new LineIconEngine(*this); }
  bool isNull() override { return false; }

 private:
  QString name_;
};

}  // namespace

QIcon lineIcon(const QString& name) {
  return QIcon(new LineIconEngine(name));
}

QIcon programIcon() {
  loadResources();
  QIcon icon;
  QSvgRenderer renderer(QStringLiteral(":/org.parapet.Parapet.svg"));
  for (const int size : {16, 32, 48, 128, 256}) {
    QPixmap picture(size, size);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    renderer.render(&painter);
    painter.end();
    icon.addPixmap(picture);
  }
  return icon;
}

}  // namespace parapet::ui
