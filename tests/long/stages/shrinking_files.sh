# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034
# A file shrinks while a program reads it: a source under an import, as log rotation with copytruncate
# does it, and a column of a data set under a training. The program must end with an error that names the
# file, or well if it was past it; never by a signal.

stage_shrinking_files() {
  needs jq || return 0
  local rounds round
  rounds=$(share 20)
  awk -v seed="$seed" 'BEGIN {
    srand(seed); print "user,item,rating"
    for (i = 0; i < 400000; ++i) print "u" int(rand() * 20000) ",i" int(rand() * 9000) "," 1 + int(rand() * 5) }' \
    >"$folder/source.csv"
  start "$folder/answer.json" "$cli" --workspace "$folder/trained" --json --quiet "${shrinking_training[@]}" --epochs 1
  finish "$started"
  ((status == 0)) || { flunk "the run fails" "$(cat "$folder/answer.json.err")"; return; }
  for ((round = 1; round <= rounds; ++round)); do
    shrink_source "$round"
    shrink_column "$round"
    progress "$round" "$rounds"
  done
  ran="$rounds sources and $rounds columns that shrank"
}

shrinking_training=(train sample --set /dataset/generator/users=2000 --set /dataset/generator/events=200000)

# ended_in_order WHAT FILE: the last program, whose answer is in answer.json, ended well, or named the file:
# with 1, or with 2 where it shrank before its columns were looked at.
ended_in_order() {
  if ((status == 0)) || { ((status <= 2)) && grep -qF "$2" "$folder/answer.json" "$folder/answer.json.err"; }; then
    pass
  else
    flunk "$1: status $status" "$(tail -n 3 "$folder/answer.json.err")"
  fi
}

shrink_source() {
  local csv=$folder/shrinks.csv
  cp "$folder/source.csv" "$csv"
  rm -rf "$folder/imports"
  start "$folder/answer.json" "$cli" --workspace "$folder/imports" --json --quiet import sample --data "$csv" \
    --set /dataset/source=csv
  random_ms 400
  sleep_ms "$random"
  truncate -s $((RANDOM % 2 * RANDOM)) "$csv"
  finish "$started"
  ended_in_order "round $1, a source cut after $random ms" shrinks.csv
}

# The columns of a data set that is there already shrink: a training maps them.
shrink_column() {
  local column columns
  rm -rf "$folder/columns"
  cp -a "$folder/trained" "$folder/columns"
  mapfile -t columns < <(find "$folder/columns/datasets" -type f -size +64k | sort)
  column=${columns[RANDOM % ${#columns[@]}]}
  start "$folder/answer.json" "$cli" --workspace "$folder/columns" --json --quiet "${shrinking_training[@]}" --epochs 10
  random_ms 1500
  sleep_ms "$random"
  truncate -s $((RANDOM * 2)) "$column"
  finish "$started"
  ended_in_order "round $1, $(basename "$column") cut after $random ms" "$(basename "$column")"
}
