/** What it is, how it stands, and what came last. */
import { useState } from 'preact/hooks';
import { StopReason } from '../../../../clients/typescript/src/index.ts';
import { dayAndTime, titled } from '../../parts/formats.ts';
import { Link } from '../../shell/link.tsx';
import type { Columns, Head } from './columns.ts';
import { verdictsOn } from './distances.ts';
import type { Run } from './history.ts';
import { fullInputText, inputNames, inputText } from './values.ts';

const STATES: Readonly<Record<Head['stopReason'], readonly [text: string, look: string]>> = {
  [StopReason.RUNNING]: ['Running', 'state-running'],
  [StopReason.SATISFIED]: ['Satisfied', 'state-satisfied'],
  [StopReason.STOPPED]: ['Stopped', 'state-ended'],
  [StopReason.EXHAUSTED]: ['All runs used', 'state-ended'],
};

export function Header({ run }: { readonly run: Run }) {
  const head = run.head.value;
  const [state, look] = STATES[head.stopReason];
  const last = lastLoadedAt(run.columns.value);
  return (
    <header class="objective-header">
      <p class="hint">
        <Link to="/page">Objectives</Link> › trial {head.trialNumber} › objective {head.number}
      </p>
      <h1>{head.projectName}</h1>
      <p class="objective-facts" role="status">
        <span class={`state ${look}`}>{state}</span>
        <span>
          {head.attemptCount.toLocaleString('en-US')} of {head.maximumAttempts.toLocaleString('en-US')} runs
        </span>
        <span>{bestText(head)}</span>
        {last !== undefined && (
          <span class="hint">
            last output <time dateTime={last.toISOString()}>{dayAndTime(last)}</time>
          </span>
        )}
        {head.every > 1 && (
          <span class="hint">Every {ordinal(head.every)} run is shown; go to a run for any other.</span>
        )}
      </p>
      {head.stopReason === StopReason.SATISFIED && <MetAt head={head} />}
    </header>
  );
}

function bestText(head: Head): string {
  const { bestOutput, bestIteration, bestCaseNumber } = head;
  if (bestOutput === null) return 'No run has been judged yet';
  const met = verdictsOn(head, bestOutput).filter(Boolean).length;
  const which = bestIteration === null ? `known case ${bestCaseNumber}` : `iteration ${bestIteration}`;
  return `Best: ${which}, ${met} of ${bestOutput.length} met`;
}

function MetAt({ head }: { readonly head: Head }) {
  const [notice, setNotice] = useState('');
  const { optimalIteration, bestIteration, bestInput } = head;
  // The input is that of the best run, which is the one that satisfies.
  if (bestInput === null || (optimalIteration !== null && bestIteration !== null && optimalIteration !== bestIteration))
    return <p class="notice met-notice">Met at iteration {optimalIteration}.</p>;
  const names = inputNames(head);
  const copy = async () => {
    const lines = bestInput.map((value, i) => `${names[i]}\t${fullInputText(head, i, value)}\n`).join('');
    const { copyText } = await import('../../parts/export.ts');
    setNotice((await copyText(lines)) ? 'Copied' : 'The browser does not allow copying here.');
  };
  return (
    <div class="notice met-notice">
      <p>
        <strong>{optimalIteration === null ? 'Met by a known case' : `Met at iteration ${optimalIteration}`}</strong>{' '}
        <button type="button" onClick={() => void copy()}>
          Copy the input
        </button>{' '}
        <span role="status">{notice}</span>
      </p>
      <dl class="input-list">
        {bestInput.map((value, i) => (
          <div key={names[i]}>
            <dt>{titled(names[i]!, head.inputUnits?.[i])}</dt>
            <dd class="number" title={fullInputText(head, i, value)}>
              {inputText(head, i, value)}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function lastLoadedAt({ loadedAt }: Columns): Date | undefined {
  let last = Number.NEGATIVE_INFINITY;
  for (const time of loadedAt) if (time > last) last = time;
  return last > 0 ? new Date(last) : undefined;
}

const ordinal = (n: number) => `${n}${['th', 'st', 'nd', 'rd'][n % 100 > 10 && n % 100 < 14 ? 0 : n % 10] ?? 'th'}`;
