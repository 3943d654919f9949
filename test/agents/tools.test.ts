/** The tools over /mcp: a real client of the protocol and a real service. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Agent, connectAgent, type ToolAnswer } from '../../harness/agent-client.ts';
import { execute } from '../../harness/one-statement.ts';
import { nonsenseFor, playAgent, RECTANGLE, type ScriptedProblem } from '../../harness/scripted-agent.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let agent: Agent;
/** The end of a problem that several tests read. */
let solved: ToolAnswer;

beforeAll(async () => {
  service = await startTestService();
  agent = await connectAgent(service.service.url!, service.key);
  solved = await playAgent(agent, named('Solved'));
});

afterAll(async () => {
  await agent.close();
  await service.close();
});

/** Each test has a problem of its own. */
function named(name: string): ScriptedProblem {
  return { ...RECTANGLE, statement: { ...RECTANGLE.statement, name } };
}

async function batchesNamed(name: string): Promise<readonly { readonly id: number }[]> {
  const batches = await service.ok<{ readonly id: number; readonly name: string }[]>('GET', '/batches');
  return batches.filter((batch) => batch.name.startsWith(`${name} `));
}

/** Every run of a problem, as /v1 lists them. */
async function runsOf(problem: number) {
  type Evaluation = { readonly state: string; readonly input: readonly number[] };
  return await service.ok<Evaluation[]>('GET', `/evaluations?batch_id=${problem}`);
}

test('An agent solves a problem with the tools alone, by the protocol of 2025', async () => {
  expect(solved.text).toContain('solved. Satisfied: ');
  expect(solved.data).toMatchObject({ isOver: true, status: 'solved', best: { missedBy: { p: 0, q: 0 } } });
  expect(RECTANGLE.run(solved.data.best.inputs)).toEqual(solved.data.best.outputs);
  const [{ id }] = (await batchesNamed('Solved')) as [{ id: number }];
  const inputs = (await runsOf(id)).map(({ input }) => JSON.stringify(input));
  expect(new Set(inputs).size).toBe(inputs.length);
  expect((await agent.call('list_problems', {})).text).toContain(`${id}: Solved (completed, 1 of 1 solved)`);
});

test('An agent that speaks the protocol of 2026 makes every call three times and leaves the same runs', async () => {
  const other = await connectAgent(service.service.url!, service.key, 'auto');
  await playAgent(other, named('Thrice'), { repeats: 3 });
  const [once] = await batchesNamed('Solved');
  const thrice = await batchesNamed('Thrice');
  expect(thrice).toHaveLength(1);
  const stored = async (id: number) => (await runsOf(id)).map(({ state, input }) => ({ state, input }));
  expect(await stored(thrice[0]!.id)).toEqual(await stored(once!.id));
  await other.close();
});

test('Two agents work on one problem at the same time, and no input is run by both', async () => {
  const problem = named('Shared');
  const ran: string[] = [];
  const noted: ScriptedProblem = {
    ...problem,
    run: (inputs) => {
      ran.push(JSON.stringify(inputs));
      return problem.run(inputs);
    },
  };
  const other = await connectAgent(service.service.url!, service.key);
  await Promise.all([
    playAgent(agent, noted, { agent: 'left' }),
    playAgent(other, noted, { agent: 'right', count: 2 }),
  ]);
  expect(new Set(ran).size).toBe(ran.length);
  expect(await batchesNamed('Shared')).toHaveLength(1);
  await other.close();
});

