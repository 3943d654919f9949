/** Rows that hold an objective together with one of its inverses, and what the statements of a cycle share otherwise. */
import { type RawBuilder, sql } from 'kysely';
import type { Inverse } from '../../domain/search/inverse.ts';
import { type InverseRow, toInverse } from './inverses.ts';
import { OBJECTIVE_COLUMNS, type ObjectiveWithParents } from './objectives.ts';
import { INVERSE_COLUMNS } from './run-columns.ts';

/** Columns given as 'table.column as name'. */
export function columns(list: readonly string[]): RawBuilder<unknown> {
  return sql.join(
    list.map((column) => {
      const [from, name] = column.split(' as ') as [string, string];
      return sql`${sql.ref(from)} as ${sql.id(name)}`;
    }),
  );
}

const PREFIX = 'inverse.';
/** The name of a column given as 'table.column as name'. */
export const nameOf = (column: string): string => column.split(' as ')[1]!;
const INVERSE_NAMES = [...INVERSE_COLUMNS.map(nameOf), 'basisOutput'];

/** The columns of the inverse in the common table expression `table`, told apart from those of the objective. */
export function inverseOf(table: string, prefix = PREFIX): RawBuilder<unknown> {
  return sql.join(INVERSE_NAMES.map((name) => sql`${sql.ref(`${table}.${name}`)} as ${sql.id(prefix + name)}`));
}

export type Row = Readonly<Record<string, unknown>>;

function pick(row: Row, names: readonly string[], prefix = ''): Row {
  return Object.fromEntries(names.map((name) => [name, row[prefix + name]]));
}

/** The inverse of `inverseOf`. */
export function readInverse(row: Row, prefix = PREFIX): Inverse {
  return toInverse(pick(row, INVERSE_NAMES, prefix) as unknown as InverseRow);
}

/** Reads a row with OBJECTIVE_WITH_PARENTS; without LABELS the labels are null. */
export function readWithParents(row: Row): ObjectiveWithParents {
  return { ...pick(row, NAMES_WITH_PARENTS), labels: row.labels ?? null } as unknown as ObjectiveWithParents;
}

/** Columns of an objective `o` and its trial `t`. */
export const OBJECTIVE_WITH_PARENTS = [
  ...OBJECTIVE_COLUMNS,
  'o.model_id as modelId',
  'o.project_id as projectId',
  't.status as trialStatus',
  't.output_case_set_id as outputCaseSetId',
];

const NAMES_WITH_PARENTS = OBJECTIVE_WITH_PARENTS.map(nameOf);

/** The output of the optimal inverse of objective `o`, if there is one. */
export const OPTIMAL_OUTPUT = sql`(select h.output from inverses h where h.id = o.optimal_inverse_id) as "optimalOutput"`;
