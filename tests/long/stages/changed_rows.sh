# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034
# Rows of a run are changed behind the program's back: its document, an epoch, a metric, its
# result, a row that is gone, bits of the file. Whoever asks for the run gets what was stored, or is told;
# no repair makes a changed thing right.

changed_kinds=(document document-alone epoch metric result lost-epoch bits)
flipped_bits=20

stage_changed_rows() {
  needs jq sqlite3 od || return 0
  local rounds round kind
  rounds=$(share 140)
  start "$folder/train.json" "$cli" --workspace "$folder/sound" --json --quiet train sample \
    --seed $((seed % 1000000)) --epochs 4 --set /training/checkpoints/every=1
  finish "$started"
  ((status == 0)) || { flunk "the run fails" "$(cat "$folder/train.json.err")"; return; }
  sqlite3 "$folder/sound/parapet.db" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
  show_run "$folder/sound"
  stored_content "$folder/shown.json" >"$folder/stored"
  for ((round = 1; round <= rounds; ++round)); do
    kind=${changed_kinds[round % ${#changed_kinds[@]}]}
    rm -rf "$folder/changed"
    cp -a "$folder/sound" "$folder/changed"
    change_stored "$kind" "$folder/changed"
    look_at_changed "$kind" "round $round: $changed"
    progress "$round" "$rounds"
  done
  ran="$rounds changes of ${#changed_kinds[@]} kinds"
}

# show_run WORKSPACE: the answer is in shown.json, the exit code in $status.
show_run() {
  start "$folder/shown.json" "$cli" --workspace "$1" --json show latest
  finish "$started"
}

# The fields that must not change by themselves.
stored_content() {
  jq -S '{document, state, steps, test, epochs: [.epochs[] |
    del(.seconds, .train_seconds, .ms_per_step, .examples_per_second, .time_use)]}' "$1"
}

# change_stored KIND WORKSPACE; what was done is in $changed.
change_stored() {
  local database=$2/parapet.db epoch=$((RANDOM % 4 + 1)) setting at
  local -a settings=(optimizer.learning_rate training.seed dataset.batch.size loss.temperature)
  local -a columns=(step loss loss_as_displayed learning_rate rules)
  case $1 in
    document | document-alone)
      setting=${settings[RANDOM % ${#settings[@]}]}
      changed="$1, $setting"
      sqlite3 "$database" "UPDATE documents SET experiment = json_set(experiment, '\$.$setting',
        json_extract(experiment, '\$.$setting') + 1)"
      [[ $1 == document ]] || rm -rf "$2"/checkpoints/*
      ;;
    epoch)
      setting=${columns[RANDOM % ${#columns[@]}]}
      changed="$1 $epoch, $setting"
      sqlite3 "$database" "UPDATE epochs SET $setting = $setting + 1 WHERE epoch = $epoch"
      ;;
    metric)
      changed="$1 of epoch $epoch"
      sqlite3 "$database" "UPDATE epoch_metrics SET value = value + 0.001 WHERE epoch = $epoch
        AND position = (SELECT max(position) FROM epoch_metrics WHERE epoch = $epoch)"
      ;;
    result)
      changed=$1
      sqlite3 "$database" "UPDATE runs SET test_json = replace(test_json, '0.', '1.')"
      ;;
    lost-epoch)
      changed="$1 $epoch"
      sqlite3 "$database" "DELETE FROM epochs WHERE epoch = $epoch"
      ;;
    bits)
      changed="$flipped_bits bits of the file"
      for ((at = 0; at < flipped_bits; ++at)); do flip_bit "$database"; done
      ;;
  esac
}

# flip_bit FILE: one at random, but for the head of the file, which is no row.
flip_bit() {
  local bytes at byte
  bytes=$(stat -c %s "$1")
  at=$((100 + (RANDOM * 32768 + RANDOM) % (bytes - 100)))
  byte=$(od -An -tu1 -j "$at" -N 1 "$1")
  byte=$((byte ^ (1 << RANDOM % 8)))
  # shellcheck disable=SC2059  # the byte is the format
  printf "\\x$(printf %02x "$byte")" | dd of="$1" bs=1 seek="$at" conv=notrunc status=none
}

# look_at_changed KIND WHAT: one case, and another for a repair.
look_at_changed() {
  show_run "$folder/changed"
  if ((status == 0)) && [[ ! -s $folder/shown.json.err ]] &&
    ! cmp -s <(stored_content "$folder/shown.json") "$folder/stored"; then
    flunk "$2: show gives another content without a word" \
      "$(diff <(stored_content "$folder/shown.json") "$folder/stored" | head -n 10)"
    return
  fi
  pass
  case $1 in
    document-alone)
      start "$folder/answer" "$cli" --workspace "$folder/changed" --quiet evaluate latest
      finish "$started"
      check "$2: evaluate answers" test "$status" -ne 0
      ;;
    epoch | metric | result | lost-epoch)
      start "$folder/answer" "$cli" --workspace "$folder/changed" doctor --repair
      finish "$started"
      start "$folder/answer" "$cli" --workspace "$folder/changed" doctor
      finish "$started"
      check "$2: a repair makes it right" test "$status" -ne 0
      ;;
  esac
}
