# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034
# The protocol between processes, simulated with other faults each time: those of the seed. What
# fails names the command that replays it.

stage_simulation() {
  local program=$root/build/release/tests/parapet_simulate seeds done=0 block=500 first
  [[ -x $program ]] || { skip 'parapet_simulate is not built'; return 0; }
  seeds=$(share 10000)
  first=$((seed % 1000000000))
  while ((done < seeds)); do
    progress "$done" "$seeds"
    start "$folder/answer" "$program" --seed $((first + done)) --seeds "$block"
    finish "$started"
    if ((status == 0)); then
      pass "$block"
    else
      flunk "$(tail -1 "$folder/answer.err")" "$(cat "$folder/answer.err")"
    fi
    done=$((done + block))
  done
  ran="$seeds seeds from $first on"
}
