/** The targets of all outputs and how near the runs have come; the worst first. */
import { computed } from '@preact/signals';
import { useId, useMemo, useState } from 'preact/hooks';
import type { Columns } from '../../../../presentation/columns.ts';
import { distanceOf, type Span, spanOf, sumOfDistances } from '../../../../presentation/distances.ts';
import { rough, short, titled } from '../../../../presentation/formats.ts';
import { marginText, wantedText } from '../../../../presentation/margin.ts';
import { outputNames } from '../../../../presentation/values.ts';
import { ScrollBox } from '../../../parts/scroll-box.tsx';
import { Strip } from '../../../parts/strip.tsx';
import type { Run } from '../state/history.ts';
import type { Judged } from '../state/judged.ts';
import './targets.css';

const SHOWN = 40;

export function Targets({ judged: { run, order } }: { readonly judged: Judged }) {
  const [sought, seek] = useState('');
  const searchId = useId();
  const head = run.head.value;
  const names = outputNames(head);
  const isLong = names.length > SHOWN;
  const found = sought === '' ? order.value : order.value.filter((j) => matches(names[j]!, sought));
  const shown = found.slice(0, SHOWN);
  return (
    <section class="targets" aria-labelledby={`${searchId}-title`}>
      <h2 id={`${searchId}-title`}>Targets</h2>
      {head.l1Threshold !== null && <Together run={run} />}
      {isLong && (
        <p class="targets-find">
          <label for={searchId}>Find an output</label>
          <input
            id={searchId}
            type="search"
            value={sought}
            onInput={({ currentTarget }) => seek(currentTarget.value)}
          />
          <span class="hint" role="status">
            {sought === ''
              ? `The ${SHOWN} worst of ${names.length} outputs`
              : `${Math.min(SHOWN, found.length)} of ${found.length} found`}
          </span>
        </p>
      )}
      <ScrollBox label="Table of targets">
        <table class="targets-table">
          <thead>
            <tr>
              <th scope="col">Output</th>
              <th scope="col">Wanted</th>
              <th scope="col" class="number">
                Best
              </th>
              <th scope="col" class="number targets-latest">
                Latest
              </th>
              <th scope="col" class="targets-strip">
                <span class="visually-hidden">Range</span>
              </th>
              <th scope="col">Met</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((j) => (
              <TargetRow key={j} run={run} j={j} name={names[j]!} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <Legend />
    </section>
  );
}

const matches = (name: string, sought: string) => name.toLowerCase().includes(sought.trim().toLowerCase());

function Legend() {
  return (
    <p class="targets-legend hint">
      <span class="key key-seen">seen</span> <span class="key key-wanted">wanted</span>{' '}
      <span class="key key-best">best</span> <span class="key key-latest">latest</span>
    </p>
  );
}

/** exact judges all outputs by one sum. */
function Together({ run }: { readonly run: Run }) {
  const { bestMissedBy, l1Threshold } = run.head.value;
  const total = bestMissedBy === null ? undefined : sumOfDistances(bestMissedBy);
  return (
    <p>
      All outputs are judged together: the sum of their distances from the targets may be at most {short(l1Threshold!)}
      {total === undefined ? '.' : `; for the best run it is ${short(total)}.`}
    </p>
  );
}

function TargetRow({ run, j, name }: { readonly run: Run; readonly j: number; readonly name: string }) {
  const { head, columns } = run;
  const interval = head.value.intervals[j]!;
  const { bestOutput, bestMisses, bestMissedBy } = head.value;
  const best = bestOutput?.[j];
  const miss = bestMisses?.[j];
  const seen = useMemo(() => computed(() => spanOf(columns.value.outputs[j]!)), [columns, j]).value;
  const latest = latestOf(columns.value, j);
  const isExact = head.value.l1Threshold !== null;
  const target = head.value.objectives[j]!;
  const type = head.value.objectiveTypes[j]!;
  // All values of a fit count together: none is met by itself.
  const hasTarget = target !== null && type !== 'fit';
  const text = wantedText(head.value, j);
  return (
    <tr>
      <th scope="row">{titled(name, head.value.outputUnits?.[j])}</th>
      <td class={hasTarget && (interval.lower === null || interval.upper === null) ? 'targets-limit' : 'nowrap'}>
        {text}
      </td>
      <Value value={best} />
      <Value value={latest} class="targets-latest" />
      <td class="targets-strip">
        <Strip
          label={describe({ text, best, latest, seen })}
          seen={seen}
          lower={type === 'fit' ? target : interval.lower}
          upper={type === 'fit' ? target : interval.upper}
          best={best}
          latest={latest}
        />
      </td>
      <td>
        {miss === undefined || !hasTarget ? '–' : <Verdict isMet={miss === 0} />}
        {miss === 0 && hasTarget && !isExact && best !== undefined && (
          <span class="hint targets-margin">{marginText(interval, best, undefined)}</span>
        )}
        {miss !== undefined && miss > 0 && <Distance value={distanceOf(miss, bestMissedBy![j]!)} />}
      </td>
    </tr>
  );
}

function Distance({ value }: { readonly value: number }) {
  return <span class="hint targets-margin">by {rough(value)}</span>;
}

function Verdict({ isMet }: { readonly isMet: boolean }) {
  return <span class={isMet ? 'met' : 'unmet'}>{isMet ? 'yes' : 'no'}</span>;
}

function Value({ value, class: className = '' }: { readonly value: number | undefined; readonly class?: string }) {
  return (
    <td class={`number ${className}`} title={value === undefined ? undefined : String(value)}>
      {value === undefined ? '–' : short(value)}
    </td>
  );
}

/** The newest known value. */
function latestOf({ outputs, count }: Columns, j: number): number | undefined {
  const column = outputs[j]!;
  for (let row = count - 1; row >= 0; row--) if (!Number.isNaN(column[row]!)) return column[row];
  return undefined;
}

function describe(facts: {
  readonly text: string;
  readonly best: number | undefined;
  readonly latest: number | undefined;
  readonly seen: Span | undefined;
}): string {
  const { text, best, latest, seen } = facts;
  const parts = [`wanted ${text}`];
  if (seen !== undefined) parts.push(`seen from ${short(seen.low)} to ${short(seen.high)}`);
  if (best !== undefined) parts.push(`best ${short(best)}`);
  if (latest !== undefined) parts.push(`latest ${short(latest)}`);
  return parts.join(', ');
}
