/** Tests which command lets strangers create an account. */
import { expect, it, onTestFinished } from 'vitest';
import { createTestDatabase } from '../support/postgres.ts';
import { startCommand } from '../support/run-command.ts';

const ACCOUNT = {
  company: 'Example Works',
  firstName: 'Ada',
  lastName: 'Byron',
  email: 'ada@example.org',
  password: 'not kept',
  timeZone: 'UTC',
  agreement: true,
};

it.each<{ command: string; settings: Record<string, string>; status: number }>([
  { command: 'start', settings: {}, status: 201 },
  { command: 'start', settings: { HOST: 'localhost' }, status: 201 },
  { command: 'start', settings: { HOST: '0.0.0.0' }, status: 403 },
  { command: 'start', settings: { HOST: '0.0.0.0', ALLOW_REGISTRATION: 'true' }, status: 201 },
  { command: 'serve', settings: {}, status: 403 },
  { command: 'start', settings: { ALLOW_REGISTRATION: 'false' }, status: 403 },
  { command: 'serve', settings: { ALLOW_REGISTRATION: 'true' }, status: 201 },
])('$command with $settings answers $status', async ({ command, settings, status }) => {
  const database = await createTestDatabase();
  const running = startCommand([command], { DATABASE_URL: database.url, PORT: '0', ...settings });
  onTestFinished(async () => {
    running.child.kill('SIGTERM');
    await running.ended;
    await database.drop();
  });
  const [, url] = await running.prints(/(?:"url":"|is ready at )(http:\/\/[^\s"]+)/);
  const answer = await fetch(`${url}/api/accounts/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ACCOUNT),
  });
  expect(answer.status).toBe(status);
  const { apiKey } = (await answer.json()) as { apiKey?: string };
  if (status !== 201) return;
  const listed = await fetch(`${url}/api/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect([listed.status, await listed.json()]).toEqual([200, []]);
});