test('Nonsense is refused with a sentence that says what to do, and changes nothing', async () => {
  const { data } = await agent.call('state_problem', named('Nonsense').statement);
  const next = await agent.call('next_inputs', { problem: data.problem });
  const [{ ticket }] = next.data.runs;
  for (const [tool, args] of nonsenseFor(data.problem, ticket)) {
    const { isError, text } = await agent.call(tool, args);
    expect(isError, `${tool} ${JSON.stringify(args).slice(0, 200)}: ${text}`).toBe(true);
    expect(text).toMatch(/^[A-Z"a-z].{10,}[.\]]/s);
  }
  expect((await runsOf(data.problem)).map(({ state }) => state)).toEqual(['leased', 'waiting']);
  expect((await agent.call('next_inputs', { problem: data.problem })).data.runs[0].ticket).toBe(ticket);
  await expect(agent.call('delete_problem', { problem: data.problem })).rejects.toThrow('delete_problem');
});

test('Misspelled names come with the right ones, and numbers in quotes with what they should be', async () => {
  const said = async (tool: string, args: object) => (await agent.call(tool, args)).text;
  const statement = { ...named('Spelled').statement, inputs: [{ name: 'a', minimun: 0, maximum: '5' }] };
  expect(await said('state_problem', statement)).toContain('inputs[0] has no field minimun; did you mean minimum?');
  expect(await said('state_problem', statement)).toContain(
    'inputs[0].maximum must be a number, without quotes, is "5".',
  );
  expect(await said('next_inputs', { problem: 1, agnt: 'x' })).toContain('did you mean agent?');
  const vague = { ...named('Spelled').statement, outputs: [{ name: 'p', target: 4 }] };
  expect(await said('state_problem', vague)).toBe(
    'outputs[0] (p): needs within or withinPercent beside target: how close is close enough.',
  );
});

test('Another result for a run that has one is refused with the way to correct it, and a correction replaces it', async () => {
  const { data } = await agent.call('state_problem', named('Corrected').statement);
  const runs: { ticket: string; inputs: Record<string, number> }[] = [];
  for (let k = 0; k < 2; k++) {
    const [one] = (await agent.call('next_inputs', { problem: data.problem })).data.runs;
    runs.push(one);
    await agent.call('report_outputs', { ticket: one.ticket, outputs: { p: 1, q: 2 } });
  }
  const outputs = RECTANGLE.run(runs[0]!.inputs);
  const refused = await agent.call('report_outputs', { ticket: runs[0]!.ticket, outputs });
  expect(refused).toMatchObject({
    isError: true,
    text: expect.stringContaining('is stored already, with p = 1, q = 2.'),
  });
  expect(refused.text).toContain('and correction with the reason');
  // The search begins after the cases.
  await expect.poll(async () => (await agent.call('next_inputs', { problem: data.problem })).data.runs.length).toBe(1);
  const correction = 'The units were wrong.';
  const corrected = await agent.call('report_outputs', { ticket: runs[0]!.ticket, outputs, correction });
  expect(corrected.data).toMatchObject({ isCorrected: true });
  const again = await agent.call('report_outputs', { ticket: runs[0]!.ticket, outputs, correction });
  expect(again.data).toMatchObject({ isCorrected: false });
});

test('A failed run is stored with its reason, and a failure of the machine hands out the same inputs again', async () => {
  const { data } = await agent.call('state_problem', named('Failing').statement);
  const next = async () => (await agent.call('next_inputs', { problem: data.problem })).data.runs[0];
  const first = await next();
  const failed = { ticket: first.ticket, failed: 'The mesh collapsed.' };
  expect((await agent.call('report_outputs', failed)).text).toContain('is stored as failed');
  expect((await agent.call('report_outputs', failed)).isError).toBe(false);
  expect((await agent.call('report_outputs', { ticket: first.ticket, outputs: { p: 1, q: 1 } })).text).toContain(
    'with a failure (The mesh collapsed.)',
  );
  const second = await next();
  await agent.call('report_outputs', { ticket: second.ticket, failed: 'No licence.', tryAgain: true });
  await expect.poll(async () => (await next())?.inputs).toEqual(second.inputs);
});

test('An agent that finds every input taken is told by whom, and how to get its own inputs back', async () => {
  const { data } = await agent.call('state_problem', named('Taken').statement);
  const taken = await agent.call('next_inputs', { problem: data.problem, agent: 'first', count: 2 });
  expect(taken.data.runs).toHaveLength(2);
  const other = await agent.call('next_inputs', { problem: data.problem, agent: 'second', wait: 0 });
  expect(other).toMatchObject({ isError: false, data: { runs: [], isOver: false } });
  expect(other.text).toContain('are being run by first. If that is you, call next_inputs with that name as agent.');
});

test('An input whose lease has expired comes back to its agent, unless another agent has it now', async () => {
  const { data } = await agent.call('state_problem', named('Expired').statement);
  const next = async (name: string) =>
    (await agent.call('next_inputs', { problem: data.problem, agent: name })).data.runs[0];
  const expire = () =>
    execute(
      service.databaseUrl,
      `update evaluations set visible_at = now() - interval '1 second' where batch_id = ${data.problem} and state = 'leased'`,
    );
  const first = await next('first');
  await expire();
  expect(await next('first')).toMatchObject({ ticket: first.ticket, inputs: first.inputs });
  await expire();
  // The other case has waited for longer than the lease is over.
  const others = [await next('second'), await next('third')];
  const taken = others.find(({ inputs }) => isDeepStrictEqual(inputs, first.inputs));
  const late = { ticket: first.ticket, outputs: RECTANGLE.run(first.inputs) };
  const refused = await agent.call('report_outputs', late);
  expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/It is with (second|third) now/) });
  await agent.call('report_outputs', { ...late, ticket: taken.ticket });
  expect((await agent.call('report_outputs', late)).text).toContain('was stored before, with the same result');
});

