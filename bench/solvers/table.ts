/**
 * Prints the standing of all recorded solvers as Markdown.
 *
 *   npx node bench/solvers/table.ts [--set held-out] [--problems] [--write]
 *
 * `--problems` adds one row per problem. `--write` writes everything to table.md and the data profiles to
 * data-profiles.svg, in results/ or results/held-out/.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSetName, problemsOf } from '../problems/sets.ts';
import { profileSvg, profileTable } from './data-profile.ts';
import { readResults, resultsFolder } from './results.ts';
import { geometricMean } from './scores.ts';
import { compare, countSolved, inFamily, OURS, type Standing, toStandings, virtualBest } from './standing.ts';

const { values: options } = parseArgs({
  options: {
    set: { type: 'string', default: 'collection' },
    write: { type: 'boolean', default: false },
    problems: { type: 'boolean', default: false },
  },
});

const set = parseSetName(options.set);
const problems = problemsOf(set);
const standings = toStandings(readResults(set), problems);
const ours = standings.find((standing) => standing.solver === OURS);
if (!ours) throw new Error('no play of ours is recorded: npx node bench/solvers/run.ts');
const peers = standings.filter((standing) => standing !== ours);
const best = virtualBest(peers);
const finished = peers.filter((peer) => peer.capped === 0 && peer.costs.size === problems.length);
const meanOf = (standing: Standing) => geometricMean([...standing.costs.values()]);
const leader = finished.sort((a, b) => meanOf(a) - meanOf(b))[0];

const families = [...new Set(problems.map((problem) => problem.family)), 'all' as const];
/** Rounded down, so that 100 % means all. */
const percent = (part: number, whole: number) => (whole === 0 ? '-' : `${Math.floor((100 * part) / whole)} %`);
const number = (value: number, digits = 1) => (Number.isFinite(value) ? value.toFixed(digits) : '-');

function solverTable(mine: Standing): string {
  const rows = standings.map((standing) => {
    const { solved, plays } = countSolved(standing, 'all');
    const versus = compare(mine.costs, standing.costs, problems);
    const cells = [standing.solver, standing.version, plays, standing.capped, percent(solved, plays)];
    return `| ${[...cells, versus.problems, number(versus.theirs), number(versus.ours), number(versus.ratio, 2)].join(' | ')} |`;
  });
  const head =
    '| solver | version | plays | capped | solved | problems compared | runs | ours on them | ours / solver |';
  return [head, '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |', ...rows].join('\n');
}

function familyTable(mine: Standing, single: Standing): string {
  const rows = families.map((family) => {
    const own = countSolved(mine, family);
    const other = countSolved(single, family);
    const members = inFamily(problems, family);
    const toSingle = compare(mine.costs, single.costs, members);
    const toBest = compare(mine.costs, best, members);
    const cells = [
      `${family} (${members.length})`,
      percent(own.solved, own.plays),
      number(toSingle.ours),
      percent(other.solved, other.plays),
      number(toSingle.theirs),
      number(toBest.theirs),
      number(toSingle.ratio, 2),
      number(toBest.ratio, 2),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = `| family (problems) | ours solved | ours runs | ${single.solver} solved | ${single.solver} runs | virtual best of ${peers.length} | ours / ${single.solver} | ours / virtual best |`;
  return [head, '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |', ...rows].join('\n');
}

function problemTable(): string {
  const rows = problems.map((problem) => {
    const cells = standings.map(({ costs }) => number(costs.get(problem.name) ?? Number.NaN));
    return `| ${problem.name} | ${problem.budget} | ${cells.join(' | ')} |`;
  });
  const head = `| problem | budget | ${standings.map(({ solver }) => solver).join(' | ')} |`;
  return [head, `| --- |${' ---: |'.repeat(standings.length + 1)}`, ...rows].join('\n');
}

/** A profile of a few plays would show nothing but luck. */
const profiled = standings.filter((standing) => standing.plays.length >= 30);
const parts = [solverTable(ours), leader ? familyTable(ours, leader) : '', profileTable(profiled)];
if (options.problems || options.write) parts.push(problemTable());
const text = `${parts.filter((part) => part !== '').join('\n\n')}\n`;
if (options.write) {
  const folder = resultsFolder(set);
  const title = set === 'held-out' ? 'Runs needed on the held-out problems' : 'Runs needed, solver by solver';
  const note = '<!-- Written by bench/solvers/table.ts --write. -->';
  writeFileSync(join(folder, 'table.md'), `# ${title}\n\n${note}\n\n${text}`);
  writeFileSync(join(folder, 'data-profiles.svg'), profileSvg(profiled));
} else process.stdout.write(text);
