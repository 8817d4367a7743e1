# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034
# A training in the terminal is killed at random moments and resumed until it is over. After every
# kill the workspace must be well and the run must not count as alive for ever; at the end it must
# have the bits that it would have had without.

stage_run_kills() {
  needs jq sqlite3 || return 0
  local kills run=0
  kills=$(share 50)
  killed=0
  while ((killed < kills)) && ((failed == 0)); do kill_one_run $((++run)) "$kills"; done
  ran="$killed kills in $run runs"
}

# kill_one_run NUMBER KILLS: a run of its own seed, from its start to its end.
kill_one_run() {
  local workspace=$folder/run-$1 straight=$folder/straight-$1 kills=$2 id='' began span
  local -a training=(train sample --seed $((seed % 1000000 + $1)) --epochs 100
    --set /dataset/generator/events=60000 --set /training/checkpoints/every=1)
  began=${EPOCHREALTIME/./}
  start "$straight.json" "$cli" --workspace "$straight" --json --quiet "${training[@]}"
  finish "$started"
  ((status == 0)) || { flunk "run $1 fails undisturbed" "$(cat "$straight.json.err")"; return; }
  span=$(((${EPOCHREALTIME/./} - began) / 3000 + 1))  # a third, so that most runs die more than once
  for (( ; ; )); do
    local -a next=("${training[@]}")
    [[ -z $id ]] || next=(train --resume "$id")
    start "$workspace.json" "$cli" --workspace "$workspace" --json --quiet "${next[@]}"
    if ((killed < kills)); then
      random_ms "$span"
      sleep_ms "$random"
      kill -KILL "$started" 2>/dev/null || true
    fi
    finish "$started"
    ((status == 137)) || break
    progress $((++killed)) "$kills"
    look_after_kill "$workspace" || return 0
  done
  ((status == 0)) || { flunk "run $1 is not resumed" "$(cat "$workspace.json.err")"; return; }
  check "run $1 ends with other numbers than without kills" \
    diff <(numbers "$straight.json") <(numbers "$workspace.json") >&2
  check "run $1 ends with other weights than without kills" \
    cmp "$(tensors "$straight.json")" "$(tensors "$workspace.json")"
}

# What a run has measured, without what it took. An epoch is judged against the baselines that are fitted by its end, which
# depends on when the run was killed; the last one is judged against all.
numbers() {
  jq '.state, .steps, .test, ((.epochs[:-1][] | del(.verdicts)), .epochs[-1] |
    del(.seconds, .train_seconds, .ms_per_step, .examples_per_second, .time_use))' "$1"
}

tensors() { jq -r '.checkpoint + "/tensors.safetensors"' "$1"; }

# look_after_kill WORKSPACE: one case; the run is in $id, empty if it was killed before it was one.
look_after_kill() {
  local health state
  if ! health=$("$cli" --workspace "$1" --json doctor 2>/dev/null); then
    flunk "the workspace is not well after kill $killed" "$health"
    return 1
  fi
  if [[ -n $(find "$1" -name '*.tmp') ]]; then
    flunk "half a checkpoint is left after kill $killed"
    return 1
  fi
  ((killed % 2 == 0)) || lose_heartbeat "$1"
  read -r id state < <("$cli" --workspace "$1" --json runs 2>/dev/null |
    jq -r '.[] | "\(.run_id) \(.state)"') || { id='' state=none; }
  case $((killed % 2))/$state in
    */none | */Finished | */Crashed | 0/Queued | 0/Running) pass ;;
    *) flunk "the run is $state after kill $killed"; return 1 ;;
  esac
}

# A killed run counts as crashed when its heartbeat is ten seconds old. The first time that is waited
# for; later ones set the heartbeat back instead. Every other kill does neither: a run must also be
# resumed at once.
lose_heartbeat() {
  if ((killed == 1)); then
    sleep 11
  else
    sqlite3 "$1/parapet.db" 'UPDATE runs SET heartbeat_ms = heartbeat_ms - 11000'
  fi
}
