import { createKey, listKeys, revokeKey, rotateKey } from '../application/accounts/manage-keys.ts';
import type { Db } from '../db/connection/transaction.ts';
import { formatApiKey, inCell, makeApiKey, SCOPES, type Scope } from '../domain/accounts/api-key.ts';
import { isRunByNpm } from '../settings/config.ts';
import { type Command, CommandError, parseCommand, readCount, text } from './command.ts';
import { overlapOption, toOverlapSeconds } from './overlap.ts';
import { withDatabase } from './with-database.ts';

const DAY_MS = 86_400_000;
/** The longest life of a key. */
const MOST_DAYS = 99_999;

export const keys: Command = {
  summary: 'create, list, rotate and revoke API keys; generate one for BACKSOLVE_BOOTSTRAP_API_KEY',
  usage: `Usage: backsolve keys create [--account NAME] [--label TEXT] [--scopes read,write,evaluate,admin] [--days N]
       backsolve keys list
       backsolve keys rotate KEY_ID [--overlap SECONDS]
       backsolve keys revoke KEY_ID
       backsolve keys generate

create prints the key once; only a hash of it is stored. The key has all scopes unless --scopes names them, and does not
expire unless --days says when. Everything made with a key belongs to its account (default: "default"). KEY_ID is the
8 characters after bks_. rotate prints a successor with the same label, scopes and expiry; the old key works for another
day unless --overlap says otherwise. generate prints a new key without storing it, to be set as
BACKSOLVE_BOOTSTRAP_API_KEY. The others use DATABASE_URL, or the database that \`start\` keeps in DATA_DIR, whether it
runs or not.`,
  flags: { account: text, label: text, scopes: text, days: text, overlap: text },

  async run(args, config) {
    const [action, ...rest] = args;
    switch (action) {
      case 'create':
        refuseUnstatedScopes(rest);
        await withDatabase(config, (db) => create(db, rest, config.cell));
        break;
      case 'list':
        await withDatabase(config, list);
        break;
      case 'rotate':
        await withDatabase(config, (db) => rotate(db, rest, config.cell));
        break;
      case 'revoke':
        await withDatabase(config, (db) => revoke(db, rest));
        break;
      case 'generate':
        console.log(inCell(formatApiKey(makeApiKey()), config.cell));
        break;
      default:
        throw new CommandError(this.usage);
    }
    return 0;
  },
};

/** npm also takes misspelled flags, such as --scope, and in the environment they look like settings of its own. */
function refuseUnstatedScopes(args: readonly string[]): void {
  if (!isRunByNpm() || args.some((arg) => /^--scopes(=|$)/.test(arg))) return;
  throw new CommandError(
    `npm run takes flags for itself, so the scopes may not be the ones you meant; nothing was done. ` +
      `State them with npx: npx backsolve keys create --scopes ${SCOPES.join(',')}`,
  );
}

async function create(db: Db, args: readonly string[], cell: string | undefined): Promise<void> {
  const { account, label, scopes, days } = parseCommand(keys.usage, {
    args: [...args],
    options: {
      account: { ...text, default: 'default' },
      label: text,
      scopes: { ...text, default: SCOPES.join(',') },
      days: text,
    },
  }).values;
  const wanted = scopes.split(',').map((scope) => scope.trim());
  const unknown = wanted.find((scope) => !SCOPES.includes(scope as Scope));
  if (unknown !== undefined)
    throw new CommandError(`"${unknown}" is not a scope; the scopes are ${SCOPES.join(', ')}.`);
  const expiresAt = days === undefined ? null : new Date(Date.now() + readCount('--days', days, 1, MOST_DAYS) * DAY_MS);
  const made = await createKey(db, { account, label: label ?? null, scopes: wanted as Scope[], expiresAt });
  console.log(inCell(made, cell));
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
    state: stateOf(key),
  }));
  if (rows.length === 0) console.log('There are no keys yet; create one with `backsolve keys create`.');
  else console.table(rows);
}

function stateOf({ revokedAt, expiresAt }: Record<'revokedAt' | 'expiresAt', Date | null>): string {
  if (revokedAt !== null) return 'revoked';
  return isPast(expiresAt) ? 'expired' : 'active';
}

function isPast(instant: Date | null): boolean {
  return instant !== null && instant.getTime() <= Date.now();
}

async function rotate(db: Db, args: readonly string[], cell: string | undefined): Promise<void> {
  const { values, positionals } = parseCommand(keys.usage, {
    args: [...args],
    allowPositionals: true,
    options: { overlap: overlapOption },
  });
  const keyId = onlyKeyId(positionals, 'rotate');
  const { text: successor, predecessor } = await rotateKey(db, keyId, toOverlapSeconds(values.overlap));
  console.log(inCell(successor, cell));
  // Not on standard output, so that a script can take the key from there.
  console.error(`${keyId} works until ${predecessor.expiresAt!.toISOString()}.`);
}

async function revoke(db: Db, args: readonly string[]): Promise<void> {
  const { positionals } = parseCommand(keys.usage, { args: [...args], allowPositionals: true, options: {} });
  const keyId = onlyKeyId(positionals, 'revoke');
  await revokeKey(db, keyId);
  console.log(`${keyId} is revoked.`);
}

function onlyKeyId(positionals: readonly string[], action: string): string {
  const [keyId] = positionals;
  if (keyId !== undefined && positionals.length === 1) return keyId;
  throw new CommandError(`Which key? backsolve keys ${action} KEY_ID; \`backsolve keys list\` shows the ids.`);
}
