/** The outcome of a run, from the fuzzer's reports and the service's own log. */
import { readFileSync } from 'node:fs';

/** The relevant part of the fuzzer's JSON report. */
interface Report {
  readonly schemathesis_version: string;
  readonly complete: boolean;
  readonly operations: { readonly total: number; readonly tested: number };
  readonly test_cases: { readonly generated: number; readonly errored: number };
  readonly failures: readonly { readonly title: string; readonly count: number }[];
  readonly errors: readonly unknown[];
}

export interface DocumentOutcome {
  readonly document: string;
  readonly fuzzer: string;
  readonly operations: number;
  readonly cases: number;
  /** Failed checks, by title. */
  readonly failures: Readonly<Record<string, number>>;
  /** Untested operations, and cases and phases that were aborted. */
  readonly unfinished: number;
}

export function readReport(file: string, document: string): DocumentOutcome {
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const { operations, test_cases: cases } = report;
  const untested = operations.total - operations.tested;
  return {
    document,
    fuzzer: `schemathesis ${report.schemathesis_version}`,
    operations: operations.tested,
    cases: cases.generated,
    failures: Object.fromEntries(report.failures.map(({ title, count }) => [title, count])),
    unfinished: untested + cases.errored + report.errors.length + (report.complete ? 0 : 1),
  };
}

export interface ServiceOutcome {
  readonly answers: Readonly<Record<string, number>>;
  readonly serverErrors: number;
}

/** Counts answers in the service's log; a logged error counts even if its answer was lost. */
export function readServiceLog(file: string): ServiceOutcome {
  const answers: Record<string, number> = {};
  let answered = 0;
  let failed = 0;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.includes('"msg":"request.failed"')) failed++;
    if (!line.includes('"msg":"request.answered"')) continue;
    const { status } = JSON.parse(line) as { readonly status: number };
    answers[status] = (answers[status] ?? 0) + 1;
    if (status >= 500) answered++;
  }
  return { answers, serverErrors: Math.max(answered, failed) };
}
