#!/usr/bin/env bash
# Restores a backup of backup.sh into an empty database, everything or nothing, and compares the number of rows of every table
# with the backup. No Backsolve process may use that database meanwhile.
#   DATABASE_URL=postgres://... deploy/restore.sh BACKUP.dump
# Needs psql and pg_restore of the version that made the backup or newer; PG_BIN names their folder.
set -euo pipefail
dump=${1:?Usage: DATABASE_URL=postgres://... restore.sh BACKUP.dump}
rows=${dump%.dump}.rows
: "${DATABASE_URL:?DATABASE_URL is not set}"
[ -z "${PG_BIN:-}" ] || PATH="$PG_BIN:$PATH"
[ -r "$dump" ] && [ -r "$rows" ] || { echo "$dump or $rows cannot be read." >&2; exit 2; }

found=$(psql -XAtq -d "$DATABASE_URL" -c "
  select count(*) from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')")
if [ "$found" != 0 ]; then
  echo "That database already has $found tables; restore into an empty one." >&2
  exit 2
fi
pg_restore --dbname "$DATABASE_URL" --no-owner --no-privileges --exit-on-error --single-transaction "$dump"
psql -XAtq -d "$DATABASE_URL" -c 'analyze'

wrong=0
while read -r table expected; do
  counted=$(psql -XAtq -d "$DATABASE_URL" -c "select count(*) from $table")
  [ "$counted" = "$expected" ] && continue
  echo "$table has $counted rows, the backup $expected." >&2
  wrong=1
done <"$rows"
[ "$wrong" = 0 ] || exit 1
awk '{ rows += $2 } END { print NR " tables, " rows " rows, as in the backup." }' "$rows"
