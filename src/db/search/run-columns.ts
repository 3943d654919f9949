/** Reads the fields of a run from `inverses as i`; domain/data/run-fields.ts has the fields. */
import { type RawBuilder, sql } from 'kysely';
import {
  type FieldOf,
  RUN_FIELDS,
  type RunFieldName,
  type RunValue,
  STORED_RUN_FIELDS,
  type StoredRunField,
} from '../../domain/data/run-fields.ts';

type InverseColumn = { [Name in StoredRunField]: `i.${FieldOf<Name>['column']} as ${Name}` }[StoredRunField];

/** All that is stored of a run, for Kysely. */
export const INVERSE_COLUMNS = STORED_RUN_FIELDS.map(
  (name) => `i.${RUN_FIELDS[name].column} as ${name}`,
) as readonly InverseColumn[];

/** Column of the newest note with a text on an inverse `i`. Along notes_of_runs. */
function ofNote(column: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select ${column} from notes n
    where n.inverse_id = i.id and n.disabled_at is null and n.text <> '' order by n.id desc limit 1)`;
}

/** Fields that follow from others, or from other tables. */
const EXPRESSIONS = {
  isRepeat: sql`i.repeat_of is not null`,
  hasJacobian: sql`i.jacobian is not null`,
  isExcluded: sql`i.excluded_at is not null`,
  isCorrected: sql`exists (select from corrections c where c.inverse_id = i.id and not c.is_note)`,
  note: ofNote(sql`n.text`),
  notedBy: ofNote(sql`coalesce(n.edited_by, n.written_by)`),
  notedAt: ofNote(sql`coalesce(n.edited_at, n.created_at)`),
} satisfies Partial<Record<RunFieldName, RawBuilder<unknown>>>;

/** Whether an inverse `i` was ever corrected. */
export const WAS_CORRECTED = EXPRESSIONS.isCorrected;

type ReadField = StoredRunField | keyof typeof EXPRESSIONS;

/** Whether the database has the field; others follow from the objective. */
export function isRead<Name extends RunFieldName>(name: Name): name is Extract<Name, ReadField> {
  return 'column' in RUN_FIELDS[name] || name in EXPRESSIONS;
}

/** Forms in which vectors are read. As text with all digits: parsing numbers and writing them again would take most of the time. */
const VECTORS = {
  numbers: (column: RawBuilder<unknown>) => column,
  /** Numbers separated by commas. */
  text: (column: RawBuilder<unknown>) => sql`btrim(${column}::text, '{}')`,
  json: (column: RawBuilder<unknown>) => sql`coalesce(array_to_json(${column})::text, 'null')`,
};
type VectorForm = keyof typeof VECTORS;
type VectorIn<Form extends VectorForm> = { numbers: readonly number[] | null; text: string | null; json: string }[Form];

/** Some fields of a run, as columns. */
export function selectFields(names: readonly ReadField[], form: VectorForm): RawBuilder<unknown> {
  return sql.join(
    names.map((name) => {
      const field = RUN_FIELDS[name];
      const column = 'column' in field ? sql.ref(`i.${field.column}`) : EXPRESSIONS[name as keyof typeof EXPRESSIONS];
      return sql`${field.holds === 'vector' ? VECTORS[form](column) : column} as ${sql.id(name)}`;
    }),
  );
}

/** A row of selectFields. */
export type RunRow<Name extends RunFieldName, Form extends VectorForm> = {
  readonly [Each in Name]: FieldOf<Each>['holds'] extends 'vector'
    ? VectorIn<Form>
    : FieldOf<Each>['holds'] extends 'status'
      ? string
      : RunValue<Each>;
};
