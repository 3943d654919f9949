/** `backsolve webhooks ...` as a user runs it. */
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { webhooks as webhooksCommand } from '../../../src/cli/webhooks.ts';
import { EVENT_NAMES } from '../../../src/domain/webhooks/event.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { loadLinearObjective } from '../../support/fixtures.ts';
import { callCommand } from '../../support/run-command.ts';
import { type Outbox, openOutbox } from './outbox.ts';

let outbox: Outbox;
beforeAll(async () => {
  outbox = await openOutbox();
});
afterAll(() => outbox.close());

const webhooks = (...args: readonly string[]) =>
  callCommand(['webhooks', ...args, '--account', 'test'], { DATABASE_URL: outbox.url, LOG_LEVEL: 'silent' });

it('the command creates, lists, disables, rotates and deletes webhooks and repeats deliveries', async () => {
  const events = 'project.created,objectives.loaded';
  const made = await webhooks('create', 'https://receiver.example/hook', '--events', events, '--description', 'ours');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const [, id] = /^webhook (\d+)\nwhsec_[A-Za-z0-9+/]{43}=\n$/.exec(made.stdout)!;
  expect(await outbox.webhook(Number(id))).toMatchObject({
    url: 'https://receiver.example/hook',
    description: 'ours',
    eventNames: events.split(','),
  });

  const listed = await webhooks('list');
  expect(listed.stdout).toContain('https://receiver.example/hook');
  expect(listed.stdout).not.toContain('whsec_');

  await loadLinearObjective(outbox);
  expect((await webhooks('deliveries', id!)).stdout).toMatch(/project\.created.*waiting/);
  const [delivery] = await outbox.claim();
  expect((await webhooks('redeliver', String(delivery!.id))).stdout).toBe(`delivery ${delivery!.id} is due again.\n`);
  expect(await outbox.delivery(delivery!.id)).toMatchObject({ state: 'waiting', attempts: 0 });

  const rotated = await webhooks('rotate-secret', id!, '--overlap', '600');
  expect(rotated.stdout).toMatch(new RegExp(`^webhook ${id}\nwhsec_[A-Za-z0-9+/]{43}=\n$`));
  expect(rotated.stdout).not.toBe(made.stdout);
  expect((await outbox.webhook(Number(id))).previousSecretUntil!.getTime()).toBeLessThan(Date.now() + 700_000);

  expect((await webhooks('disable', id!)).stdout).toBe(`webhook ${id} is disabled.\n`);
  expect(await outbox.webhook(Number(id))).toMatchObject({ enabled: false });
  expect((await webhooks('enable', id!)).code).toBe(0);
  expect((await webhooks('delete', id!)).stdout).toBe(`webhook ${id} is deleted.\n`);
  expect((await webhooks('list')).stdout).toContain('There are no webhooks');
});

// In this process: refusals are thrown before anything is printed.
const refused = (...args: readonly string[]) => webhooksCommand.run(args, loadConfig({ DATABASE_URL: outbox.url }));

test.each([
  ['nothing', [], 'Usage: backsolve webhooks create'],
  ['an unknown action', ['make'], 'Usage: backsolve webhooks create'],
  ['no URL', ['create', '--account', 'test'], 'Which URL?'],
  [
    'an unknown event',
    ['create', 'https://a.example/', '--events', 'x.y', '--account', 'test'],
    EVENT_NAMES.join(', '),
  ],
  ['an unknown option', ['list', '--all'], '--all'],
  ['two words too many', ['delete', '1', '2'], 'Unexpected argument'],
  ['no number', ['delete', 'first', '--account', 'test'], 'Which webhook?'],
  ['plain http', ['create', 'http://receiver.example/', '--account', 'test'], 'https://'],
  ['a relative URL', ['create', '/hook', '--account', 'test'], 'absolute URL'],
  ['a private address behind a tab', ['create', 'https://127.0.\t0.1/', '--account', 'test'], 'public address'],
  ['a private address', ['create', 'https://[fd00::1]/', '--account', 'test'], 'public address'],
  ['an endless overlap', ['rotate-secret', '1', '--overlap', '9e9', '--account', 'test'], 'from 0 to 2592000'],
  ['a rotation of nothing', ['rotate-secret', '--account', 'test'], 'Which webhook?'],
  ['an unknown webhook', ['delete', '999999', '--account', 'test'], 'no webhook 999999'],
  ['an unknown delivery', ['redeliver', '999999', '--account', 'test'], 'no delivery 999999'],
  ['an account that does not exist, rather than making it', ['list', '--account', 'tset'], '"tset"'],
])('the command refuses %s and says what to do', async (_, args, text) => {
  await expect(refused(...args)).rejects.toThrow(text);
});
