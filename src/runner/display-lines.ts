/** Renders a standing as lines of text for a person. No I/O: the same standing gives the same lines. */
import { GOAL_TYPES } from '../../clients/typescript/src/generated/goal-types.ts';
import type { Goal } from '../../clients/typescript/src/solve/goals.ts';
import { plain } from './plain-text.ts';
import { type FittedOutput, type InputValue, type Problem, shownOutputs } from './problem.ts';
import { toInputValue } from './problem-bodies.ts';
import {
  type BestRun,
  type RunningNow,
  rootMeanSquare,
  type SetMisfit,
  type SetStanding,
  type Standing,
} from './standing.ts';

export interface Look {
  /** Size of the terminal in characters. */
  readonly columns: number;
  readonly rows: number;
  readonly hasColor: boolean;
}

type Color = 'green' | 'yellow' | 'red' | 'dim' | 'bold';
const CODES: Readonly<Record<Color, number>> = { green: 32, yellow: 33, red: 31, dim: 2, bold: 1 };

/** A piece of a line; its color takes no width. */
type Piece = string | { readonly text: string; readonly color: Color };

const SMALLEST_WIDTH = 20;
const SHOWN_RUNNING = 4;
/** Lines besides those of outputs: headline, trend, what runs, notes, the cursor. */
const OTHER_LINES = 10;
const FEWEST_OUTPUTS = 3;

/** The live display. */
export function renderStanding(problem: Problem, standing: Standing, look: Look): readonly string[] {
  const width = Math.max(SMALLEST_WIDTH, look.columns);
  const set = standing.sets[standing.shown]!;
  const lines: Piece[][] = [
    headline(problem, standing),
    ...tableOf(problem, set, width, Math.max(FEWEST_OUTPUTS, look.rows - OTHER_LINES)),
    ...sparkline(set, width),
    ...standing.running.slice(0, SHOWN_RUNNING).map((one) => runningLine(problem, one)),
  ];
  const more = standing.running.length - SHOWN_RUNNING;
  if (more > 0) lines.push([{ text: `  and ${more} more`, color: 'dim' }]);
  if (standing.note !== null) lines.push([{ text: standing.note, color: 'yellow' }]);
  return lines.map((line) => paint(line, width, look.hasColor));
}

function headline(problem: Problem, standing: Standing): Piece[] {
  const { runs, maximumRuns, failed, phase, designed, elapsedMs } = standing;
  const ofMaximum = maximumRuns === null || problem.targetSets.length > 1 ? '' : ` of at most ${maximumRuns}`;
  const doing = phase === 'designed runs' ? `designed runs ${designed.done} of ${designed.planned}` : phase;
  const sets = problem.targetSets.length;
  return [
    { text: problem.name, color: 'bold' },
    `  ${formatElapsed(elapsedMs)}  ${countRuns(runs)}${ofMaximum}${failed > 0 ? `, ${failed} failed` : ''}  ${doing}`,
    sets > 1 ? `  ${standing.satisfiedSets} of ${sets} target sets met` : '',
  ];
}

function reachedText(best: NonNullable<SetStanding['best']>, output: number, set: number | undefined): string {
  return set === undefined ? formatNumber(best.output[output]!) : describeMisfit(best.fits[set]!);
}

