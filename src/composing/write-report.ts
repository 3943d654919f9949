import { readReport } from '../application/exports/read-report.ts';
import { ModelInsights } from '../application/search/model-insights.ts';
import type { Db } from '../db/connection/transaction.ts';
import { startEngine } from '../engine/pool.ts';
import { presentReport } from '../http/native/exports/report.wire.ts';
import { makeReports } from '../http/report/reports.ts';
import type { Config } from '../settings/config.ts';

interface Wanted {
  readonly accountId: number;
  readonly objectiveId: number;
  readonly format: 'html' | 'pdf';
}

/** Writes the report of an objective without a service. Throws DomainError. `onError` hears of faults of threads. */
export async function writeReport(
  db: Db,
  { accountId, objectiveId, format }: Wanted,
  { engine: settings }: Pick<Config, 'engine'>,
  onError: (error: Error) => void,
): Promise<Uint8Array> {
  // For the intervals of a fit.
  const engine = startEngine({ ...settings, keepWarm: false, onError });
  const reports = makeReports();
  try {
    const modelInsights = new ModelInsights({ engine, ...settings });
    const signal = new AbortController().signal;
    const report = await readReport({ db, accountId, path: { objectiveId }, modelInsights, signal });
    const source = await presentReport(report, async () => () => undefined);
    return (await reports.write({ ...source, format })).bytes;
  } finally {
    await reports.close();
    await engine.close();
  }
}
