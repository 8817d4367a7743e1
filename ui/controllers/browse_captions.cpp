// SPDX-License-Identifier: GPL-3.0-or-later
// Lines over lists: what was left out, where a list comes from, in which context it is.
#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/controllers/browse_session.h"

namespace parapet::ui {

using retrieval::ContextValue;
using retrieval::Recommender;
using retrieval::SeenItems;

namespace {

QString valueText(const ContextValue& value) {
  const QString text = shownText(value.value);
  return text.isEmpty() ? BrowseSession::tr("unknown") : text;
}

}  // namespace

QString seenText(SeenItems seen) {
  switch (seen) {
    case SeenItems::kKeep:
      return BrowseSession::tr("seen items kept");
    case SeenItems::kExcludeTrain:
      return BrowseSession::tr("training items excluded");
    case SeenItems::kExcludeAll:
      break;
  }
  return BrowseSession::tr("all rated items excluded");
}

QString provenanceText(const Recommender& model, const QString& runName, std::int64_t candidates,
                       SeenItems seen) {
  return BrowseSession::tr("%1 · step %2 · data %3\n%4 candidates, %5")
      .arg(runName, QString::fromStdString(formatCount(model.model().step)),
           QString::fromStdString(model.dataset().hash().substr(0, 8)),
           QString::fromStdString(formatCount(candidates)), seenText(seen));
}

QString contextText(const std::vector<ContextValue>& context, bool hasLastRow) {
  QStringList given, last;
  for (const ContextValue& value : context)
    (value.given ? given : last) << QStringLiteral("%1 %2").arg(shownText(value.name),
                                                                valueText(value));
  if (!last.isEmpty())
    given << (hasLastRow ? BrowseSession::tr("%1 (as in the last row)")
                         : BrowseSession::tr("%1 (the most frequent)"))
                 .arg(last.join(QStringLiteral(" · ")));
  return given.join(QStringLiteral(" · "));
}

}  // namespace parapet::ui