/** A line per output: what it should be, what the best run gave, and by how much it misses. Of many the worst. */
function tableOf(problem: Problem, { goals, best }: SetStanding, width: number, most: number): Piece[][] {
  const all = shownOutputs(problem).map(({ name, unit, first, set }) => ({
    name: plain(name),
    wanted: plain(set === undefined ? describeGoal(goals[first]!, unit) : describeData(problem.fits[set]!, unit)),
    reached: best === null ? '-' : reachedText(best, first, set),
    miss: set !== undefined || goals[first]!.target === null ? null : (best?.misses[first] ?? null),
  }));
  const rows = all.length <= most ? all : all.toSorted((a, b) => (b.miss ?? 0) - (a.miss ?? 0)).slice(0, most);
  const hidden = all.length - rows.length;
  const rest: Piece[][] = hidden === 0 ? [] : [[{ text: `  and ${hidden} more that miss by less`, color: 'dim' }]];
  const nameWidth = Math.min(Math.max(...rows.map((row) => widthOf(row.name))), Math.floor(width / 3));
  const reachedWidth = Math.max(...rows.map((row) => row.reached.length));
  const wantedWidth = Math.max(...rows.map((row) => widthOf(row.wanted)));
  const lines = rows.map(({ name, wanted, reached, miss }): Piece[] => [
    `  ${padTo(nameWidth, clip(name, nameWidth))}  ${reached.padStart(reachedWidth)}  `,
    missPiece(miss),
    { text: `  ${padTo(wantedWidth, wanted)}`, color: 'dim' },
  ]);
  return [...lines, ...rest];
}

/** `7 values, each +-0.02` */
export function describeData({ fit: { values, sigma } }: FittedOutput, unit: string): string {
  const end = unit === '' ? '' : ` ${unit}`;
  const count = countOf(values.length, 'value');
  if (sigma === null) return `fit to ${count}`;
  if (typeof sigma === 'number') return `fit to ${count}, each +-${formatNumber(sigma)}${end}`;
  return 'relative' in sigma ? `fit to ${count}, each +-${formatNumber(100 * sigma.relative)}%` : `fit to ${count}`;
}

/** `chi-square 5.3`, or without standard errors `residuals of 0.021`. */
export function describeMisfit(misfit: SetMisfit): string {
  if (misfit.isInErrors) return `chi-square ${threeDigits(misfit.sumOfSquares)}`;
  return `residuals of ${threeDigits(rootMeanSquare([misfit]))}`;
}

function threeDigits(value: number): string {
  return formatNumber(Number(value.toPrecision(3)));
}

function missPiece(miss: number | null): Piece {
  if (miss === null) return '          ';
  if (miss === 0) return { text: 'met       ', color: 'green' };
  return { text: `off ${formatMiss(miss)}`.padEnd(10), color: miss <= 1 ? 'yellow' : 'red' };
}

/** In tolerances: 0.3 means nearly met. */
export function formatMiss(miss: number): string {
  return miss >= 1e4 ? miss.toExponential(0) : String(Number(miss.toPrecision(2)));
}

const BARS = '▁▂▃▄▅▆▇█';

/** The worst miss of the best run, run after run, on a logarithmic scale; the newest at the right. */
function sparkline({ best, trend }: SetStanding, width: number): Piece[][] {
  const label = best !== null && best.fits.length > 0 ? '  residuals   ' : '  worst miss  ';
  const known = trend.filter((miss) => miss !== null);
  if (known.length < 2) return [];
  const shown = thin(known, Math.max(1, width - label.length - 1));
  return [[{ text: label, color: 'dim' }, drawBars(shown)]];
}

export function drawBars(values: readonly number[]): string {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return BARS[0]!.repeat(values.length);
  const logs = values.map((value) => Math.log(Math.max(value, Math.min(...positive) / 10)));
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const range = high - low;
  return logs.map((log) => BARS[range === 0 ? 0 : Math.round(((log - low) / range) * (BARS.length - 1))]!).join('');
}

/** At most `count` of the values, evenly spread, the last among them. */
function thin(values: readonly number[], count: number): readonly number[] {
  if (values.length <= count) return values;
  return Array.from({ length: count }, (_, i) => values[Math.ceil(((i + 1) * values.length) / count) - 1]!);
}

function runningLine(problem: Problem, { label, input, sinceMs }: RunningNow): Piece[] {
  const seconds = formatElapsed(performance.now() - sinceMs);
  return [{ text: `  running ${seconds} ${label}: ${describeInput(problem, input)}`, color: 'dim' }];
}

