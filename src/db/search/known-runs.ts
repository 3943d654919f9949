/**
 * Everything that a suggestion learns from, as parts of a statement: the cases of a trial as of a revision of its data, and the
 * runs of its objectives. They look at added cases and corrections only past revision 0, and at other objectives only for an
 * objective that learns from them, so that they cost nothing where nothing of this is used.
 *
 * The parts call the objective `o` (id, trial_id, reuse, continues_id), its trial `t`, its project `p` and its set of output
 * cases `s`.
 */
import { type RawBuilder, sql } from 'kysely';
import { Matrix } from '../../domain/matrix.ts';
import { decodeElements, decodeMatrix, matrixColumn, matrixElements } from '../matrices.ts';

/** Other objectives that one learns from, besides the one that it continues: the newest. */
const MAXIMUM_OTHER_OBJECTIVES = 100;
/** Their runs: those of the newest objectives, and of the last of these its newest. */
const MAXIMUM_OTHER_RUNS = 5_000;

/** Cases, one row each: row i of the outputs answers row i of the inputs. */
export interface KnownCases {
  /** May have further rows that no output answers. */
  readonly inputCases: Matrix;
  readonly outputCases: Matrix;
  /** One row per case, NaN where not known; null without any. */
  readonly caseJacobians: Matrix | null;
  /** Zero-based rows whose run failed. */
  readonly failedCases: readonly number[];
  /** The zero-based number of the case in each row; null where row i is case i. */
  readonly caseNumbers: readonly number[] | null;
  /** Cases added as those of a cheaper source, which are none of the above. */
  readonly coarseCases: readonly CoarseCases[];
}

/** The cases of a cheaper source. */
export interface CoarseCases {
  readonly source: string;
  readonly inputs: Matrix;
  /** NaN where the run failed. */
  readonly outputs: Matrix;
  /** NaN where not known; null without any. */
  readonly jacobians: Matrix | null;
}

export interface CaseColumns {
  readonly inputCount: number;
  readonly outputCount: number;
  readonly inputCases: Buffer;
  readonly outputCases: Buffer;
  readonly caseJacobians: Buffer | null;
  readonly failedCases: readonly number[];
  readonly addedInputs: Buffer | null;
  readonly addedOutputs: Buffer | null;
  readonly addedJacobians: Buffer | null;
  /** Numbers of cases, from 1. */
  readonly failedAdded: readonly number[] | null;
  /** The first number, the count and the source of each batch of a cheaper source. */
  readonly coarseBatches: unknown;
  readonly correctedCases: readonly number[] | null;
  readonly areExcluded: readonly boolean[] | null;
  readonly correctedOutputs: Buffer | null;
  readonly correctedJacobians: Buffer | null;
}

/** Columns of `caseSources` that `toKnownCases` reads. */
export const CASE_COLUMNS = sql`
  p.input_count as "inputCount", s.output_count as "outputCount", ${matrixColumn('p.input_cases')} as "inputCases",
  ${matrixColumn('s.output_cases')} as "outputCases", s.failed_cases as "failedCases",
  ${matrixColumn('s.jacobians')} as "caseJacobians", a.inputs as "addedInputs", a.outputs as "addedOutputs", a.jacobians as "addedJacobians",
  a.coarse as "coarseBatches", f.numbers as "failedAdded",
  c.numbers as "correctedCases", c."areExcluded", c.outputs as "correctedOutputs", c.jacobians as "correctedJacobians"`;

