/**
 * Plays the collection with q machines that evaluate at the same time, and compares rounds and runs with one machine.
 *
 *   npx node bench/solvers/parallel.ts [--q 4] [--seeds 1,2,3] [--mode rounds] [--no-hold-back] [--chance 0.9]
 *                                  [--default-cases] [--every 3] [--problem name,name] [--family f] [--part 1/2]
 *                                  [--file path] [--summary] [--peer optuna-tpe] [--time-cap 60]
 *
 * Synchronous: up to q inputs are suggested, one after the other with those before it pending, then all are evaluated and
 * reported together; that is a round. The designed cases and the start point, q at a time, are rounds too; there are at least as many
 * cases as fill the first round, unless --default-cases leaves them as few as one machine gets. Modes: in `rounds`
 * every run takes the same time, so a time is a number of rounds. In `uneven` run times vary evenly from 1 to 3, divided by their mean
 * of 2, and a round takes as long as its slowest run. In `asynchronous` they vary as well, and a machine that becomes free gets the
 * next input, with all that are running pending, or waits when it is held back; only the designed cases and the start are
 * finished before the first suggestion, as in the service.
 *
 * Held back: no input is suggested while one whose `chance` is at least 0.9 is open, unless an output is minimized or
 * maximized. Every run begun counts, also those that others make superfluous. Unsolved plays count twice their budget, in
 * rounds twice budget / q. The summary states the geometric mean of the ratios to one machine, then the ratio of the sums, and the
 * geometric mean if every play took exactly two rounds.
 *
 * With --peer optuna-tpe or botorch the peer plays the rounds in place of ours, and is compared with one machine of ours.
 *
 * Plays are appended to a file, results/parallel/plays.jsonl unless stated, and not repeated while src/optimizer is unchanged;
 * --summary only reads it. A part takes every second (third, ...) problem, so that parts can run beside each other; --every 3
 * takes every third problem of the collection. Machine load changes none of the figures.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { compileGoal } from '../../src/domain/search/acceptance.ts';
import { initialDesign } from '../../src/optimizer/initial-design.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { suggest, warmUp } from '../../src/optimizer/suggest.ts';
import { judge } from '../problems/judge.ts';
import { type Outputs, type Problem, toDefinition } from '../problems/problem.ts';
import { problemsOf } from '../problems/sets.ts';
import { startPython } from './peer.ts';
import { WORK_LIMIT } from './play.ts';
import { optimizerVersion } from './results.ts';
import { geometricMean } from './scores.ts';

const { values: options } = parseArgs({
  options: {
    q: { type: 'string', default: '4' },
    seeds: { type: 'string', default: '1' },
    mode: { type: 'string', default: 'rounds' },
    'no-hold-back': { type: 'boolean', default: false },
    chance: { type: 'string', default: '0.9' },
    'default-cases': { type: 'boolean', default: false },
    every: { type: 'string', default: '1' },
    problem: { type: 'string' },
    family: { type: 'string' },
    part: { type: 'string', default: '1/1' },
    file: { type: 'string', default: new URL('./results/parallel/plays.jsonl', import.meta.url).pathname },
    summary: { type: 'boolean', default: false },
    peer: { type: 'string' },
    'time-cap': { type: 'string', default: '60' },
  },
});

interface ParallelPlay {
  readonly runs: number;
  readonly solved: boolean;
  /** Time until the target was met, in mean run times. */
  readonly rounds: number;
  /** Share of the machines' time used, in all and since the first suggestion. */
  readonly used: number;
  readonly usedSearching: number;
  readonly end: string;
}

interface Stored extends ParallelPlay {
  readonly version: string;
  readonly setting: string;
  readonly problem: string;
  readonly seed: number;
}

interface Run {
  readonly input: Float64Array;
  readonly chance: number | null;
  /** Undefined until the run is reported. */
  output: Outputs | undefined;
  /** Time at which it ends, in mean run times. */
  readonly endsAt: number;
}

interface Playing {
  readonly q: number;
  readonly mode: string;
  readonly holdBackFrom: number;
  /** Whether designed cases fill the first round. */
  readonly fills: boolean;
}

/** Run times vary threefold; their mean is 1. */
const DURATION = { least: 0.5, most: 1.5 };

