# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034
# Every fuzz target, with other inputs each time: those of the seed. A failing input is shown as it
# lies in the file, so that it can be kept.

stage_fuzzing() {
  local program seconds done=0
  local -a programs=("$root"/build/release/tests/test_fuzz_*)
  [[ -x ${programs[0]} ]] || { skip 'no fuzz target is built'; return 0; }
  seconds=$(share 40)
  for program in "${programs[@]}"; do
    progress $((done++)) ${#programs[@]}
    [[ $program != *_driver ]] || continue  # has a fault on purpose
    start "$folder/answer" "$program" --seconds "$seconds" --seed "$seed" \
      --save-failing "$folder/failing"
    finish "$started"
    if ((status == 0)); then
      pass
    elif ((status == 77)); then
      skip "$(cat "$folder/answer")"
    else
      flunk "${program##*/} with seed $seed" \
        "$(cat "$folder/answer.err"; head -c 2000 "$folder"/failing/* | od -c | head -60)"
      rm -rf "$folder/failing"
    fi
  done
  ran="$((passed + failed)) targets, $seconds s each, Release"
}
