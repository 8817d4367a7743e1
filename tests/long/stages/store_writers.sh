# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034
# Four programs train into one workspace at the same time; one of them is killed and resumed three
# times meanwhile. At the end the database must be sound and miss nothing of any run.

writer_epochs=60

stage_store_writers() {
  needs jq sqlite3 || return 0
  local rounds round
  rounds=$(share 10)
  for ((round = 1; round <= rounds; ++round)); do
    write_together "$folder/$round" "$round"
    progress "$round" "$rounds"
  done
  ran="$rounds rounds of 4 writers, one of them killed three times"
}

# start_writer WORKSPACE NUMBER
start_writer() {
  start "$1-$2.json" "$cli" --workspace "$1" --json --quiet train sample --seed "$2" \
    --epochs "$writer_epochs" --set "/name=writer-$2" --set /training/checkpoints/every=1
  writers[$2]=$started
}

write_together() {
  local workspace=$1 round=$2 victim=$((RANDOM % 4 + 1)) writer
  local -a writers=()
  for writer in 1 2 3 4; do start_writer "$workspace" "$writer"; done
  for _ in 1 2 3; do
    random_ms 800
    sleep_ms "$random"
    kill_writer "$workspace" "$victim"
  done
  for writer in 1 2 3 4; do
    finish "${writers[$writer]}"
    if ((status == 0)); then
      pass
    else
      flunk "round $round: writer $writer ended with status $status" \
        "$(cat "$workspace-$writer.json.err")"
    fi
  done
  check "round $round: the database is not sound" database_is_sound "$workspace/parapet.db"
}

# Kills a writer and starts it again: with its run, if it had come to have one.
kill_writer() {
  local id
  kill -KILL "${writers[$2]}" 2>/dev/null || true
  finish "${writers[$2]}"
  id=$("$cli" --workspace "$1" --json runs 2>/dev/null |
    jq -r --arg name "writer-$2" '.[] | select(.name == $name) | .run_id')
  if [[ -z $id ]]; then
    start_writer "$1" "$2"
  else
    start "$1-$2.json" "$cli" --workspace "$1" --json --quiet train --resume "$id"
    writers[$2]=$started
  fi
}

# Sound, every run over, and as many rows as it has epochs, steps and metrics of them.
database_is_sound() {
  local found
  found=$(sqlite3 "$1" "
    PRAGMA integrity_check;
    PRAGMA foreign_key_check;
    SELECT count(*) || ' runs' FROM runs;
    SELECT name || ' is ' || state || ' at epoch ' || epochs || ', step ' || steps || ' with ' ||
           kept_epochs || ' epochs, ' || kept_metrics || ' metrics, ' || kept_steps || ' steps'
    FROM (SELECT *,
            (SELECT count(*) FROM epochs WHERE run_id = runs.id) AS kept_epochs,
            (SELECT count(*) FROM epoch_metrics WHERE run_id = runs.id) AS kept_metrics,
            (SELECT count(*) FROM epoch_metrics WHERE run_id = runs.id AND epoch = 1) AS each,
            (SELECT sum(last_step - first_step + 1) FROM steps WHERE run_id = runs.id) AS kept_steps
          FROM runs)
    WHERE state <> 'Finished' OR epochs <> $writer_epochs OR kept_epochs <> epochs OR each = 0
       OR kept_metrics <> epochs * each OR steps <> epochs * steps_per_epoch
       OR kept_steps IS NOT steps;")
  [[ $found == $'ok\n4 runs' ]] && return
  printf '%s\n' "$found" >&2
  return 1
}