/** A line for each run, where there is no terminal. */
export function renderRun(
  problem: Problem,
  run: { readonly name: string; readonly input: readonly number[] },
  output: readonly number[] | string,
  best: BestRun | null,
): string {
  const result = typeof output === 'string' ? `failed: ${output}` : describeOutput(problem, output);
  const met = best === null || best.fits.length === 0 ? 'everything met' : best.fits.map(describeMisfit).join(', ');
  const standing = best === null ? '' : `; best: ${best.name}, ${describeMiss(best.worst, met)}`;
  return `${run.name}: ${describeInput(problem, run.input)} -> ${result}${standing}`;
}

/** `mass=3.2 level=7 values` */
export function describeOutput(problem: Problem, output: readonly number[]): string {
  return shownOutputs(problem)
    .map(({ name, first, set }) =>
      set === undefined
        ? `${name}=${formatNumber(output[first]!)}`
        : `${name}=${countOf(problem.fits[set]!.fit.values.length, 'value')}`,
    )
    .join(' ');
}

/** @param met  what to say of a miss of 0 */
export function describeMiss(miss: number, met: string): string {
  if (miss === 0) return met;
  const shown = formatMiss(miss);
  return `off by ${shown} ${shown === '1' ? 'tolerance' : 'tolerances'}`;
}

export function countRuns(count: number): string {
  return countOf(count, 'run');
}

export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function describeInput({ inputs }: Problem, input: readonly number[]): string {
  return inputs.map((one, i) => `${one.name}=${formatValue(toInputValue(one, input[i]!))}`).join(' ');
}

export function formatValue(value: InputValue): string {
  return typeof value === 'number' ? formatNumber(value) : String(value);
}

/** Five digits tell runs apart; result files have all. */
export function formatNumber(value: number): string {
  const magnitude = Math.abs(value);
  if (Number.isInteger(value) && magnitude < 1e6) return String(value);
  if (magnitude !== 0 && (magnitude < 1e-3 || magnitude >= 1e6)) return value.toExponential(3);
  return String(Number(value.toPrecision(5)));
}

export function describeGoal({ type, target, lower, upper }: Goal, unit: string): string {
  const end = unit === '' ? '' : ` ${unit}`;
  if (target === null) return `as ${type === 'minimize' ? 'small' : 'large'} as possible`;
  const value = formatNumber(target);
  const { phrase, offsets } = GOAL_TYPES[type];
  if (offsets === null) return `${phrase} ${value}${end}`;
  const { suffix } = offsets;
  if (lower === -upper!) return `${value}${end} +-${formatNumber(upper!)}${suffix}`;
  return `${value}${end} ${formatSigned(lower!)}${suffix} ${formatSigned(upper!)}${suffix}`;
}

function formatSigned(value: number): string {
  return value < 0 ? formatNumber(value) : `+${formatNumber(value)}`;
}

/** 12 s, 3:05, 2:03:05 */
export function formatElapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Number of columns of a text in a terminal: two for each character of East Asian writing and emoji, none for a combining mark. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

function columnsOf(character: string): number {
  if (WIDE.test(character)) return 2;
  return MARK.test(character) ? 0 : 1;
}

const WIDE =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
const MARK = /[\p{Mn}\p{Me}\u200b-\u200d]/u;

export function padTo(width: number, text: string): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function clip(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let shown = '';
  let left = width - 1;
  for (const character of text) {
    left -= widthOf(character);
    if (left < 0) break;
    shown += character;
  }
  return `${shown}…`;
}

/** One line, never wider than the terminal, without control characters. */
function paint(pieces: readonly Piece[], width: number, hasColor: boolean): string {
  let left = width;
  let line = '';
  for (const piece of pieces) {
    const { text, color } = typeof piece === 'string' ? { text: piece, color: undefined } : piece;
    const shown = clip(plain(text), left);
    left -= widthOf(shown);
    line += hasColor && color !== undefined && shown !== '' ? `\x1b[${CODES[color]}m${shown}\x1b[0m` : shown;
    if (left <= 0) break;
  }
  return hasColor ? line : line.trimEnd();
}
