/** A course: one link opens an account for each who accepts it, and whoever invites sees all of them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePeople } from '../support/people.ts';
import { type NativeService, openNativeService, prepareObjective, type Send } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService();
});
afterAll(() => service.close());

const { openBrowser, invite, accept, join } = makePeople(() => service);
const COURSE = { opens: 'an account for each', maximumUses: 30 };

let schools = 0;
async function openCourse(wanted: object = {}) {
  const send = service.sendAs(await service.makeKey(`school ${++schools}`));
  const teacher = await join(send, 'owner', 'Tea');
  return { send, teacher, ...(await invite(teacher.send, { ...COURSE, label: `Course ${schools}`, ...wanted })) };
}

const accountsOf = async (send: Send) => (await send('GET', '/v1/me/accounts')).body;

it('Everybody gets an account, sees that one alone, and the teacher sees what each has reached', async () => {
  const { teacher, token } = await openCourse();
  const students = await Promise.all(['Ada', 'Bob', 'Bob'].map((name) => accept(token, name)));
  const names = students.map(({ answer }) => answer.account);
  expect(new Set(names)).toEqual(new Set(['Course 1 – Ada', 'Course 1 – Bob', 'Course 1 – Bob 2']));
  for (const student of students) {
    expect(student.answer).toMatchObject({ role: 'owner' });
    expect(await accountsOf(student.send)).toMatchObject([{ role: 'owner', owners: ['Tea'] }]);
  }
  const [ada] = students;
  const { loaded } = await prepareObjective(ada!.send);
  const seen = await accountsOf(teacher.send);
  expect(seen).toHaveLength(4);
  const account = seen.find(({ name }: { name: string }) => name === 'Course 1 – Ada');
  expect(account).toMatchObject({ owners: ['Ada'], role: 'owner', objectives: { running: 1, satisfied: 0, ended: 0 } });
  const url = loaded.headers['location'] as string;
  expect((await students[1]!.send('GET', url)).status).toBe(404);
  expect((await teacher.send('GET', url)).status).toBe(404);
  await teacher.send('POST', '/session', { account: account.id });
  expect((await teacher.send('GET', url)).status).toBe(200);
  await ada!.send('POST', `${url}/stop`, {});
  expect(await accountsOf(teacher.send)).toContainEqual(
    expect.objectContaining({ name: 'Course 1 – Ada', objectives: { running: 0, satisfied: 0, ended: 1 } }),
  );
});

it('A student who opens the link again comes to the same account', async () => {
  const { token, send } = await openCourse({ maximumUses: 2 });
  const ada = await accept(token, 'Ada');
  const again = await ada.send('POST', '/session', { invitation: token });
  expect(again.body).toMatchObject({ account: 'Course 2 – Ada', person: 'Ada' });
  expect((await send('GET', '/v1/invitations')).body.at(-1)).toMatchObject({ uses: 1 });
});

it('A teacher who only reads changes nothing, and a course ends with its teacher', async () => {
  const { send, teacher, token } = await openCourse({ inviterRole: 'reader' });
  await accept(token, 'Cleo');
  const account = (await accountsOf(teacher.send)).at(-1);
  expect(account).toMatchObject({ name: 'Course 3 – Cleo', role: 'reader' });
  await join(send, 'owner', 'Head');
  await send('DELETE', `/v1/members/${teacher.id}`);
  expect((await openBrowser().send('POST', '/session', { invitation: token, name: 'Dora' })).status).toBe(401);
});

it('A course needs a person, an end to its places, and owners', async () => {
  const send = service.sendAs(await service.makeKey('nobody'));
  const refused = await send('POST', '/v1/invitations', { ...COURSE, role: 'reader', maximumUses: null });
  expect(refused.status).toBe(400);
  expect(refused.body.errors.map(({ property }: { property: string }) => property)).toEqual([
    'opens',
    'role',
    'maximumUses',
  ]);
});