/** The output, or NaN where the run failed. */
function orNaN(output: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce(${output}, array_fill('NaN'::float8, array[s.output_count]))`;
}

/** Derivatives of so many runs, none of them known. */
function unknownJacobian(runs: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`array_fill('NaN'::float8, array[${runs}, s.output_count * p.input_count])`;
}

/** Joins `a`, `f` and `c`: what was added and corrected up to a revision. */
export function caseSources(revision: RawBuilder<unknown>): RawBuilder<unknown> {
  const isAdded = sql`t.revision > 0 and a.trial_id = t.id and a.revision <= ${revision}`;
  return sql`
    cross join lateral (
      select string_agg(${matrixElements('a.inputs')}, ''::bytea order by a.first_number) as inputs,
        string_agg(${matrixElements('a.outputs')}, ''::bytea order by a.first_number) as outputs,
        jsonb_agg(jsonb_build_array(a.first_number, a.case_count, a.source) order by a.first_number)
          filter (where p.sources @> jsonb_build_array(jsonb_build_object('name', a.source))) as coarse,
        case when bool_or(a.jacobians is not null) then string_agg(
           ${matrixElements(sql`coalesce(a.jacobians, ${unknownJacobian(sql`a.case_count`)})`)}, ''::bytea order by a.first_number) end as jacobians
      from added_cases a where ${isAdded}) a
    cross join lateral (
      select array_agg(a.first_number + f.row) as numbers
      from added_cases a cross join unnest(a.failed_cases) f (row) where ${isAdded}) f
    cross join lateral (
      select array_agg(c.case_number order by c.case_number) as numbers,
        array_agg(c.is_excluded order by c.case_number) as "areExcluded",
        array_send(array_agg(${orNaN(sql`c.new_output`)} order by c.case_number)) as outputs,
        case when bool_or(c.new_jacobian is not null) then string_agg(
          ${matrixElements(sql`case when c.new_jacobian is null then ${unknownJacobian(sql`1`)} else array[c.new_jacobian] end`)}, ''::bytea order by c.case_number) end as jacobians
      from (
        select distinct on (c.case_number) c.case_number, c.is_excluded, c.new_output, c.new_jacobian from corrections c
        where t.revision > 0 and c.trial_id = t.id and c.case_number is not null and c.revision <= ${revision}
        order by c.case_number, c.revision desc) c) c`;
}

/** The designed and the added cases with their corrections; excluded ones are left out. */
export function toKnownCases(row: CaseColumns): KnownCases {
  const inputCases = decodeMatrix(row.inputCases);
  const outputCases = decodeMatrix(row.outputCases);
  const caseJacobians = row.caseJacobians && decodeMatrix(row.caseJacobians);
  if (row.addedInputs === null && row.correctedCases === null) {
    return { inputCases, outputCases, caseJacobians, failedCases: row.failedCases, caseNumbers: null, coarseCases: [] };
  }
  const addedInputs = decodeElements(row.addedInputs, row.inputCount);
  const addedOutputs = decodeElements(row.addedOutputs, row.outputCount);
  const inputs = [...rowsOf(inputCases).slice(0, outputCases.rows), ...rowsOf(addedInputs)];
  const outputs = [...rowsOf(outputCases), ...rowsOf(addedOutputs)];
  const failed = new Set([...row.failedCases, ...(row.failedAdded ?? []).map((number) => number - 1)]);
  const excluded = new Set<number>();
  const corrected = decodeMatrix(row.correctedOutputs);
  for (const [k, number] of (row.correctedCases ?? []).entries()) {
    const output = corrected.values.subarray(k * corrected.columns, (k + 1) * corrected.columns);
    outputs[number - 1] = output;
    if (row.areExcluded![k]) excluded.add(number - 1);
    if (Number.isNaN(output[0])) failed.add(number - 1);
    else failed.delete(number - 1);
  }
  const ofSources = coarseNumbers(row);
  const jacobians = jacobiansOf(row, caseJacobians, outputs.length);
  const caseNumbers = outputs.flatMap((_, number) => (excluded.has(number) || ofSources.has(number) ? [] : [number]));
  return {
    inputCases: fromRows(caseNumbers, inputs, row.inputCount),
    outputCases: fromRows(caseNumbers, outputs, row.outputCount),
    caseJacobians: jacobians?.pick(caseNumbers) ?? null,
    failedCases: caseNumbers.flatMap((number, k) => (failed.has(number) ? [k] : [])),
    caseNumbers,
    coarseCases: Array.from(
      Map.groupBy(ofSources.keys(), (number) => ofSources.get(number)!),
      ([source, all]) => {
        const numbers = all.filter((number) => !excluded.has(number));
        for (const number of numbers)
          if (failed.has(number)) outputs[number] = new Float64Array(row.outputCount).fill(Number.NaN);
        return {
          source,
          inputs: fromRows(numbers, inputs, row.inputCount),
          outputs: fromRows(numbers, outputs, row.outputCount),
          jacobians: jacobians?.pick(numbers) ?? null,
        };
      },
    ),
  };
}

/** The zero-based numbers of the cases of cheaper sources, each with its source. */
function coarseNumbers({ coarseBatches }: CaseColumns): ReadonlyMap<number, string> {
  const batches = (coarseBatches ?? []) as readonly (readonly [first: number, count: number, source: string])[];
  return new Map(
    batches.flatMap(([first, count, source]) =>
      Array.from({ length: count }, (_, k) => [first - 1 + k, source] as const),
    ),
  );
}

/** One row for each of so many cases, designed and added, as corrected; null without any. */
function jacobiansOf(row: CaseColumns, designed: Matrix | null, count: number): Matrix | null {
  const { addedJacobians, correctedJacobians, correctedCases, inputCount, outputCount } = row;
  if (designed === null && addedJacobians === null && correctedJacobians === null) return null;
  const columns = inputCount * outputCount;
  const values = new Float64Array(count * columns).fill(Number.NaN);
  const added = decodeElements(addedJacobians, columns);
  if (designed !== null) values.set(designed.values);
  if (added.rows > 0) values.set(added.values, (count - added.rows) * columns);
  const corrected = decodeElements(correctedJacobians, columns);
  for (const [k, number] of (correctedCases ?? []).entries()) {
    const at = (number - 1) * columns;
    if (corrected.rows === 0) values.fill(Number.NaN, at, at + columns);
    else values.set(corrected.values.subarray(k * columns, (k + 1) * columns), at);
  }
  return new Matrix(count, columns, values);
}

function rowsOf({ rows, columns, values }: Matrix): Float64Array[] {
  return Array.from({ length: rows }, (_, i) => values.subarray(i * columns, (i + 1) * columns));
}

function fromRows(chosen: readonly number[], rows: readonly Float64Array[], columns: number): Matrix {
  const values = new Float64Array(chosen.length * columns);
  for (const [k, number] of chosen.entries()) values.set(rows[number]!, k * columns);
  return new Matrix(chosen.length, columns, values);
}

/** Inverses that were run, one row each. Outputs of failed runs are NaN. */
export interface KnownRuns {
  readonly objectiveIds: readonly number[];
  readonly iterations: readonly number[];
  /** null for those that have none, such as initial points. */
  readonly completedOrders: readonly (number | null)[];
  readonly inputs: Matrix;
  readonly outputs: Matrix;
  /** One row per run, NaN where not known; null without any. */
  readonly jacobians: Matrix | null;
  /** null for the fine source. */
  readonly sources: readonly (string | null)[];
}

export interface RunColumns {
  /** As text, as the driver reads lists of bigint. */
  readonly objectiveIds: readonly string[] | null;
  readonly iterations: readonly number[] | null;
  readonly completedOrders: readonly (number | null)[] | null;
  readonly inputs: Buffer | null;
  readonly outputs: Buffer | null;
  readonly jacobians: Buffer | null;
  readonly sources: readonly (string | null)[] | null;
}

/**
 * The runs of a table `i` (objective_id, iteration, completed_order, input, output, jacobian, source), ordered, as one row that `toKnownRuns` reads;
 * of one objective, if its id is not wanted.
 */
export function gatheredRuns(from: RawBuilder<unknown>, { isOfOne = false } = {}): RawBuilder<unknown> {
  const ordered = isOfOne ? sql`order by i.iteration` : sql`order by i.objective_id, i.iteration`;
  const ids = isOfOne ? sql`` : sql`array_agg(i.objective_id ${ordered}) as "objectiveIds",`;
  return sql`
    select ${ids} array_agg(i.completed_order ${ordered}) as "completedOrders", array_agg(i.iteration ${ordered}) as iterations,
      array_agg(i.source ${ordered}) as sources, array_send(array_agg(i.input ${ordered})) as inputs,
      array_send(array_agg(${orNaN(sql`i.output`)} ${ordered})) as outputs,
      case when bool_or(i.jacobian is not null) then array_send(array_agg(
        coalesce(i.jacobian, array_fill('NaN'::float8, array[s.output_count * cardinality(i.input)])) ${ordered})) end as jacobians
    from ${from}`;
}

/**
 * Whether the inverse `i` has been run. One that an objective stopped with when it found nothing new repeats a known run; the output
 * of one that was given up was loaded.
 */
export const WAS_RUN = sql`i.input is not null and (
  i.output is not null and (i.status <> 'stopped' or i.loaded_at is not null) or i.status = 'failed')`;

/** The newest of some runs, where they are too many. */
export function newestRuns(runs: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${runs} order by objective_id desc, iteration desc limit ${sql.lit(MAXIMUM_OTHER_RUNS)}) i`;
}

