/** The figures of a run, as JSON and as a table. */
import { quantile } from '../quantile.ts';
import { type FaultRecord, type Outcome, RESUME_LIMIT_MS, type RunOptions } from './phases.ts';

const RECOVERY_TARGET_MS = 10_000;

export type Report = ReturnType<typeof makeReport>;

export function makeReport(options: RunOptions, outcome: Outcome, differences: readonly string[]) {
  const { found, repeated, recovery, faults } = outcome;
  const missing = options.faults.filter((name) => !faults.some((fault) => fault.name === name));
  const recoveryAt = (share: number) => (recovery.calmMs.length === 0 ? null : quantile(recovery.calmMs, share));
  const p99 = recoveryAt(0.99);
  const unfinished = outcome.journals.filter(({ isEnded }) => !isEnded).map(({ index }) => `objective number ${index}`);
  const violations = [
    ...found.lost.map((what) => `lost: ${what}`),
    ...found.doubled.map((what) => `doubled: ${what}`),
    ...found.outOfOrder.map((what) => `out of order: ${what}`),
    ...found.tooMany.map((what) => `too many open: ${what}`),
    ...found.wrongAttemptCounts.map((what) => `attemptCount: ${what}`),
    ...found.leftOver.map((what) => `left over: ${what}`),
    ...differences.map((what) => `differs from the undisturbed run: ${what}`),
    ...outcome.standings.map((what) => `not what its runs lead to: ${what}`),
    ...repeated.differences.map((what) => `cannot be repeated: ${what}`),
    ...(repeated.withPending === 0 ? ['no suggestion was computed beside open inverses'] : []),
    ...(repeated.withOthers === 0 ? ['no suggestion learned from another objective'] : []),
    ...unfinished.map((what) => `not finished: ${what}`),
    ...outcome.complaints,
    ...faults.filter(isNotSurvived).map(({ name, resumedAfterMs }) => `${name}: resumed after ${resumedAfterMs} ms`),
    ...missing.map((name) => `${name} never happened`),
    ...unexpectedAnswers(outcome.retries),
    ...(outcome.inverses < options.inverses
      ? [`only ${outcome.inverses} of ${options.inverses} inverses in time`]
      : []),
    ...(p99 !== null && p99 > RECOVERY_TARGET_MS ? [`p99 recovery ${p99} ms`] : []),
  ];
  const { folder: _folder, ...settings } = options;
  return {
    at: new Date().toISOString(),
    options: settings,
    inverses: outcome.inverses,
    objectives: outcome.journals.length,
    seconds: Math.round(outcome.seconds),
    lost: found.lost.length,
    doubled: found.doubled.length,
    outOfOrder: found.outOfOrder.length,
    tooManyOpen: found.tooMany.length,
    wrongAttemptCounts: found.wrongAttemptCounts.length,
    differentFromUndisturbed: differences.length,
    repeated: {
      suggestions: repeated.count,
      withOtherObjectives: repeated.withOthers,
      besideOpenInverses: repeated.withPending,
    },
    notRepeatable: repeated.differences.length,
    notAsItsRuns: outcome.standings.length,
    failedComputations: outcome.journals.reduce((sum, journal) => sum + journal.failedComputations, 0),
    processes: { ...outcome.counts, starts: outcome.starts, complaints: outcome.complaints.length },
    recoveryMs: {
      jobs: recovery.calmMs.length,
      p50: recoveryAt(0.5),
      p99,
      maximum: recovery.calmMs.at(-1) ?? null,
      slowest: recovery.calmMs.slice(-10),
      hitAgain: recovery.hitAgain,
      withDatabaseFault: { jobs: recovery.disturbedMs.length, maximum: recovery.disturbedMs.at(-1) ?? null },
    },
    databaseFaults: Object.fromEntries(options.faults.map((name) => [name, summarize(faults, name)])),
    retries: outcome.retries,
    loggedWarnings: outcome.events,
    violations,
  };
}

function isNotSurvived({ resumedAfterMs }: FaultRecord): boolean {
  return resumedAfterMs !== null && resumedAfterMs > RESUME_LIMIT_MS;
}

function summarize(faults: readonly FaultRecord[], name: string) {
  const own = faults.filter((fault) => fault.name === name);
  const resumed = own.flatMap(({ resumedAfterMs }) => (resumedAfterMs === null ? [] : [resumedAfterMs]));
  return {
    times: own.length,
    survived: own.length - own.filter(isNotSurvived).length,
    slowestMs: Math.max(0, ...resumed),
  };
}

/** An unreachable, restarting or overloaded service answers 503; 500 is a defect, unless it reports a failed computation. */
function unexpectedAnswers(retries: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(retries)
    .filter(([reason]) => reason.startsWith('500') && !reason.includes('suggestion-failed'))
    .map(([reason, count]) => `${count} answers ${reason}`);
}

export function printReport(report: Report): void {
  console.log(JSON.stringify(report, null, 2));
  console.table({
    'inverses under chaos': report.inverses,
    lost: report.lost,
    doubled: report.doubled,
    'out of order': report.outOfOrder,
    'objectives that differ from the undisturbed run': report.differentFromUndisturbed,
    'suggestions that cannot be repeated': `${report.notRepeatable} of ${report.repeated.suggestions}`,
    'objectives that are not what their runs lead to': report.notAsItsRuns,
    'processes that required a person': report.processes.complaints,
    'killed, frozen, restarted': `${report.processes.killedWorkers + report.processes.killedIngresses}, ${report.processes.frozen}, ${report.processes.restarted}`,
    'recovery of killed jobs, p50 / p99 / max ms': `${report.recoveryMs.p50} / ${report.recoveryMs.p99} / ${report.recoveryMs.maximum} (${report.recoveryMs.jobs} jobs)`,
    'database faults survived': `${Object.values(report.databaseFaults).reduce((sum, { survived }) => sum + survived, 0)} of ${Object.values(report.databaseFaults).reduce((sum, { times }) => sum + times, 0)}`,
  });
  console.log(report.violations.length === 0 ? 'No violation.' : report.violations.slice(0, 40).join('\n'));
}
