/**
 * A campaign: the export of a model, and before it everything that its suggestions were computed from, so that another machine repeats
 * them without a database. Rows of the history and what all suggestions of a search share are written once and named by a number.
 */
import type { SuggestRequest } from '../../optimizer/interface/problem.ts';

export const CAMPAIGN_FORMAT = 1;

/** The first line. */
export interface CampaignHeader {
  readonly type: 'campaign';
  readonly format: number;
  /** Versions of what computed, as far as the exporting installation knows: an earlier release may have made earlier suggestions. */
  readonly versions: Versions;
  readonly exportedAt: string;
  /** The problem file, if the campaign is that of one. */
  readonly problem: { readonly file: string; readonly text: string } | null;
}

export interface Versions {
  readonly backsolve: string;
  readonly node: string;
  readonly v8: string;
  /** Such as linux-x64. */
  readonly platform: string;
}

export interface RowLine {
  readonly type: 'row';
  readonly row: number;
  readonly input: readonly number[];
  /** null for a failed run. */
  readonly output: readonly number[] | null;
  /** Outputs x inputs, NaN where a derivative is unknown; absent where all are. */
  readonly jacobian?: readonly number[];
}

type Varying = 'history' | 'pending' | 'firstSuggested' | 'firstOwn' | 'solutions' | 'robustAim' | 'coarse';

export interface SearchLine {
  readonly type: 'search';
  readonly search: number;
  readonly request: Omit<SuggestRequest, Varying>;
}

export interface SuggestionLine {
  readonly type: 'suggestion';
  readonly objectiveId: number;
  readonly iteration: number;
  /** Whether nothing new was found, and the input is that of an earlier run. */
  readonly isEnd: boolean;
  readonly input: readonly number[];
  /** null: something that it learned from is no longer stored. */
  readonly from: Source | null;
}

interface Source extends Pick<SuggestRequest, 'firstSuggested' | 'firstOwn' | 'robustAim'> {
  readonly search: number;
  /** Rows of the history, in its order. */
  readonly rows: readonly number[];
  readonly pending: readonly number[];
  readonly solutions: { readonly found: readonly number[]; readonly apart: number } | null;
  /** Cheaper sources, in their order; absent without any. */
  readonly coarse?: readonly {
    readonly cost: number;
    readonly loaded?: number;
    readonly rows: readonly number[];
    readonly pending: readonly number[];
  }[];
}

export type CampaignLine = CampaignHeader | RowLine | SearchLine | SuggestionLine;

/** JSON has neither infinities nor the sign of zero. */
const UNUSUAL = ['Infinity', '-Infinity', '-0', 'NaN'];

export function writeLine(line: CampaignLine): string {
  const text = JSON.stringify(line, (_, value) => {
    if (typeof value !== 'number' || (Number.isFinite(value) && !Object.is(value, -0))) return value;
    return Object.is(value, -0) ? '-0' : String(value);
  });
  return `${text}\n`;
}

/** Undefined if the line is damaged. Lines of the export that follows have other types. */
export function readLine(text: string): CampaignLine | { readonly type: string } | undefined {
  let line: unknown;
  try {
    line = JSON.parse(text, (_, value) => (UNUSUAL.includes(value) ? Number(value) : value));
  } catch {
    return undefined;
  }
  if (!isObject(line) || typeof line['type'] !== 'string') return undefined;
  const isWhole = Object.hasOwn(IS_WHOLE, line['type']) ? IS_WHOLE[line['type']]! : () => true;
  return isWhole(line) ? (line as { readonly type: string }) : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** As far as a request is put together of it; the optimizer refuses the rest. */
const IS_WHOLE: Readonly<Record<string, (line: Fields) => boolean>> = {
  campaign: ({ format, versions }) => isCount(format) && isObject(versions),
  row: ({ row, input, output, jacobian }) =>
    isCount(row) && areNumbers(input) && (output === null || areNumbers(output)) && isAbsentOr(areNumbers, jacobian),
  search: ({ search, request }) =>
    isCount(search) &&
    isObject(request) &&
    isObject(request['goal']) &&
    Array.isArray(request['goal']['targets']) &&
    isObject(request['space']) &&
    Array.isArray(request['space']['variables']),
  suggestion: ({ objectiveId, iteration, input, from }) =>
    isCount(objectiveId) && isCount(iteration) && areNumbers(input) && (from === null || isSource(from)),
};

function isSource(from: unknown): boolean {
  if (!isObject(from)) return false;
  const { search, rows, pending, solutions, coarse } = from;
  const areFound = solutions === null || (isObject(solutions) && areNumbers(solutions['found']));
  const isCoarse = (source: unknown) => isObject(source) && areCounts(source['rows']) && areNumbers(source['pending']);
  const areCoarse = (sources: unknown) => Array.isArray(sources) && sources.every(isCoarse);
  return isCount(search) && areCounts(rows) && areNumbers(pending) && areFound && isAbsentOr(areCoarse, coarse);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function areCounts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isCount);
}

function areNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'number');
}

function isAbsentOr(is: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || is(value);
}

/** Names rows and searches, and hands each of them out as a line the first time. */
export class CampaignWriter {
  readonly #rows = new Map<string, number>();
  readonly #searches = new Map<string, number>();

