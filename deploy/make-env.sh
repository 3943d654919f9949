#!/usr/bin/env bash
# Writes .env for compose.yaml: a password for the owner of the database and one for the role of serve and work, both from
# the system's random source. Never replaces a file: the database has the passwords of its first start.
#   deploy/make-env.sh [FILE]
set -euo pipefail
file=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/.env}
if [ -e "$file" ]; then
  echo "$file exists already and is left unchanged." >&2
  exit 1
fi
password() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
umask 077
printf 'POSTGRES_PASSWORD=%s\nPOSTGRES_APP_PASSWORD=%s\n' "$(password)" "$(password)" >"$file"
echo "$file contains two new passwords. Keep it: the database will accept no others."
