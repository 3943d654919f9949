import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteModel } from '../../src/application/problem/manage-models.ts';
import { exportLineSchema } from '../../src/http/native/exports/export.wire.ts';
import { loadLinearObjective, openTestAccount, type TestAccount } from '../support/fixtures.ts';
import { runCommand } from '../support/run-command.ts';

let t: TestAccount;
let modelIds: readonly number[];
beforeAll(async () => {
  t = await openTestAccount();
  const [kept, deleted] = [await loadLinearObjective(t), await loadLinearObjective(t)];
  await deleteModel(t.db, t.accountId, deleted.model.id);
  // Some 15 MB: far more than a pipe holds.
  await sql`
    insert into inverses (account_id, objective_id, iteration, input, output)
    select account_id, id, n, '{1,2}', (select array_agg(sin(i)) from generate_series(1, 1000) i)
    from objectives, generate_series(2, 800) n where id = ${kept.objective.id}`.execute(t.db);
  modelIds = [kept.model.id, deleted.model.id];
});
afterAll(() => t.close());

const run = (...args: readonly string[]) => runCommand(['export', ...args], { DATABASE_URL: t.url });
const linesOf = (text: string) => {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => exportLineSchema.parse(JSON.parse(line)));
  expect(lines.at(-1)).toEqual({ type: 'end', lines: lines.length - 1 });
  return lines;
};
const modelsOf = (text: string) => linesOf(text).flatMap((line) => (line.type === 'model' ? [line.id] : []));

test('export writes the complete answer of the interface to standard output and nothing else', async () => {
  const all = await run('--account', 'test');
  expect(all).toMatchObject({ code: 0, stderr: '' });
  expect(modelsOf(all.stdout)).toEqual([modelIds[0]]);
  expect(linesOf(all.stdout).filter(({ type }) => type === 'inverse')).toHaveLength(800);
  expect(modelsOf((await run('--account', 'test', '--deleted')).stdout)).toEqual(modelIds);
  const one = await run('--account', 'test', '--model', String(modelIds[1]), '--deleted');
  expect(modelsOf(one.stdout)).toEqual([modelIds[1]]);
});

test('export says what is wrong and writes nothing', async () => {
  const failed = (code: number, pattern: RegExp) => ({ code, stdout: '', stderr: expect.stringMatching(pattern) });
  expect(await run('--account', 'nobody')).toEqual(failed(1, /There is no account "nobody"/));
  expect(await run('--account', 'test', '--model', '999999')).toEqual(failed(1, /There is no model 999999/));
  expect(await run('--account', 'test', '--model', String(modelIds[1]))).toEqual(failed(1, /was deleted/));
  expect(await run('--model', 'x')).toEqual(
    failed(2, /takes the number of a model, not "x"\.[\s\S]*Usage: backsolve export/),
  );
  expect(await run('--modle', '1')).toEqual(failed(2, /--modle/));
  expect(await run('--campaign')).toEqual(failed(2, /takes one model: name it with either --model or --problem/));
  expect(await run('--problem', 'mine.yaml')).toEqual(failed(2, /--problem is for --campaign/));
  expect(await run('--campaign', '--model', '1', '--deleted')).toEqual(failed(2, /leave out --deleted/));
  expect(await run('--campaign', '--problem', 'never.yaml')).toEqual(failed(1, /has not been worked on here/));
});
