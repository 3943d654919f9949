/** The name of the objective, its state and its last output. */
import { StopReason } from '../../../../clients/typescript/src/index.ts';
import type { Columns, Head } from '../../../presentation/columns.ts';
import { dayAndTime, grouped } from '../../../presentation/formats.ts';
import { bestText, fitText, reachedText } from '../../../presentation/nearness.ts';
import { Link } from '../../shell/link.tsx';
import type { Run } from './state/history.ts';

const STATES: Readonly<Record<Head['stopReason'], readonly [text: string, look: string]>> = {
  [StopReason.RUNNING]: ['Running', 'state-running'],
  [StopReason.SATISFIED]: ['Satisfied', 'state-satisfied'],
  [StopReason.STOPPED]: ['Stopped', 'state-ended'],
  [StopReason.EXHAUSTED]: ['Exhausted', 'state-ended'],
};

export function Header({ run }: { readonly run: Run }) {
  const head = run.head.value;
  const [state, look] = STATES[head.stopReason];
  const last = lastLoadedAt(run.columns.value);
  const reached = reachedText(head);
  const fit = fitText(head);
  return (
    <header class="objective-header">
      <p class="hint">
        <Link to="/page">Objectives</Link> › trial {head.trialNumber} › objective {head.number}
      </p>
      <h1>{head.projectName}</h1>
      <p class="objective-facts" role="status">
        <span class={`state ${look}`}>{state}</span>
        <span>
          {grouped(head.attemptCount)} of {grouped(head.maximumAttempts)} suggested runs
        </span>
        <span>{bestText(head)}</span>
        {reached !== undefined && <span>{reached}</span>}
        {fit !== undefined && <span>{fit}</span>}
        {last !== undefined && (
          <span class="hint">
            Last output <time dateTime={last.toISOString()}>{dayAndTime(last)}</time>
          </span>
        )}
        {head.every > 1 && (
          <span class="hint">Every {ordinal(head.every)} run is shown. Use “Go to run” for the others.</span>
        )}
      </p>
      {head.fit?.warnings.map((warning) => (
        <p key={warning} class="notice">
          {warning}
        </p>
      ))}
    </header>
  );
}

function lastLoadedAt({ loadedAt }: Columns): Date | undefined {
  let last = Number.NEGATIVE_INFINITY;
  for (const time of loadedAt) if (time > last) last = time;
  return last > 0 ? new Date(last) : undefined;
}

const ordinal = (n: number) => `${n}${['th', 'st', 'nd', 'rd'][n % 100 > 10 && n % 100 < 14 ? 0 : n % 10] ?? 'th'}`;
