import { parseArgs } from 'node:util';
import { createKey, listKeys, revokeKey, rotateKey } from '../application/manage-keys.ts';
import type { Db } from '../db/transaction.ts';
import { formatApiKey, makeApiKey, SCOPES, type Scope } from '../domain/api-key.ts';
import { type Command, CommandError } from './command.ts';
import { overlapOption, toOverlapSeconds } from './overlap.ts';
import { withDatabase } from './with-database.ts';

const DAY_MS = 86_400_000;

export const keys: Command = {
  summary: 'create, list, rotate and revoke API keys; generate one for BACKSOLVE_BOOTSTRAP_API_KEY',
  usage: `Usage: backsolve keys create [--account NAME] [--label TEXT] [--scopes read,write,admin] [--days N]
       backsolve keys list
       backsolve keys rotate KEY_ID [--overlap SECONDS]
       backsolve keys revoke KEY_ID
       backsolve keys generate

create prints the key once; only a hash of it is stored. Everything made with a key belongs to its account ("default"
unless named). KEY_ID is the 8 characters behind bks_. rotate prints a successor with the same label, scopes and end; the
old key works for another day unless told otherwise. generate prints a fresh key without storing it, to be set as
BACKSOLVE_BOOTSTRAP_API_KEY. The others use DATABASE_URL, or the database that \`start\` keeps in DATA_DIR, whether it
runs or not.`,

  async run(args, config) {
    const [action, ...rest] = args;
    switch (action) {
      case 'create':
        return withDatabase(config, (db) => create(db, rest));
      case 'list':
        return withDatabase(config, list);
      case 'rotate':
        return withDatabase(config, (db) => rotate(db, rest));
      case 'revoke':
        return withDatabase(config, (db) => revoke(db, rest));
      case 'generate':
        console.log(formatApiKey(makeApiKey()));
        return 0;
      default:
        throw new CommandError(this.usage);
    }
  },
};

async function create(db: Db, args: readonly string[]): Promise<void> {
  const { account, label, scopes, days } = parseOptions(() =>
    parseArgs({
      args: [...args],
      options: {
        account: { ...text, default: 'default' },
        label: text,
        scopes: { ...text, default: SCOPES.join(',') },
        days: text,
      },
    }),
  ).values;
  const wanted = scopes.split(',').map((scope) => scope.trim());
  const unknown = wanted.find((scope) => !SCOPES.includes(scope as Scope));
  if (unknown !== undefined) throw new CommandError(`"${unknown}" is no scope; scopes are ${SCOPES.join(', ')}.`);
  if (days !== undefined && !/^[1-9]\d{0,4}$/.test(days))
    throw new CommandError('--days takes a whole number from 1 on.');
  const expiresAt = days === undefined ? null : new Date(Date.now() + Number(days) * DAY_MS);
  console.log(await createKey(db, { account, label: label ?? null, scopes: wanted as Scope[], expiresAt }));
}

const text = { type: 'string' } as const;

function parseOptions<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${keys.usage}`);
  }
}

async function list(db: Db): Promise<void> {
  const rows = (await listKeys(db)).map((key) => ({
    id: key.keyId,
    account: key.accountName,
    label: key.label ?? '',
    scopes: key.scopes.join(','),
    created: key.createdAt.toISOString(),
    expires: key.expiresAt?.toISOString() ?? 'never',
    lastUsed: key.lastUsedAt?.toISOString() ?? 'never',
    state: key.revokedAt !== null ? 'revoked' : isPast(key.expiresAt) ? 'expired' : 'active',
  }));
  if (rows.length === 0) console.log('There are no keys yet; make one with `backsolve keys create`.');
  else console.table(rows);
}

function isPast(instant: Date | null): boolean {
  return instant !== null && instant.getTime() <= Date.now();
}

async function rotate(db: Db, args: readonly string[]): Promise<void> {
  const { values, positionals } = parseOptions(() =>
    parseArgs({ args: [...args], allowPositionals: true, options: { overlap: overlapOption } }),
  );
  const [keyId] = positionals;
  if (keyId === undefined || positionals.length > 1) {
    throw new CommandError('Which key? backsolve keys rotate KEY_ID; `keys list` shows the ids.');
  }
  const { text: successor, predecessor } = await rotateKey(db, keyId, toOverlapSeconds(values.overlap));
  console.log(successor);
  // Apart from the key, so that a script can take that from the output.
  console.error(`${keyId} works until ${predecessor.expiresAt!.toISOString()}.`);
}

async function revoke(db: Db, args: readonly string[]): Promise<void> {
  const [keyId] = args;
  if (keyId === undefined)
    throw new CommandError('Which key? backsolve keys revoke KEY_ID; `keys list` shows the ids.');
  await revokeKey(db, keyId);
  console.log(`${keyId} is revoked.`);
}
