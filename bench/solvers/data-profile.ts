/**
 * Data profiles (More and Wild 2009, SIAM Journal on Optimization 20): the share of plays solved within k (n + 1) runs, n the
 * number of inputs, as a function of k. Plays that a time cap ended count as unsolved.
 */
import type { Standing } from './standing.ts';

const WIDTH = 860;
const HEIGHT = 480;
const PLOT = { left: 60, right: 650, top: 30, bottom: 420 };
const FIRST = 0.25;
const LAST = 32;
const COLOURS = [
  '#c1121f',
  '#003f88',
  '#5c9ead',
  '#2a9d8f',
  '#8ab17d',
  '#e9a03b',
  '#7b2cbf',
  '#b56576',
  '#6c757d',
  '#3a5a40',
  '#9c6644',
];

/** Runs of the solved plays in units of n + 1, ascending. */
function solvedEfforts({ plays, problems }: Standing): number[] {
  const inputs = new Map(problems.map((problem) => [problem.name, problem.variables.length]));
  return plays
    .filter((play) => play.solved)
    .map((play) => play.runs / (inputs.get(play.problem)! + 1))
    .sort((a, b) => a - b);
}

/** Share of the plays of a standing that are solved within `effort` (n + 1) runs. */
export function shareSolved(standing: Standing, effort: number): number {
  return solvedEfforts(standing).filter((value) => value <= effort).length / standing.plays.length;
}

/** The name of the solver, with the number of its problems if it has not played them all. */
function nameOf({ solver, plays, problems }: Standing): string {
  const played = new Set(plays.map((play) => play.problem)).size;
  return played === problems.length ? solver : `${solver} (${played} problems)`;
}

/** One row per solver, one column per effort. */
export function profileTable(standings: readonly Standing[]): string {
  const efforts = [0.5, 1, 2, 3, 5, 10, 20];
  const rows = standings.map((standing) => {
    const shares = efforts.map((effort) => `${Math.floor(100 * shareSolved(standing, effort) + 1e-9)} %`);
    return `| ${nameOf(standing)} | ${shares.join(' | ')} |`;
  });
  const head = `| solved within k (n + 1) runs, k = | ${efforts.join(' | ')} |`;
  return [head, `| --- |${' ---: |'.repeat(efforts.length)}`, ...rows].join('\n');
}

/** The chart: a step line per solver over a logarithmic axis. */
export function profileSvg(standings: readonly Standing[]): string {
  const ranked = [...standings].sort((a, b) => shareSolved(b, 5) - shareSolved(a, 5));
  const grid = [0.25, 0.5, 1, 2, 4, 8, 16, 32].map((effort) => {
    const x = toX(effort).toFixed(1);
    const label = `<text x="${x}" y="${PLOT.bottom + 20}" text-anchor="middle">${effort}</text>`;
    return `<line x1="${x}" y1="${PLOT.top}" x2="${x}" y2="${PLOT.bottom}" stroke="#ddd"/>${label}`;
  });
  const levels = [0, 25, 50, 75, 100].map((percent) => {
    const y = toY(percent / 100).toFixed(1);
    const label = `<text x="${PLOT.left - 8}" y="${Number(y) + 4}" text-anchor="end">${percent} %</text>`;
    return `<line x1="${PLOT.left}" y1="${y}" x2="${PLOT.right}" y2="${y}" stroke="#ddd"/>${label}`;
  });
  const lines = ranked.map((standing, rank) => {
    const colour = COLOURS[standings.indexOf(standing) % COLOURS.length]!;
    const width = standings.indexOf(standing) === 0 ? 3 : 1.5;
    const y = PLOT.top + 14 + 22 * rank;
    const key = `<line x1="${PLOT.right + 20}" y1="${y}" x2="${PLOT.right + 50}" y2="${y}" stroke="${colour}" stroke-width="${width}"/>`;
    const label = `<text x="${PLOT.right + 58}" y="${y + 4}">${nameOf(standing)}</text>`;
    return `<path d="${stepPath(standing)}" fill="none" stroke="${colour}" stroke-width="${width}"/>${key}${label}`;
  });
  const caption = `<text x="${(PLOT.left + PLOT.right) / 2}" y="${PLOT.bottom + 44}" text-anchor="middle">runs / (inputs + 1)</text>`;
  const title = `<text x="${PLOT.left}" y="18">share of plays solved</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13">`,
    '<title>Data profiles: share of plays solved within k (n + 1) runs</title>',
    '<rect width="100%" height="100%" fill="white"/>',
    ...grid,
    ...levels,
    ...lines,
    caption,
    title,
    '</svg>\n',
  ].join('\n');
}

function stepPath(standing: Standing): string {
  const efforts = solvedEfforts(standing);
  const total = standing.plays.length;
  let path = `M${PLOT.left} ${toY(0).toFixed(1)}`;
  efforts.forEach((effort, i) => {
    path += `H${toX(effort).toFixed(1)}V${toY((i + 1) / total).toFixed(1)}`;
  });
  return `${path}H${PLOT.right}`;
}

function toX(effort: number): number {
  const share = Math.log(Math.min(LAST, Math.max(FIRST, effort)) / FIRST) / Math.log(LAST / FIRST);
  return PLOT.left + share * (PLOT.right - PLOT.left);
}

function toY(share: number): number {
  return PLOT.bottom - share * (PLOT.bottom - PLOT.top);
}
