# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154,SC2034
# On every CPU backend, N devices must give what one gives within rounding, and no number of threads
# may change a bit.

stage_equivalence() {
  needs jq || return 0
  local steps backend devices threads done=0 bits
  local -a backends
  mapfile -t backends < <("$cli" --json devices |
    jq -r '.[] | select(.kind == "cpu" and .instruction_set != null) | .instruction_set' | sort -u)
  steps=$(share 4800)  # 160 are an epoch
  for backend in "${backends[@]}"; do
    for devices in 1 2 3 8; do
      bits=''
      for threads in 1 2 3; do
        compare_devices "$backend" "$devices" "$threads" "$steps"
        compare_threads "$backend" "$devices" "$threads" $((steps / 160))
        progress $((++done)) $((${#backends[@]} * 12))
      done
    done
  done
  ran="1, 2, 3, 8 devices × 1, 2, 3 threads on $(IFS=,; echo "${backends[*]}"), $steps steps each"
}

compare_devices() {
  start "$folder/answer" env PARAPET_CPU_BACKEND="$1" "$cli" --workspace "$folder/workspace" --json \
    verify sample --devices "cpu*$2" --against 'cpu*1' --threads "$3" --steps "$4"
  finish "$started"
  if ((status == 0)); then
    pass
  else
    flunk "$1, cpu*$2 against cpu*1, $3 threads" "$(cat "$folder/answer" "$folder/answer.err")"
  fi
}

# The weights and optimizer slots of one number of devices, in $bits, are those of every number of
# threads.
compare_threads() {
  local what="$1, cpu*$2, $3 threads" found
  start "$folder/answer" env PARAPET_CPU_BACKEND="$1" "$cli" --workspace "$folder/workspace" --json \
    --quiet train sample --devices "cpu*$2" --threads "$3" --epochs "$4"
  finish "$started"
  ((status == 0)) || { flunk "$what: does not train" "$(cat "$folder/answer.err")"; return; }
  found=$(sha256sum <"$(jq -r .checkpoint "$folder/answer")/tensors.safetensors")
  : "${bits:=$found}"
  check "$what: other bits than with 1 thread" test "$found" = "$bits"
}
