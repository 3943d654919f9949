#!/usr/bin/env bash
# Pins the base images to the current digests of their tags: asks the registry and writes the digests into Dockerfile and
# compose.yaml. Run it, review the difference, build, test, commit. An image without an answer is left unchanged, and the exit
# code is 1.
#   deploy/pin-images.sh                                          # renews the tags in the files
#   deploy/pin-images.sh node:24.22.0-bookworm-slim postgres:18.7-bookworm    # other tags
# Needs docker, with buildx or with the right to pull.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
files=(Dockerfile compose.yaml)

# As in the files, without its digest: "node:24.21.0-bookworm-slim".
current() { # repository
  grep -hoE "([a-z0-9][a-z0-9.:/-]*/)?$1:[A-Za-z0-9._-]+@sha256:[0-9a-f]{64}" "${files[@]}" | head -1 | sed 's/@.*//'
}

# The digest of the index of all platforms.
digest() { # image
  local found
  found=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$1" 2>/dev/null) || found=
  if ! [[ $found =~ ^sha256:[0-9a-f]{64}$ ]]; then
    docker pull --quiet "$1" >/dev/null || return 1
    found=$(docker image inspect --format '{{range .RepoDigests}}{{println .}}{{end}}' "$1" | grep -m1 -F "${1%:*}@") || return 1
    found=${found##*@}
  fi
  [[ $found =~ ^sha256:[0-9a-f]{64}$ ]] && echo "$found"
}

wanted=("$@")
[ ${#wanted[@]} -gt 0 ] || wanted=("$(current node)" "$(current postgres)")
failed=0
for image in "${wanted[@]}"; do
  name=${image##*/}
  repository=${name%%:*}
  before=$(current "$repository") || true
  if [ -z "$before" ]; then
    echo "$image: ${files[*]} have no pinned image of that name (node, postgres)." >&2
    failed=1
  elif pinned=$(digest "$image"); then
    sed -i.before -E "s#$before@sha256:[0-9a-f]{64}#$image@$pinned#g" "${files[@]}"
    rm -f Dockerfile.before compose.yaml.before
    echo "$image@$pinned"
  else
    echo "$image: the registry did not return its digest; $before stays pinned." >&2
    failed=1
  fi
done
exit "$failed"
