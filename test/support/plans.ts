/** Plans of everything that a connection runs, statements inside functions included, as the server reports them. */
import type pg from 'pg';

export interface Plan {
  readonly text: string;
  readonly cost: number;
  /** Settings that differ from their defaults and count in planning. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whether the statement was compiled before it ran. */
  readonly isCompiled: boolean;
}

interface Report {
  readonly 'Query Text': string;
  readonly Plan: { readonly 'Total Cost': number };
  readonly Settings?: Readonly<Record<string, string>>;
  readonly JIT?: object;
}

/** Runs one statement, which is undone, as a superuser. */
export async function explainAll(client: pg.Client, statement: string): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  const note = ({ message }: { readonly message: string | undefined }) => {
    const [, json] = /^duration: .*? plan:\n([\s\S]*)$/.exec(message ?? '') ?? [];
    if (json !== undefined) plans.push(toPlan(JSON.parse(json) as Report));
  };
  client.on('notice', note);
  try {
    await client.query('begin');
    await client.query(`load 'auto_explain'; set local auto_explain.log_min_duration = 0;
      set local auto_explain.log_nested_statements = on; set local auto_explain.log_analyze = on;
      set local auto_explain.log_settings = on; set local auto_explain.log_format = json;
      set local client_min_messages = log`);
    await client.query(statement);
    await client.query('rollback');
  } finally {
    client.off('notice', note);
  }
  return plans;
}

function toPlan(report: Report): Plan {
  const { 'Query Text': text, Plan: root, Settings: settings = {}, JIT: compiled } = report;
  return { text, cost: root['Total Cost'], settings, isCompiled: compiled !== undefined };
}