function play(problem: Problem, seed: number, { q, mode, holdBackFrom, fills }: Playing): ParallelPlay {
  const { variables, objectives, budget, convergence } = problem;
  const n = variables.length;
  const m = objectives.length;
  const space = { variables };
  const goal = compileGoal(toDefinition(problem));
  const isDirected = goal.targets.some(({ direction }) => direction !== 'none');
  const durations = makeRandom(seed, 77);
  const runs: Run[] = [];
  let now = 0;
  let busy = 0;
  const start = (input: Float64Array, chance: number | null): void => {
    const drawn = DURATION.least + (DURATION.most - DURATION.least) * durations.uniform();
    runs.push({ input, chance, output: undefined, endsAt: now + (mode === 'rounds' ? 1 : drawn) });
  };
  const open = () => runs.filter(({ output }) => output === undefined);
  /** Reports the runs that end next, one or the whole round; true when one of them satisfies everything. */
  const report = (): boolean => {
    const ends = open().map(({ endsAt }) => endsAt);
    now = mode === 'asynchronous' ? Math.min(...ends) : Math.max(...ends);
    const ended = open().filter(({ endsAt }) => endsAt <= now);
    for (const run of ended) {
      const output = problem.evaluate(Array.from(run.input), { seed, index: runs.indexOf(run) });
      run.output = output?.every(Number.isFinite) ? output : null;
    }
    return ended.some(({ output }) => judge(problem, output!));
  };
  /** Time for which machines ran until now. */
  const busyUntilNow = () => busy + open().reduce((sum, { endsAt }) => sum + Math.min(0, now - endsAt), 0);
  let searchingFrom = 0;
  let busyBefore = 0;
  const finish = (end: string): ParallelPlay => {
    busy = busyUntilNow();
    const share = (used: number, time: number) => (time > 0 ? used / (q * time) : 1);
    return {
      runs: runs.length,
      solved: end === 'satisfied',
      rounds: now,
      used: share(busy, now),
      usedSearching: share(busy - busyBefore, now - searchingFrom),
      end,
    };
  };
  const begin = (input: Float64Array, chance: number | null) => {
    start(input, chance);
    busy += runs.at(-1)!.endsAt - now;
  };

  const designed = initialDesign({ space, outputCount: m, caseCount: null, seed });
  const design =
    fills && designed.count < q - 1 ? initialDesign({ space, outputCount: m, caseCount: q - 1, seed }) : designed;
  const first = [
    ...Array.from({ length: design.count }, (_, i) => design.X.slice(i * n, (i + 1) * n)),
    Float64Array.from(problem.start),
  ];
  while (first.length > 0 || open().length > 0) {
    while (first.length > 0 && open().length < q) begin(first.shift()!, null);
    if (report()) return finish('satisfied');
  }
  searchingFrom = now;
  busyBefore = busyUntilNow();
  const firstSuggested = runs.length;

  const next = () => {
    const known = runs.filter(({ output }) => output !== undefined);
    return suggest({
      space,
      goal,
      history: {
        count: known.length,
        X: Float64Array.from(known.flatMap(({ input }) => [...input])),
        Y: Float64Array.from(known.flatMap(({ output }) => output ?? new Array<number>(m).fill(0))),
        failed: Uint8Array.from(known, ({ output }) => (output ? 0 : 1)),
      },
      pending: Float64Array.from(open().flatMap(({ input }) => [...input])),
      firstSuggested,
      convergence,
      seed,
      workLimit: WORK_LIMIT,
    });
  };
  const isHeldBack = () => !isDirected && open().some(({ chance }) => (chance ?? 0) >= holdBackFrom);
  while (true) {
    let refusal: string | null = null;
    while (refusal === null && open().length < q && runs.length < budget && !isHeldBack()) {
      const proposal = next();
      if (proposal.kind === 'candidate') begin(proposal.input, proposal.chance);
      else refusal = proposal.reason;
    }
    if (open().length === 0) return finish(refusal ?? 'budget');
    if (report()) return finish('satisfied');
  }
}

const settings = {
  q: Number(options.q),
  mode: options.mode,
  peer: options.peer,
  holdBackFrom: options['no-hold-back'] ? Number.POSITIVE_INFINITY : Number(options.chance),
  fills: !options['default-cases'],
};
const version = optimizerVersion();
const seeds = options.seeds.split(',').map(Number);
const [part, parts] = options.part.split('/').map(Number) as [number, number];
const names = options.problem?.split(',');
const families = options.family?.split(',');
const chosen = problemsOf('collection').filter(
  ({ name, family }, i) =>
    (!names || names.includes(name)) && (!families || families.includes(family)) && i % Number(options.every) === 0,
);

