# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034
# `doctor --repair` beside a program that makes its workspace or trains in it: it must find nothing to
# repair, and must not put another database in the place of the one that is in use.

stage_repair_races() {
  needs jq sqlite3 || return 0
  local races race
  races=$(share 100)
  for ((race = 1; race <= races; ++race)); do
    repair_beside_training "$folder/$race" "$race"
    rm -rf "${folder:?}/$race"
    progress "$race" "$races"
  done
  ran="$races repairs beside a program that makes a workspace"
}

# repair_beside_training WORKSPACE RACE
repair_beside_training() {
  local training state
  start "$folder/train.json" "$cli" --workspace "$1" --json --quiet train sample \
    --seed $((seed % 1000000 + $2)) --epochs 2 --set /dataset/generator/events=2000
  training=$started
  random_ms 80
  sleep_ms "$random"
  start "$folder/doctor" "$cli" --workspace "$1" doctor --repair
  finish "$started"
  if grep -q 'built again' "$folder/doctor"; then
    flunk "race $2: the database of a living program was built again" "$(cat "$folder/doctor")"
    finish "$training"
    return
  fi
  finish "$training"
  if ((status != 0)); then
    flunk "race $2: the training ended with status $status" "$(cat "$folder/train.json.err")"
    return
  fi
  state=$(sqlite3 "$1/parapet.db" 'PRAGMA integrity_check; SELECT state, count(*) FROM runs')
  if [[ $state == $'ok\nFinished|1' ]]; then pass; else flunk "race $2: the database holds $state"; fi
}
