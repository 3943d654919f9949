#!/usr/bin/env bash
# Backs up the whole database while it is in use: one consistent snapshot in pg_dump's custom format, and beside it the number
# of rows of every table in the same snapshot, for restore.sh to check. `npx backsolve backup` needs no other program.
#   DATABASE_URL=postgres://... deploy/backup.sh FOLDER
# Needs psql and pg_dump of the server's version or newer; PG_BIN names their folder when they are not on PATH.
set -euo pipefail
folder=${1:?Usage: DATABASE_URL=postgres://... backup.sh FOLDER}
: "${DATABASE_URL:?DATABASE_URL is not set}"
[ -z "${PG_BIN:-}" ] || PATH="$PG_BIN:$PATH"
umask 077
mkdir -p "$folder"

server=$(psql -XAtq -d "$DATABASE_URL" -c 'show server_version_num')
client=$(pg_dump --version | grep -oE '[0-9]+' | head -1)
if [ "$client" -lt $((server / 10000)) ]; then
  echo "pg_dump has version $client, the server $((server / 10000)): it would refuse. Set PG_BIN to a newer one." >&2
  exit 2
fi

name=backsolve-$(date -u +%Y%m%dT%H%M%SZ)
trap 'rm -f "$folder/$name".*.part' EXIT

# A session that holds the snapshot for both: everything below sees the same moment.
coproc KEEPER { psql -XAtq -d "$DATABASE_URL" -v ON_ERROR_STOP=1; }
keeper_pid=$KEEPER_PID
echo 'set idle_in_transaction_session_timeout = 0; set statement_timeout = 0;' >&"${KEEPER[1]}"
echo 'begin isolation level repeatable read read only; select pg_export_snapshot();' >&"${KEEPER[1]}"
read -r snapshot <&"${KEEPER[0]}"

{
  echo 'begin isolation level repeatable read read only;'
  echo "set transaction snapshot '$snapshot';"
  psql -XAtq -d "$DATABASE_URL" -c "
    select format('select %L, count(*) from %I.%I;', table_schema || '.' || table_name, table_schema, table_name)
    from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1"
  echo 'commit;'
} | psql -XAtq -F ' ' -d "$DATABASE_URL" -v ON_ERROR_STOP=1 >"$folder/$name.rows.part"

pg_dump --dbname "$DATABASE_URL" --snapshot "$snapshot" --format custom --no-owner --no-privileges \
  --file "$folder/$name.dump.part"
echo 'commit; \q' >&"${KEEPER[1]}"
wait "$keeper_pid"

# A dump that cannot be read is not a backup.
pg_restore --list "$folder/$name.dump.part" >/dev/null
mv "$folder/$name.rows.part" "$folder/$name.rows"
mv "$folder/$name.dump.part" "$folder/$name.dump"
echo "$folder/$name.dump"
