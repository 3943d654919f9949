import {
  createWebhook,
  deleteWebhook,
  getAccountId,
  listDeliveries,
  listWebhooks,
  redeliver,
  rotateSecret,
  updateWebhook,
  type WebhookDeps,
} from '../application/webhooks/manage-webhooks.ts';
import { webhookUrlJudge } from '../composing/url-judges.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { EVENT_NAMES, type EventName } from '../domain/webhooks/event.ts';
import { type Command, CommandError, parseCommand, text } from './command.ts';
import { overlapOption, toOverlapSeconds } from './overlap.ts';
import { withDatabase } from './with-database.ts';

export const webhooks: Command = {
  summary: 'create, list, enable, disable and delete webhooks, rotate their secrets; list deliveries and repeat them',
  usage: `Usage: backsolve webhooks create URL [--events NAME,NAME] [--description TEXT]
       backsolve webhooks list
       backsolve webhooks enable|disable|delete WEBHOOK_ID
       backsolve webhooks rotate-secret WEBHOOK_ID [--overlap SECONDS]
       backsolve webhooks deliveries WEBHOOK_ID
       backsolve webhooks redeliver DELIVERY_ID

All of them take --account NAME (default: "default"). create and rotate-secret print the signing secret once; after a
rotation deliveries carry a signature with the old secret too, for a day unless --overlap says otherwise. Uses DATABASE_URL, or
the database that \`start\` keeps in DATA_DIR, whether it runs or not. Without --events a webhook takes all events:

  ${EVENT_NAMES.join('\n  ')}`,
  flags: { account: text, events: text, description: text, overlap: text },

  async run(args, config) {
    const [action, ...rest] = args;
    const act = action === undefined ? undefined : ACTIONS.get(action);
    if (act === undefined) throw new CommandError(this.usage);
    const { options, operand } = parse(rest);
    await withDatabase(config, async (db) => {
      const accountId = await getAccountId(db, options.account);
      await act({ db, judgeUrl: webhookUrlJudge(config) }, accountId, operand, options);
    });
    return 0;
  },
};

interface Options {
  readonly account: string;
  readonly events?: string | undefined;
  readonly description?: string | undefined;
  readonly overlap: string;
}

type Action = (deps: WebhookDeps, accountId: number, operand: string | undefined, options: Options) => Promise<void>;

const ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['create', create],
  ['list', list],
  ['enable', (deps, accountId, operand) => toggle(deps, accountId, operand, true)],
  ['disable', (deps, accountId, operand) => toggle(deps, accountId, operand, false)],
  ['delete', remove],
  ['rotate-secret', rotate],
  ['deliveries', showDeliveries],
  ['redeliver', sendAgain],
]);

function parse(args: readonly string[]): { readonly options: Options; readonly operand: string | undefined } {
  const { values, positionals } = parseCommand(webhooks.usage, {
    args: [...args],
    allowPositionals: true,
    options: {
      account: { ...text, default: 'default' },
      events: text,
      description: text,
      overlap: overlapOption,
    },
  });
  if (positionals.length > 1) throw new CommandError(`Unexpected argument "${positionals[1]}".\n\n${webhooks.usage}`);
  return { options: values, operand: positionals[0] };
}

async function create(deps: WebhookDeps, accountId: number, url: string | undefined, options: Options): Promise<void> {
  if (url === undefined) throw new CommandError('Which URL? backsolve webhooks create https://example.com/hook');
  const eventNames = options.events === undefined ? null : parseEventNames(options.events);
  const description = options.description ?? null;
  const { webhook, secret } = await createWebhook(deps, accountId, { url, description, eventNames });
  console.log(`webhook ${webhook.id}\n${secret}`);
}

function parseEventNames(list: string): readonly EventName[] {
  const names = [...new Set(list.split(',').map((name) => name.trim()))];
  const unknown = names.find((name) => !EVENT_NAMES.includes(name as EventName));
  if (unknown !== undefined) {
    throw new CommandError(`"${unknown}" is not an event; the events are ${EVENT_NAMES.join(', ')}.`);
  }
  return names as EventName[];
}

async function list({ db }: WebhookDeps, accountId: number): Promise<void> {
  const rows = await readAll((page) => listWebhooks(db, accountId, page));
  if (rows.length === 0) {
    console.log('There are no webhooks; create one with `backsolve webhooks create URL`.');
    return;
  }
  console.table(
    rows.map((webhook) => ({
      id: webhook.id,
      url: webhook.url,
      events: webhook.eventNames?.join(',') ?? 'all',
      enabled: webhook.enabled,
      failingSince: webhook.failingSince?.toISOString() ?? '',
      description: webhook.description ?? '',
    })),
  );
}

async function toggle(
  deps: WebhookDeps,
  accountId: number,
  operand: string | undefined,
  enabled: boolean,
): Promise<void> {
  const { id } = await updateWebhook(deps, accountId, toId(operand, 'webhook'), { enabled });
  console.log(`webhook ${id} is ${enabled ? 'enabled' : 'disabled'}.`);
}

async function remove({ db }: WebhookDeps, accountId: number, operand: string | undefined): Promise<void> {
  const id = toId(operand, 'webhook');
  await deleteWebhook(db, accountId, id);
  console.log(`webhook ${id} is deleted.`);
}

async function rotate(
  { db }: WebhookDeps,
  accountId: number,
  operand: string | undefined,
  options: Options,
): Promise<void> {
  const overlapSeconds = toOverlapSeconds(options.overlap);
  const { webhook, secret } = await rotateSecret(db, accountId, toId(operand, 'webhook'), overlapSeconds);
  console.log(`webhook ${webhook.id}\n${secret}`);
}

async function showDeliveries({ db }: WebhookDeps, accountId: number, operand: string | undefined): Promise<void> {
  const webhookId = toId(operand, 'webhook');
  const rows = await readAll((page) => listDeliveries(db, accountId, webhookId, page));
  if (rows.length === 0) {
    console.log('There are no deliveries.');
    return;
  }
  console.table(
    rows.map((delivery) => ({
      id: delivery.id,
      event: delivery.eventName,
      state: delivery.state,
      attempts: delivery.attempts,
      next: delivery.nextAttemptAt?.toISOString() ?? '',
      lastError: delivery.lastError ?? '',
    })),
  );
}

async function sendAgain({ db }: WebhookDeps, accountId: number, operand: string | undefined): Promise<void> {
  const { id } = await redeliver(db, accountId, { deliveryId: toId(operand, 'delivery') });
  console.log(`delivery ${id} is due again.`);
}

function toId(operand: string | undefined, what: string): number {
  if (operand !== undefined && /^[1-9]\d{0,14}$/.test(operand)) return Number(operand);
  throw new CommandError(`Which ${what}? Give its number.\n\n${webhooks.usage}`);
}

const PAGE_SIZE = 200;

async function readAll<T>(readPage: (request: PageRequest) => Promise<Page<T>>): Promise<readonly T[]> {
  const items: T[] = [];
  let after: number | null = null;
  do {
    const page = await readPage({ limit: PAGE_SIZE, after });
    items.push(...page.items);
    after = page.nextAfter;
  } while (after !== null);
  return items;
}
