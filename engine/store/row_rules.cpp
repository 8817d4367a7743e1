// SPDX-License-Identifier: Apache-2.0
#include "engine/store/row_rules.h"

#include <array>

namespace parapet::store {
namespace {

#define ALL_STATES                                                                              \
  "('Queued','Running','Paused','Finished','Stopped','Failed','Crashed','Diverged','DiskFull'," \
  "'DeviceLost')"
#define LIVE_STATES "('Queued','Running','Paused')"

constexpr auto kRules = std::to_array<RowRule>({
    {"runs", "length(id)<>12 OR id GLOB '*[^0-9a-f]*'", "the id is not 12 lower-case hex digits",
     nullptr},
    {"runs", "state NOT IN " ALL_STATES, "the state is none that a run can have",
     "SET state='Crashed'"},
    {"runs", "state NOT IN " LIVE_STATES " AND ended_ms<=0", "the run has ended at no time",
     "SET ended_ms=max(heartbeat_ms, 1)"},
    {"runs", "state IN " LIVE_STATES " AND ended_ms<>0", "the run has ended and goes on",
     "SET ended_ms=0"},
    {"runs", "created_ms<=0", "it was created at no time", "SET created_ms=max(heartbeat_ms, 1)"},
    {"runs", "created_ms > 1000*(strftime('%s','now')+86400)", "it was created in the future",
     "SET created_ms=1000*strftime('%s','now')"},
    {"runs", "total_epochs<0 OR steps_per_epoch<0", "it has less than 0 epochs or steps",
     "SET total_epochs=max(total_epochs, 0), steps_per_epoch=max(steps_per_epoch, 0)"},
    {"runs", "epochs<>(SELECT coalesce(max(epoch), 0) FROM epochs WHERE run_id=id)",
     "the count of its epochs is not the last one recorded",
     "SET epochs=(SELECT coalesce(max(epoch), 0) FROM epochs WHERE run_id=id)"},
    {"runs", "steps<(SELECT coalesce(max(last_step), 0) FROM steps WHERE run_id=id)",
     "the count of its steps is below the last one recorded",
     "SET steps=(SELECT coalesce(max(last_step), 0) FROM steps WHERE run_id=id)"},
    {"runs", "NOT (seconds>=0 AND seconds<9e99 AND train_seconds>=0 AND train_seconds<9e99)",
     "it took less than no time", "SET seconds=0, train_seconds=0"},
    {"runs", "trashed NOT IN (0, 1)", "the mark of the trash is neither 0 nor 1", "SET trashed=0"},
    {"runs", "started_json<>'' AND NOT json_valid(started_json)", "started_json is not JSON",
     "SET started_json=''"},
    {"runs", "test_json<>'' AND NOT json_valid(test_json)", "test_json is not JSON",
     "SET test_json=''"},
    {"runs",
     "best_epoch IS NOT NULL AND NOT EXISTS (SELECT 1 FROM epochs LEFT JOIN epoch_metrics"
     " ON epoch_metrics.run_id=epochs.run_id AND epoch_metrics.epoch=epochs.epoch"
     " WHERE epochs.run_id=id AND epochs.epoch=best_epoch AND epochs.step=best_step AND"
     " (key=best_metric AND value=best_value OR best_metric='loss' AND loss=best_value))",
     "its best epoch is none that was recorded",
     "SET best_value=NULL, best_epoch=NULL, best_step=NULL"},
    {"runs", "NOT EXISTS (SELECT 1 FROM documents WHERE run_id=id)", "it has no document", nullptr},
    {"documents", "NOT json_valid(experiment)", "the document is not JSON",
     "SET experiment='{}', hash=''"},
    {"epochs", "epoch<1 OR step<0", "an epoch below 1 or a step below 0", nullptr},
    {"epochs", "abs(loss)>9e99 OR abs(seconds)>9e99 OR abs(learning_rate)>9e99",
     "an infinite number", nullptr},
    {"epochs", "seconds<0 OR train_seconds<0 OR ms_per_step<0 OR examples_per_second<0",
     "less than no time", nullptr},
    {"epochs", "time_json<>'' AND NOT json_valid(time_json)", "time_json is not JSON",
     "SET time_json=''"},
    {"epoch_metrics", "position<0 OR key=''", "a metric without a name", nullptr},
    {"steps", "first_step<1 OR last_step<first_step OR epoch<1", "steps that are none", nullptr},
    {"steps", "min>max OR last<min OR last>max", "a least loss above the greatest", nullptr},
    {"steps", "non_finite<0 OR non_finite>last_step-first_step+1",
     "more losses that are not finite than steps", nullptr},
    {"steps",
     "EXISTS (SELECT 1 FROM steps AS other WHERE other.run_id=steps.run_id AND"
     " other.last_step>steps.last_step AND other.first_step<=steps.last_step)",
     "steps that are recorded twice", nullptr},
    {"checkpoints", "step<0 OR epoch<0 OR bytes<0 OR best NOT IN (0, 1) OR path=''",
     "a checkpoint that cannot be", nullptr},
    {"events", "kind NOT IN ('warning','state','checkpoint','started','ended') OR wall_ms<=0",
     "an event of no known kind or time", nullptr},
    {"requests", "kind NOT IN ('pause','resume','stop')", "a request of no known kind", nullptr},
});

}  // namespace

std::span<const RowRule> rowRules() {
  return kRules;
}

}  // namespace parapet::store