/** Identifies a setting in the file. One machine has nothing to hold back. */
function nameOf({ q, mode, holdBackFrom, fills, peer }: typeof settings): string {
  if (peer !== undefined) return `q${q} ${peer}`;
  if (q === 1) return 'q1';
  return `q${q} ${mode} ${holdBackFrom}${fills ? ' filled' : ''}`;
}

const stored = new Map<string, Stored>();
const keyOf = (one: Pick<Stored, 'version' | 'setting' | 'problem' | 'seed'>) =>
  [one.version, one.setting, one.problem, one.seed].join(' ');
if (existsSync(options.file)) {
  for (const line of readFileSync(options.file, 'utf8').split('\n')) {
    if (line === '') continue;
    const one = JSON.parse(line) as Stored;
    stored.set(keyOf(one), one);
  }
}

async function playOnce(problem: Problem, seed: number, chosen: typeof settings): Promise<void> {
  const { q, peer } = chosen;
  const identity = { version, setting: nameOf(chosen), problem: problem.name, seed };
  if (stored.has(keyOf(identity))) return;
  const played = peer
    ? await askPeer(problem.name, seed, q)
    : play(problem, seed, q > 1 ? chosen : { ...chosen, mode: 'rounds' });
  const result = { ...identity, ...played };
  stored.set(keyOf(identity), result);
  mkdirSync(dirname(options.file), { recursive: true });
  appendFileSync(options.file, `${JSON.stringify(result)}\n`);
}

const peer = options.peer && !options.summary ? startPython('rounds.py', [options.peer, process.execPath]) : null;
await peer?.read();
async function askPeer(problem: string, seed: number, q: number): Promise<ParallelPlay> {
  const answer = await peer!.ask({ problem, seed, q, timeCapSeconds: Number(options['time-cap']) });
  return { ...(answer as Omit<ParallelPlay, 'used' | 'usedSearching'>), used: 1, usedSearching: 1 };
}

if (!options.summary) {
  warmUp();
  for (const [i, problem] of chosen.entries()) {
    if (i % parts !== part - 1) continue;
    for (const seed of seeds) {
      await playOnce(problem, seed, { ...settings, q: 1, peer: undefined });
      await playOnce(problem, seed, settings);
    }
  }
}

peer?.close();

function summarize(family: string): string {
  const ratios = { rounds: [] as number[], runs: [] as number[], plain: [] as number[] };
  const sums = { many: 0, alone: 0 };
  const twoRounds: number[] = [];
  const used: number[] = [];
  const usedSearching: number[] = [];
  let solved = 0;
  for (const problem of chosen) {
    if (family !== 'all' && problem.family !== family) continue;
    for (const seed of seeds) {
      const find = (setting: string) => stored.get(keyOf({ version, setting, problem: problem.name, seed }));
      const one = find('q1');
      const many = find(nameOf(settings));
      if (!one || !many) continue;
      const limit = 2 * problem.budget;
      const alone = one.solved ? one.runs : limit;
      ratios.plain.push(many.solved ? many.rounds : limit / settings.q);
      ratios.rounds.push(ratios.plain.at(-1)! / alone);
      sums.many += ratios.plain.at(-1)!;
      sums.alone += alone;
      twoRounds.push(2 / alone);
      ratios.runs.push((many.solved ? many.runs : limit) / alone);
      solved += many.solved ? 1 : 0;
      used.push(many.used);
      usedSearching.push(many.usedSearching);
    }
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [
    family.padEnd(18),
    `rounds ${geometricMean(ratios.rounds).toFixed(3)} (${geometricMean(ratios.plain).toFixed(2)})`,
    `of the sums ${(sums.many / sums.alone).toFixed(3)}, two each ${geometricMean(twoRounds).toFixed(3)}`,
    `runs ${geometricMean(ratios.runs).toFixed(3)}`,
    `solved ${solved}/${ratios.runs.length}`,
    `machine time used ${mean(used).toFixed(3)}, searching ${mean(usedSearching).toFixed(3)}`,
  ].join('  ');
}

process.stdout.write(`${nameOf(settings)}, seeds ${seeds.join()}, optimizer ${version}\n`);
for (const family of [...new Set(chosen.map((problem) => problem.family)), 'all'])
  process.stdout.write(`${summarize(family)}\n`);
