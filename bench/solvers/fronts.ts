/**
 * Measures how much of a trade-off 60 runs reveal: the hypervolume of the feasible front, as a share of the largest one known, of
 * our suggestions and of BoTorch's qLogNEHVI, on ten classic problems.
 *
 *   npx node bench/solvers/fronts.ts [--seeds 1,2,3] [--problem name,name] [--untold] [--peer] [--summary]
 *
 * Both begin with the same Latin hypercube of 2 (n + 1) inputs, which counts, and are told the same reference point; with
 * --untold ours is not. With --peer BoTorch plays (bench/peers/hypervolume.py) in place of ours. Plays are appended to
 * results/fronts/plays.jsonl and not repeated while the version of the solver is unchanged; the table is made of them, with
 * --summary of them alone. Machine load changes none of the figures.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { hypervolume } from '../../src/optimizer/numerics/hypervolume.ts';
import { makeRandom } from '../../src/optimizer/numerics/random.ts';
import { suggest } from '../../src/optimizer/suggest.ts';
import { type FrontProblem, fronts } from '../problems/fronts.ts';
import { startPython } from './peer.ts';
import { WORK_LIMIT } from './play.ts';
import { optimizerVersion } from './results.ts';

const RUNS = 60;
/** Runs after which the hypervolume is noted. */
const NOTED = [20, 30, 40, 50, 60];

interface Play {
  readonly solver: string;
  readonly version: string;
  readonly problem: string;
  readonly seed: number;
  /** After 20, 30, ... 60 runs. */
  readonly hypervolumes: readonly number[];
  /** Wall time of all suggestions. */
  readonly seconds: number;
}

interface Run {
  readonly input: number[];
  readonly output: readonly number[];
}

type Suggester = (problem: FrontProblem, runs: readonly Run[], designed: number, seed: number) => Promise<number[]>;

/** A Latin hypercube: every input takes each of `count` slices of its range once. */
function latinHypercube({ variables }: FrontProblem, count: number, seed: number): number[][] {
  const random = makeRandom(seed, 91);
  const columns = variables.map(({ minimum, maximum }) => {
    const slices = Array.from({ length: count }, (_, i) => i);
    for (let i = count - 1; i > 0; i--) {
      const k = random.below(i + 1);
      [slices[i], slices[k]] = [slices[k]!, slices[i]!];
    }
    return slices.map((slice) => minimum + ((slice + random.uniform()) / count) * (maximum - minimum));
  });
  return Array.from({ length: count }, (_, i) => columns.map((column) => column[i]!));
}

function volumeOf({ limits, reference }: FrontProblem, runs: readonly Run[]): number {
  const d = reference.length;
  const feasible = runs.filter(({ output }) => limits.every((limit, j) => output[d + j]! <= limit));
  return hypervolume(
    feasible.map(({ output }) => output.slice(0, d)),
    reference,
  );
}

async function play(
  problem: FrontProblem,
  seed: number,
  next: Suggester,
): Promise<Pick<Play, 'hypervolumes' | 'seconds'>> {
  const runs: Run[] = [];
  const evaluate = (input: number[]) => runs.push({ input, output: problem.evaluate(input) });
  const design = latinHypercube(problem, 2 * (problem.variables.length + 1), seed);
  for (const input of design) evaluate(input);
  const began = performance.now();
  while (runs.length < RUNS) evaluate(await next(problem, runs, design.length, seed));
  const seconds = (performance.now() - began) / 1000;
  return { hypervolumes: NOTED.map((count) => volumeOf(problem, runs.slice(0, count))), seconds };
}

async function suggestOurs(
  isTold: boolean,
  { variables, limits, reference }: FrontProblem,
  runs: readonly Run[],
  designed: number,
  seed: number,
) {
  const ends = { lower: Number.NEGATIVE_INFINITY, lowerOpen: false, upperOpen: false };
  const targets = [
    ...reference.map((value) => ({
      ...ends,
      upper: Number.POSITIVE_INFINITY,
      direction: 'minimize' as const,
      ...(isTold && { reference: value }),
    })),
    ...limits.map((upper) => ({ ...ends, upper, direction: 'none' as const })),
  ];
  const proposal = suggest({
    space: { variables },
    goal: { targets, l1: null },
    history: {
      count: runs.length,
      X: Float64Array.from(runs.flatMap(({ input }) => input)),
      Y: Float64Array.from(runs.flatMap(({ output }) => output)),
      failed: new Uint8Array(runs.length),
    },
    firstSuggested: designed,
    convergence: 1e-6,
    seed,
    workLimit: WORK_LIMIT,
  });
  if (proposal.kind === 'nothing-new') throw new Error(`nothing new: ${proposal.reason}`);
  return Array.from(proposal.input);
}

