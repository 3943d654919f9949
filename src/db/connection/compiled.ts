/**
 * Statements that are built once. Building and compiling one costs as much processor time as sending it and reading its
 * answer, so the statements of frequent requests are compiled at their first use and then only get other values.
 */
import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely';
import type { Database } from '../schema.ts';
import type { Db, Trx } from './transaction.ts';

/** Builds statements and cannot run them. */
const builder: Db = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** Stands for a value while a statement is built. */
class Placeholder {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/**
 * The statement that `build` makes, as a function of its values. `build` runs once: what differs from call to call must come
 * from `value`, and it must not look into what that returns.
 */
export function compileOnce<Values extends object, Row>(
  build: (db: Db, value: <Name extends keyof Values>(name: Name) => Values[Name]) => Compilable<Row>,
): (db: Db | Trx, values: Values) => Promise<readonly Row[]> {
  let compiled: CompiledQuery<Row> | undefined;
  return async (db, values) => {
    compiled ??= build(builder, (name) => new Placeholder(name) as never).compile();
    const parameters = compiled.parameters.map((each) =>
      each instanceof Placeholder ? values[each.name as keyof Values] : each,
    );
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters });
    return rows;
  };
}

/** As compileOnce, for a statement that is written out. */
export function compileSqlOnce<Values extends object, Row>(
  write: (value: <Name extends keyof Values>(name: Name) => Values[Name]) => RawBuilder<Row>,
): (db: Db | Trx, values: Values) => Promise<readonly Row[]> {
  return compileOnce<Values, Row>((db, value) => ({ compile: () => write(value).compile(db) }));
}
