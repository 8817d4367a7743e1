# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154  # device, against, quick, bundle, cli, work, here, seconds: those of run
# Several parts in one command of bounded time, the verdict before the speeds. Sourced by tests/gpu/run,
# never run.

# library_folders: where cuBLASLt and NCCL lie: in PyTorch's wheels, or in a toolkit.
library_folders() {
  local wheels=''
  if command -v python3 >/dev/null; then
    wheels=$(python3 - <<'PYTHON' 2>/dev/null || true
import glob, os, site
names = ("libcublasLt.so.13", "libnccl.so.2")
print(":".join(dict.fromkeys(os.path.dirname(path) for folder in site.getsitepackages() for name in names
                             for path in glob.glob(f"{folder}/nvidia/**/{name}", recursive=True))))
PYTHON
    )
  fi
  printf '%s' "${wheels:+$wheels:}/usr/local/cuda/lib64"
}

# seconds_left MOST: what there is of the time of this pass.
seconds_left() {
  local left=$((seconds - SECONDS))
  echo $((left < $1 ? left : $1))
}

# pass_part N SECONDS: a part in a report of its own.
pass_part() {
  local left code=0
  local -a how=(--part "$1" --bundle "$bundle" --device "$device" --against "$against" --out "$folder/part-$1.json")
  left=$(seconds_left "$2")
  if ((left < 15)); then
    printf 'part %s: no time was left\n' "$1" >&2
    return 0
  fi
  if $quick; then how+=(--quick); fi
  timeout -k 2 "$left" "$here/run" "${how[@]}" --seconds "$left" || code=$?
  if ((code == 77)); then exit 77; fi
  if ((code != 0)); then wrong_parts+=("$1"); fi
}

# Starts CUDA once and reads its libraries: cold, both take longer than the trial of a plugin may.
warm_up() {
  local folders file
  IFS=: read -ra folders <<<"$PARAPET_CUDA_LIB_DIRS"
  for file in "${folders[@]/%//libcublasLt.so.13}" "${folders[@]/%//libnccl.so.2}"; do
    if [[ -r $file ]]; then cat "$file" >/dev/null; fi
  done
  {
    chip
    ldd --version | head -n 1
    timeout 60 python3 -c 'import torch; print(torch.__version__, torch.ones(1, device="cuda").sum().item())'
    timeout 60 "$cli" --workspace "$work/ws" devices --retry
  } >"$folder/machine.txt" 2>&1 || true
  if [[ $device == cuda* ]] && ! grep -q 'matrix products by' "$folder/machine.txt"; then
    printf 'no cuBLASLt was found: our own kernel makes the products\n' >&2
  fi
}

# sanitizer SECONDS: memcheck over every conformance case, where the tool is.
sanitizer() {
  local left
  left=$(seconds_left "$1")
  if ! command -v compute-sanitizer >/dev/null || ((left < 15)) || [[ $device != cuda* ]]; then
    printf 'compute-sanitizer: left out\n' >&2
    return 0
  fi
  timeout -k 2 "$left" compute-sanitizer --tool memcheck --log-file "$folder/memcheck.txt" \
    "$bundle/bin/parapet-cli" selftest --quick --device "$device" >/dev/null 2>&1 || true
  tail -n 3 "$folder/memcheck.txt" >&2
}

# run_pass right|fast FOLDER. A part that is stopped by its limit leaves the reports of the others.
run_pass() {
  local folder=$2
  local -a wrong_parts=()
  mkdir -p "$folder"
  folder=$(cd "$folder" && pwd)
  # The journal of plugins is that of this pass.
  export HOME=$work XDG_STATE_HOME=$work/state
  warm_up
  case $1 in
    right)
      pass_part 1 120
      pass_part 3 120
      pass_part 2 "$seconds"
      ;;
    fast)
      pass_part 4 "$((seconds * 3 / 5))"
      sanitizer "$seconds"
      ;;
  esac
  printf 'pass %s on %s: %s s, reports in %s\n' "$1" "$device" "$SECONDS" "$folder" >&2
  if ((${#wrong_parts[@]} > 0)); then
    printf 'parts that failed: %s\n' "${wrong_parts[*]}" >&2
    return 1
  fi
}