async function makePeer(): Promise<{ version: string; next: Suggester; close: () => void }> {
  const python = startPython('hypervolume.py', []);
  const { version } = (await python.read()) as { version: string };
  const next: Suggester = async ({ variables, limits, reference }, runs, _, seed) => {
    const none = reference.map(() => null);
    const answer = (await python.ask({
      inputs: runs.map(({ input }) =>
        input.map((x, v) => (x - variables[v]!.minimum) / (variables[v]!.maximum - variables[v]!.minimum)),
      ),
      outputs: runs.map(({ output }) => output),
      signs: [...reference.map(() => -1), ...limits.map(() => 0)],
      upper: [...none, ...limits],
      reference: reference.map((value) => -value),
      seed: 1000 * seed + runs.length,
    })) as { input: number[]; error?: string };
    if (answer.error) console.error(answer.error);
    return answer.input.map((u, v) => variables[v]!.minimum + u * (variables[v]!.maximum - variables[v]!.minimum));
  };
  return { version, next, close: python.close };
}

const file = new URL('./results/fronts/plays.jsonl', import.meta.url).pathname;

function readPlays(): Play[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Play);
}

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1,2,3' },
    problem: { type: 'string' },
    peer: { type: 'boolean', default: false },
    untold: { type: 'boolean', default: false },
    summary: { type: 'boolean', default: false },
  },
});

/** The plays of a solver at its last version, by problem and seed. */
function lastPlays(plays: readonly Play[], solver: string): Play[] {
  const version = plays.findLast((one) => one.solver === solver)?.version;
  return plays.filter((one) => one.solver === solver && one.version === version);
}

/** One line per problem: shares of the largest hypervolume known, means over the seeds that both solvers played. */
function tableOf(plays: readonly Play[]): string {
  const [ours, untold, botorch] = ['ours', 'ours-untold', 'botorch'].map((solver) => lastPlays(plays, solver));
  const lines = ['| problem | inputs | limits | reference | seeds | ours | not told the reference | qLogNEHVI |'];
  lines.push('| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: |');
  let compared = 0;
  let notBelow = 0;
  for (const { name, variables, limits, reference, bestHypervolume } of fronts) {
    const both = ours!.filter((one) => one.problem === name);
    const met = both.filter(({ seed }) => botorch!.some((one) => one.problem === name && one.seed === seed));
    const chosen = met.length > 0 ? met : both;
    const mean = (of: readonly Play[]) => {
      const own = of.filter((one) => one.problem === name && chosen.some(({ seed }) => seed === one.seed));
      const sum = own.reduce((total, { hypervolumes }) => total + hypervolumes.at(-1)! / bestHypervolume, 0);
      return own.length > 0 ? sum / own.length : null;
    };
    const shown = [ours!, untold!, botorch!].map((of) => mean(of)?.toFixed(4) ?? '');
    const facts = [name, variables.length, limits.length, `(${reference.join(', ')})`, chosen.length];
    lines.push(`| ${[...facts, ...shown].join(' | ')} |`);
    if (met.length === 0) continue;
    compared++;
    if (mean(ours!)! >= mean(botorch!)!) notBelow++;
  }
  return [...lines, '', `Not below qLogNEHVI on ${notBelow} of ${compared} problems that both have played.`].join('\n');
}

async function playAll(): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  const names = options.problem?.split(',');
  const chosen = fronts.filter(({ name }) => !names || names.includes(name));
  const peer = options.peer ? await makePeer() : null;
  const ours = options.untold ? 'ours-untold' : 'ours';
  const solver = peer ? 'botorch' : ours;
  const version = peer?.version ?? optimizerVersion();
  const next: Suggester = peer?.next ?? ((...of) => suggestOurs(!options.untold, ...of));
  for (const seed of options.seeds.split(',').map(Number)) {
    for (const problem of chosen) {
      const isKnown = (one: Play) =>
        one.solver === solver && one.version === version && one.problem === problem.name && one.seed === seed;
      if (readPlays().some(isKnown)) continue;
      const result = await play(problem, seed, next);
      const stored: Play = { solver, version, problem: problem.name, seed, ...result };
      appendFileSync(file, `${JSON.stringify(stored)}\n`);
      const shares = result.hypervolumes.map((volume) => (volume / problem.bestHypervolume).toFixed(3));
      console.log(problem.name, seed, shares.join(' '), `${result.seconds.toFixed(0)} s`);
    }
  }
  peer?.close();
}

if (!options.summary) await playAll();
console.log(tableOf(readPlays()));
