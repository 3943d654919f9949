/** Hands out the inputs to run, under leases that the same agent gets back after a crash. */
import { z } from 'zod';
import type { Backsolve, Batch, ClaimedEvaluations } from '../../../clients/typescript/src/index.ts';
import { BacksolveError } from '../../../clients/typescript/src/index.ts';
import { pause } from '../../../clients/typescript/src/retry.ts';
import { countOf, inAllDigits } from './numbers.ts';
import { isOpen, orMissing, problemNumber, readBatch } from './problems.ts';
import { describeProblem } from './read-problem.ts';
import { nameOf, writeTicket } from './run-ticket.ts';
import { defineTool, fields, type Said, type ToolCall } from './tool.ts';

/** Runs of an agent at a time. */
const MOST_RUNS = 16;
/** Between two heartbeats: an agent sends none while it runs the black box. */
const LEASE_SECONDS = 3_600;
/** Seconds; clients give a call a minute or more. */
const LONGEST_WAIT = 20;
const PAUSES_MS = [100, 200, 400, 800, 1_500] as const;

const schema = fields({
  problem: problemNumber,
  count: z
    .int()
    .min(1)
    .max(MOST_RUNS)
    .default(1)
    .describe('How many runs you make at a time, those you already hold included.'),
  wait: z
    .number()
    .min(0)
    .max(LONGEST_WAIT)
    .default(LONGEST_WAIT)
    .describe('Seconds to wait for a suggestion that is being computed.'),
  agent: z
    .string()
    .regex(/^[\w.@-]{1,40}$/, 'must have 1 to 40 letters, digits or . _ - @')
    .default('agent')
    .describe(
      'Who you are. Agents that work on a problem at the same time need different names; the same name gets the same inputs back.',
    ),
});

type Arguments = z.output<typeof schema>;
type Claimed = ClaimedEvaluations['evaluations'][number];

export const nextInputs = defineTool({
  name: 'next_inputs',
  title: 'Get the next inputs',
  description:
    'Returns the inputs of the runs to make now; they are yours for an hour. Called again before you report, it returns the same inputs, also after a crash: ' +
    'run them and report with report_outputs. Waits up to 20 seconds for a suggestion that is being computed. When the problem is solved or over, it says so instead.',
  schema,
  isReadOnly: false,
  run: async (call) => {
    const held = await untilClaimed(call);
    return held.length > 0 ? describe(held) : describeNothing(call);
  },
});

async function untilClaimed(call: ToolCall<Arguments>): Promise<readonly Claimed[]> {
  const { client, args, signal, note } = call;
  const deadline = performance.now() + 1_000 * args.wait;
  for (let turn = 0; ; turn++) {
    const held = await claim(client, args, signal);
    if (held.length > 0 || performance.now() > deadline) return held;
    const batch = await readBatch(client, args.problem);
    if (!isOpen(batch) || batch.isPaused || areAllHeld(batch)) return [];
    await note('Waiting for the next suggestion.');
    await pause(PAUSES_MS[Math.min(turn, PAUSES_MS.length - 1)]!, signal);
  }
}

/** Nothing to wait for but others. */
function areAllHeld({ progress, parallelism }: Batch): boolean {
  const { waiting, leased } = progress.evaluations;
  return waiting === 0 && leased >= parallelism;
}

/**
 * One lease per slot. Each claim has the key of its slot: a repeat gets the lease that is still held, also one that has expired if nobody
 * has claimed the run since, and otherwise another run.
 */
async function claim(
  client: Backsolve,
  { problem, agent, count }: Arguments,
  signal: AbortSignal,
): Promise<readonly Claimed[]> {
  const body = { evaluator: agent, limit: 1, leaseSeconds: LEASE_SECONDS, batchId: problem };
  const held: Claimed[] = [];
  for (let slot = 1; slot <= count; slot++) {
    const idempotencyKey = `agent ${problem} ${agent} ${slot}`;
    const claiming = client.call('claimEvaluations', { body, idempotencyKey, signal });
    const answer = await orMissing(claiming, `problem ${problem}`);
    const [evaluation] = answer.body.evaluations;
    if (evaluation !== undefined && (await renew(client, evaluation))) held.push(evaluation);
  }
  return held;
}

/** Whether the run is still wanted and its lease is held. */
async function renew(client: Backsolve, { id, leaseToken }: Claimed): Promise<boolean> {
  try {
    const { body } = await client.call('heartbeatEvaluation', { path: { evaluation_id: id }, body: { leaseToken } });
    return body.isWanted;
  } catch (error) {
    if (error instanceof BacksolveError && error.status === 409) return false;
    throw error;
  }
}

function describe(held: readonly Claimed[]): Said {
  const runs = held.map((evaluation) => ({
    ticket: writeTicket(evaluation),
    run: nameOf(evaluation),
    inputs: evaluation.inputByName,
    leaseExpiresAt: evaluation.leaseExpiresAt,
  }));
  const { outputNames } = held[0]!;
  const lines = runs.map(({ ticket, run, inputs }) => `${run}, ticket ${ticket}: ${inAllDigits(inputs)}`);
  const text = [
    `${countOf(runs.length, 'run')} to make:`,
    ...lines,
    `Report ${outputNames.join(', ')} of each with report_outputs.`,
  ];
  return { text: text.join('\n'), data: { runs, outputs: outputNames } };
}

async function describeNothing({ client, args }: ToolCall<Arguments>): Promise<Said> {
  const batch = await readBatch(client, args.problem);
  if (!isOpen(batch)) {
    const { text, data } = await describeProblem(client, args.problem);
    return { text: `There is nothing left to run.\n${text}`, data: { runs: [], isOver: true, ...data } };
  }
  return { text: await whyNothing(client, batch), data: { runs: [], isOver: false, status: batch.status } };
}

async function whyNothing(client: Backsolve, batch: Batch): Promise<string> {
  if (batch.isPaused) return `Problem ${batch.id} is paused: ask the person to resume it on the page of the service.`;
  const query = { batch_id: batch.id, state: 'leased', limit: MOST_RUNS } as const;
  const { body: leased } = await client.call('listEvaluations', { query });
  const wait = 'Call next_inputs again with the same arguments.';
  if (leased.length === 0) return `The next input is still being computed. ${wait}`;
  const holders = [...new Set(leased.map(({ evaluator }) => evaluator))].join(', ');
  return `All open inputs are being run by ${holders}. If that is you, call next_inputs with that name as agent. Otherwise wait until they report. ${wait}`;
}
