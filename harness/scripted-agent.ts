/**
 * A scripted agent: it solves a problem with the tools alone, and repeats itself, sends nonsense, and is interrupted as often as it is told.
 * It remembers nothing but the problem that it states, as an agent does whose conversation was lost.
 */
import type { Agent, ToolAnswer } from './agent-client.ts';

export interface ScriptedProblem {
  readonly statement: { readonly name: string };
  /** A pure black box. */
  run(inputs: Readonly<Record<string, number>>): Readonly<Record<string, number>>;
}

/** Two outputs within their tolerances, met in one valley of the inputs. */
export const RECTANGLE: ScriptedProblem = {
  statement: {
    name: 'Rectangle',
    inputs: [
      { name: 'a', minimum: 0, maximum: 5, unit: 'mm' },
      { name: 'b', minimum: 0, maximum: 5, unit: 'mm' },
    ],
    outputs: [
      { name: 'p', target: 4, withinPercent: 1, unit: 'mm2' },
      { name: 'q', target: 8, within: 0.01 },
    ],
  } as ScriptedProblem['statement'],
  run: ({ a, b }) => ({ p: a! * b!, q: a! + 3 * b! }),
};

/** Messages that an agent which is confused might send, each of which has to be refused. */
export function nonsenseFor(problem: number, ticket: string): readonly (readonly [string, object])[] {
  return [
    ['next_inputs', { problem: problem + 1_000 }],
    ['next_inputs', { problem: String(problem) }],
    ['next_inputs', { problem, count: 1e9 }],
    ['next_inputs', { problem, agent: 'somebody; drop table' }],
    ['next_inputs', {}],
    ['report_outputs', { ticket, outputs: { p: 'NaN', q: 1 } }],
    ['report_outputs', { ticket, outputs: { p: null, q: 1 } }],
    ['report_outputs', { ticket, outputs: { p: 1 } }],
    ['report_outputs', { ticket, outputs: { P1: 1, q: 2 } }],
    ['report_outputs', { ticket, outputs: [1, 2] }],
    ['report_outputs', { ticket, outputs: Object.fromEntries(Array.from({ length: 1_500 }, (_, k) => [`y${k}`, k])) }],
    ['report_outputs', { ticket, outputs: { p: 1, q: 2 }, failed: 'both' }],
    ['report_outputs', { ticket: ticket.replace(/[0-9a-f]{4}$/, '0000'), outputs: { p: 1, q: 2 } }],
    ['report_outputs', { ticket: 'the first one', outputs: { p: 1, q: 2 } }],
    [
      'state_problem',
      { name: 'Rectangle', inputs: [{ name: 'a', minimum: 5, maximum: 0 }], outputs: [{ name: 'p', minimize: true }] },
    ],
    ['state_problem', { name: 'Rectangle', inputs: [], outputs: [] }],
    ['explain_problem', { problem, topic: 'everything' }],
    ['read_problem', { problem: 'all' }],
  ];
}

export interface ScriptOptions {
  /** Called before each call, with its number from 0; may throw to interrupt the agent. */
  before?(call: number): Promise<void>;
  /** Number of times that each call is made; default: once. */
  readonly repeats?: number;
  readonly agent?: string;
  readonly count?: number;
}

/** State of an agent of the script when it ends: the answer of next_inputs that says so. */
export async function playAgent(
  agent: Agent,
  { statement, run }: ScriptedProblem,
  options: ScriptOptions = {},
): Promise<ToolAnswer> {
  const { before, repeats = 1, agent: name = 'agent', count = 1 } = options;
  let calls = 0;
  const call = async (tool: string, args: object): Promise<ToolAnswer> => {
    let answer: ToolAnswer | undefined;
    for (let k = 0; k < repeats; k++) {
      await before?.(calls++);
      answer = await agent.call(tool, args);
      if (answer.isError) throw new Error(`${tool} ${JSON.stringify(args)}: ${answer.text}`);
    }
    return answer!;
  };
  const { data } = await call('state_problem', statement);
  for (;;) {
    const next = await call('next_inputs', { problem: data.problem, agent: name, count });
    if (next.data.isOver === true) return next;
    for (const one of next.data.runs) await call('report_outputs', { ticket: one.ticket, outputs: run(one.inputs) });
  }
}
