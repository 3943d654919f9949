/** The types of src/db/schema.ts against a migrated database: tables, columns, types, nullability and defaults. */
import { readFile } from 'node:fs/promises';
import { parseSync } from 'oxc-parser';
import pg from 'pg';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../support/postgres.ts';

const SCHEMA = new URL('../../src/db/schema.ts', import.meta.url);

/** PostgreSQL's names of the types that the driver reads as these. */
const POSTGRES_TYPES: Readonly<Record<string, readonly string[]>> = {
  number: ['bigint', 'integer', 'smallint', 'double precision'],
  string: ['text', 'uuid'],
  boolean: ['boolean'],
  Date: ['timestamp with time zone'],
  Buffer: ['bytea'],
  Vector: ['double precision[]', 'integer[]'],
  Matrix: ['double precision[]'],
  'readonly (number | null)[]': ['double precision[]'],
  'readonly string[]': ['text[]'],
  'string[]': ['text[]'],
  'string[][]': ['jsonb'],
  unknown: ['json', 'jsonb'],
};

interface Column {
  readonly types: readonly string[];
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
}

type Tables = Readonly<Record<string, Readonly<Record<string, Column>>>>;

interface Interface {
  readonly id: { readonly name: string };
  readonly extends?: readonly { readonly expression: { readonly name: string } }[];
  readonly body: {
    readonly body: readonly {
      readonly key: { readonly name: string };
      readonly typeAnnotation: { readonly typeAnnotation: { readonly start: number; readonly end: number } };
    }[];
  };
}

/** The interfaces of the file, by name: each member with the text of its type, inherited ones first. */
function readInterfaces(source: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const found = new Map<string, Readonly<Record<string, string>>>();
  for (const statement of parseSync('schema.ts', source).program.body) {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (node?.type !== 'TSInterfaceDeclaration') continue;
    const declared = node as unknown as Interface;
    const inherited = (declared.extends ?? []).map(({ expression }) => found.get(expression.name)!);
    const own = declared.body.body.map(({ key, typeAnnotation: { typeAnnotation } }) => [
      key.name,
      source.slice(typeAnnotation.start, typeAnnotation.end),
    ]);
    found.set(declared.id.name, Object.assign({}, ...inherited, Object.fromEntries(own)));
  }
  return found;
}

function toColumn(text: string): Column {
  const isNullable = text.endsWith(' | null');
  const plain = text.replace(/ \| null$/, '');
  if (plain === 'Stamp') return { types: POSTGRES_TYPES['Date']!, isNullable, hasDefault: true };
  const [, generated] = /^Generated<(.*)>$/.exec(plain) ?? [];
  const [, read, inserted] = /^ColumnType<(.*?), (.*), .*>$/.exec(plain) ?? [];
  const types = POSTGRES_TYPES[generated ?? read ?? plain];
  if (types === undefined) throw new Error(`no PostgreSQL type is known for ${text}`);
  return { types, isNullable, hasDefault: generated !== undefined || (inserted?.includes('undefined') ?? false) };
}

async function readDeclared(): Promise<Tables> {
  const interfaces = readInterfaces(await readFile(SCHEMA, 'utf8'));
  return Object.fromEntries(
    Object.entries(interfaces.get('Database')!).map(([table, name]) => [
      table,
      Object.fromEntries(Object.entries(interfaces.get(name)!).map(([column, text]) => [column, toColumn(text)])),
    ]),
  );
}

interface ColumnRow {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
}

async function readActual(url: string): Promise<readonly ColumnRow[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<ColumnRow>(`
      select c.table_name as table, c.column_name as column,
        case when e.data_type is null then c.data_type else e.data_type || '[]' end as type,
        c.is_nullable = 'YES' as "isNullable",
        c.column_default is not null or c.is_identity = 'YES' as "hasDefault"
      from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
      left join information_schema.element_types e on e.object_schema = c.table_schema and e.object_name = c.table_name
        and e.object_type = 'TABLE' and e.collection_type_identifier = c.dtd_identifier
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
        and c.table_name not in ('kysely_migration', 'kysely_migration_lock')`);
    return rows;
  } finally {
    await client.end();
  }
}

it('The table types describe every table of a migrated database as it is', async () => {
  const database = await createTestDatabase();
  const declared = await readDeclared();
  const actual = await readActual(database.directUrl);
  const tables: Record<string, Record<string, Column>> = {};
  for (const { table, column, type, isNullable, hasDefault } of actual) {
    tables[table] ??= {};
    const known = declared[table]?.[column];
    // A type may ask for a value that has a default, but must not promise a default that is not there.
    const isPromised = hasDefault && (known?.hasDefault ?? true);
    const types = known?.types.includes(type) ? known.types : [type];
    tables[table][column] = { types, isNullable, hasDefault: isPromised };
  }
  expect(declared).toEqual(tables);
  await database.drop();
});