test('Other targets for the same inputs begin a search on the runs made so far; other inputs are refused', async () => {
  const { outputs, ...rest } = named('Solved').statement as unknown as { outputs: object[]; inputs: object[] };
  const further = await agent.call('state_problem', { ...rest, outputs: [{ ...outputs[0], target: 4.5 }, outputs[1]] });
  expect(further.text).toContain('The search begins with the runs known so far.');
  expect((await agent.call('next_inputs', { problem: further.data.problem })).data.runs[0].run).toMatch(/^run /);
  const changed = { ...rest, outputs, inputs: [{ name: 'a', minimum: 0, maximum: 6 }, rest.inputs[1]] };
  const refused = await agent.call('state_problem', changed);
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('maximum: [5,5] is now [6,5]') });
});

test('What the runs tell is explained in words, and an objective of a person can be read', async () => {
  const [batch] = (await batchesNamed('Solved')).toSorted((one, other) => one.id - other.id);
  const explain = (topic: string) => agent.call('explain_problem', { problem: batch!.id, topic });
  expect((await explain('insight')).text).toMatch(/^p: .*\nq: /);
  expect((await explain('diagnosis')).text).toContain('Nothing says that the targets are out of reach.');
  expect((await explain('identifiability')).isError).toBe(false);
  const [objective] = await service.ok<{ id: number }[]>('GET', '/objectives?limit=1');
  const read = await agent.call('read_problem', { problem: `objective ${objective!.id}` });
  expect(read.text).toContain('Best so far');
});

test('The guides can be read as resources, by their flat names', async () => {
  const { resources } = await agent.client.listResources();
  expect(resources.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['problem-file', 'first-problem', 'agents']),
  );
  for (const { uri } of resources) {
    const { contents } = await agent.client.readResource({ uri });
    expect((contents[0] as { text: string }).text).toMatch(/^# /);
  }
});

test('The tools say which of them change nothing, and none of them deletes', async () => {
  const { tools } = await agent.client.listTools();
  const readOnly = tools.filter(({ annotations }) => annotations!.readOnlyHint).map(({ name }) => name);
  expect(readOnly).toEqual(['read_problem', 'explain_problem', 'list_problems']);
  expect(tools.every(({ annotations }) => annotations!.idempotentHint && annotations!.destructiveHint === false)).toBe(
    true,
  );
});