/** The fine runs of the other objectives that `o` learns from as they are now. Along objectives_number_per_trial and inverses_one_per_iteration. */
export const OTHER_RUNS = gatheredRuns(
  newestRuns(sql`
    select i.objective_id, i.iteration, i.completed_order, i.input, i.output, i.jacobian, i.source
    from (
      (select q.id from objectives q
        where o.reuse and q.trial_id = o.trial_id and q.id <> o.id and q.disabled_at is null
        order by q.number desc limit ${sql.lit(MAXIMUM_OTHER_OBJECTIVES)})
      union
      select q.id from objectives q where q.id = o.continues_id and q.trial_id = o.trial_id and q.disabled_at is null) q
    cross join lateral (
      select i.objective_id, i.iteration, i.completed_order, i.input, i.output, i.jacobian, i.source from inverses i
      where i.objective_id = q.id and i.source is null and ${WAS_RUN} and i.excluded_at is null
      order by i.iteration desc limit ${sql.lit(MAXIMUM_OTHER_RUNS)}) i`),
);

export function toKnownRuns(row: RunColumns): KnownRuns {
  return {
    objectiveIds: (row.objectiveIds ?? []).map(Number),
    iterations: row.iterations ?? [],
    completedOrders: row.completedOrders ?? [],
    inputs: decodeMatrix(row.inputs),
    outputs: decodeMatrix(row.outputs),
    jacobians: row.jacobians && decodeMatrix(row.jacobians),
    sources: row.sources ?? [],
  };
}
