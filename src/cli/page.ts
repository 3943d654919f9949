import { createSignInLink } from '../application/accounts/browser-sessions.ts';
import { LINK_MINUTES } from '../domain/accounts/browser-session.ts';
import type { Config } from '../settings/config.ts';
import { type Command, CommandError, parseCommand, text } from './command.ts';
import { withDatabase } from './with-database.ts';

export const page: Command = {
  summary: 'print a link that signs you in to the page',
  usage: `Usage: backsolve page [--account NAME] [--person NAME] [--url URL]

Prints a link to the page that signs in whoever opens it first, within ${LINK_MINUTES} minutes, with all rights of the account
(default: "default"), or as a member of it and with the accounts and roles of that person. URL is the address of the service as your browser reaches it; the default follows from HOST and PORT.
Uses DATABASE_URL, or the database that \`start\` keeps in DATA_DIR, whether it runs or not.`,
  flags: { account: text, person: text, url: text },

  async run(args, config) {
    const options = { account: { ...text, default: 'default' }, person: text, url: text };
    const { account, person, url } = parseCommand(this.usage, { args: [...args], options }).values;
    const address = url === undefined ? addressOf(config) : readAddress(url);
    await withDatabase(config, async (db) =>
      console.log(linkTo(address, await createSignInLink(db, account, { person }), config.cell)),
    );
    return 0;
  },
};

/** As printed for people, with what they need to know before they open it. */
export function linkTo(address: string, token: string, cell: string | undefined): string {
  const query = cell === undefined ? '' : `?cell=${cell}`;
  return `${address}/page${query}#token=${token}  (signs you in once, within ${LINK_MINUTES} minutes)`;
}

function readAddress(url: string): string {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return new URL(url).origin;
  throw new CommandError(`--url takes the address of a service, such as https://backsolve.example.com, not "${url}".`);
}

/** Addresses to listen on that no browser can open. */
const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

function addressOf({ http: { host, port } }: Config): string {
  if (port === 0) throw new CommandError('PORT is 0, so only the service knows its port: name its address with --url.');
  const reachable = ANY_ADDRESS.has(host) ? '127.0.0.1' : host;
  return new URL(`http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`).origin;
}