  /** The lines of a suggestion: what is new, then the suggestion itself. */
  *write(line: Omit<SuggestionLine, 'type' | 'from'>, request: SuggestRequest | null): Generator<CampaignLine> {
    if (request === null) {
      yield { type: 'suggestion', ...line, from: null };
      return;
    }
    const { history, pending, firstSuggested, firstOwn, solutions, robustAim, coarse, ...shared } = request;
    const [search, isNew] = numberOf(this.#searches, writeLine({ type: 'search', search: 0, request: shared }));
    if (isNew) yield { type: 'search', search, request: shared };
    const rows = yield* this.#writeRows(history);
    const sources: NonNullable<Source['coarse']>[number][] = [];
    for (const source of coarse ?? []) {
      const known = yield* this.#writeRows(source.history);
      sources.push({
        cost: source.cost,
        ...(source.loaded !== undefined && { loaded: source.loaded }),
        rows: known,
        pending: Array.from(source.pending ?? []),
      });
    }
    const from: Source = {
      search,
      rows,
      pending: Array.from(pending ?? []),
      firstSuggested,
      ...(firstOwn !== undefined && { firstOwn }),
      solutions: solutions === undefined ? null : { ...solutions, found: Array.from(solutions.found) },
      ...(robustAim !== undefined && { robustAim }),
      ...(coarse !== undefined && { coarse: sources }),
    };
    yield { type: 'suggestion', ...line, from };
  }

  /** The rows of a history that are new; returns the numbers of all. */
  *#writeRows(history: SuggestRequest['history']): Generator<RowLine, number[]> {
    const rows: number[] = [];
    for (const content of rowsOf(history)) {
      const [row, isFirst] = numberOf(this.#rows, writeLine({ type: 'row', row: 0, ...content }));
      if (isFirst) yield { type: 'row', row, ...content };
      rows.push(row);
    }
    return rows;
  }
}

function numberOf(known: Map<string, number>, text: string): readonly [number: number, isNew: boolean] {
  const found = known.get(text);
  if (found !== undefined) return [found, false];
  known.set(text, known.size);
  return [known.size - 1, true];
}

function* rowsOf({
  count,
  X,
  Y,
  failed,
  jacobian,
}: SuggestRequest['history']): Generator<Omit<RowLine, 'type' | 'row'>> {
  const part = (values: Float64Array, row: number) => {
    const width = values.length / count;
    return Array.from(values.subarray(row * width, (row + 1) * width));
  };
  for (let row = 0; row < count; row++) {
    const derivatives = jacobian === undefined ? [] : part(jacobian, row);
    yield {
      input: part(X, row),
      output: failed[row] === 1 ? null : part(Y, row),
      ...(derivatives.some((value) => !Number.isNaN(value)) && { jacobian: derivatives }),
    };
  }
}

/** Puts requests together again. */
export class CampaignReader {
  readonly #rows: RowLine[] = [];
  readonly #searches: SearchLine[] = [];

  add(line: RowLine | SearchLine): void {
    if (line.type === 'row') this.#rows[line.row] = line;
    else this.#searches[line.search] = line;
  }

  /** Undefined when the file lacks a row or a search that it names, or has another one under its number. */
  requestOf({ search, rows, pending, solutions, coarse, ...rest }: Source): SuggestRequest | undefined {
    const shared = this.#searches[search];
    const inputs = shared?.request.space.variables.length ?? 0;
    const outputs = shared?.request.goal.targets.length ?? 0;
    const historyOf = (numbers: readonly number[]) => {
      const found = numbers.map((row) => this.#rows[row]);
      return found.every((row) => row !== undefined && isOf(row, inputs, outputs))
        ? toHistory(found as RowLine[], outputs)
        : undefined;
    };
    const history = historyOf(rows);
    const sources = coarse?.map(({ pending: open, rows: known, ...of }) => ({
      ...of,
      history: historyOf(known)!,
      ...(open.length > 0 && { pending: Float64Array.from(open) }),
    }));
    if (shared === undefined || history === undefined || sources?.some((one) => one.history === undefined))
      return undefined;
    return {
      ...shared.request,
      ...rest,
      history,
      ...(sources && { coarse: sources }),
      ...(pending.length > 0 && { pending: Float64Array.from(pending) }),
      ...(solutions !== null && { solutions: { ...solutions, found: Float64Array.from(solutions.found) } }),
    };
  }
}

function isOf({ input, output, jacobian }: RowLine, inputs: number, outputs: number): boolean {
  const isDerived = jacobian === undefined || jacobian.length === inputs * outputs;
  return input.length === inputs && (output === null || output.length === outputs) && isDerived;
}

function toHistory(rows: readonly RowLine[], outputs: number): SuggestRequest['history'] {
  const width = rows.find(({ jacobian }) => jacobian !== undefined)?.jacobian?.length;
  return {
    count: rows.length,
    X: Float64Array.from(rows.flatMap(({ input }) => input)),
    // Outputs of failed runs are never read.
    Y: Float64Array.from(rows.flatMap(({ output }) => output ?? Array<number>(outputs).fill(0))),
    failed: Uint8Array.from(rows, ({ output }) => (output === null ? 1 : 0)),
    ...(width !== undefined && {
      jacobian: Float64Array.from(rows.flatMap(({ jacobian }) => jacobian ?? Array<number>(width).fill(Number.NaN))),
    }),
  };
}
