/** Plans of everything that a connection runs, statements inside functions included, as the server reports them. */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Db } from '../../src/db/connection/transaction.ts';
import type { Database } from '../../src/db/schema.ts';

export interface Plan {
  readonly text: string;
  readonly cost: number;
  /** Settings that differ from their defaults and count in planning. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whether the statement was compiled before it ran. */
  readonly isCompiled: boolean;
  /** Every scan of a table, as `Index Scan using some_index on some_table`. */
  readonly scans: readonly string[];
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Total Cost': number;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Node[];
}

interface Report {
  readonly 'Query Text': string;
  readonly Plan: Node;
  readonly Settings?: Readonly<Record<string, string>>;
  readonly JIT?: object;
}

/** Makes a superuser's session report the plan of everything it runs. */
const EXPLAIN = `load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
  set auto_explain.log_analyze = on; set auto_explain.log_settings = on; set auto_explain.log_format = json;
  set client_min_messages = log`;

/**
 * A handle of one superuser's connection whose plans are noted, and generic from the first run: as a session plans a statement
 * that it has run several times.
 */
export function connectExplained(url: string): { readonly db: Db; readonly plans: Plan[] } {
  const plans: Plan[] = [];
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    onConnect: async (client) => {
      await client.query(`${EXPLAIN}; set plan_cache_mode = force_generic_plan`);
      client.on('notice', (notice) => {
        const plan = readPlan(notice);
        if (plan !== undefined) plans.push(plan);
      });
    },
  });
  // A pool ends before its connections have closed; dropping the database may then be what closes them.
  pool.on('error', () => undefined);
  return { db: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }), plans };
}

interface Notice {
  readonly message: string | undefined;
}

function readPlan({ message }: Notice): Plan | undefined {
  const [, json] = /^duration: .*? plan:\n([\s\S]*)$/.exec(message ?? '') ?? [];
  return json === undefined ? undefined : toPlan(JSON.parse(json) as Report);
}

/** Runs one statement, which is undone, as a superuser. */
export async function explainAll(client: pg.Client, statement: string): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  const note = (notice: Notice) => {
    const plan = readPlan(notice);
    if (plan !== undefined) plans.push(plan);
  };
  client.on('notice', note);
  try {
    await client.query('begin');
    await client.query(EXPLAIN.replaceAll('set ', 'set local '));
    await client.query(statement);
    await client.query('rollback');
  } finally {
    client.off('notice', note);
  }
  return plans;
}

function toPlan(report: Report): Plan {
  const { 'Query Text': text, Plan: root, Settings: settings = {}, JIT: compiled } = report;
  return { text, cost: root['Total Cost'], settings, isCompiled: compiled !== undefined, scans: scansOf(root) };
}

function scansOf(node: Node): string[] {
  const { 'Relation Name': table, 'Index Name': index, 'Node Type': type } = node;
  const scan =
    table === undefined || !type.endsWith('Scan') ? [] : [`${type}${index ? ` using ${index}` : ''} on ${table}`];
  return [...scan, ...(node.Plans ?? []).flatMap(scansOf)];
}
