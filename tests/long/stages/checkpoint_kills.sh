# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034
# A process that commits checkpoints without end is killed within a commit, again and again. The
# newest committed checkpoint must open with the content of its step, and nothing half-written may.

stage_checkpoint_kills() {
  local program=$root/build/release/tests/test_checkpoint_faults output=$folder/output rounds
  [[ -x $program ]] || { skip "test_checkpoint_faults is not built"; return; }
  rounds=$(share 200)
  # Qt Test's own limit is five minutes a case, however long the case is meant to be.
  start "$output" env PARAPET_KILL_ROUNDS="$rounds" QTEST_FUNCTION_TIMEOUT=3600000 \
    "$program" kill9MidCheckpoint
  while kill -0 "$started" 2>/dev/null; do
    progress "$(rounds_begun "$output")" "$rounds"
    sleep 0.5
  done
  finish "$started"
  ran="$(rounds_begun "$output") kills within a commit"
  if ((status == 0)); then
    pass "$rounds"
  else
    flunk "round $(rounds_begun "$output") of $rounds" "$(grep -A2 '^FAIL' "$output")"
  fi
}

rounds_begun() { grep -c ' round [0-9]* of ' "$1" || true; }
