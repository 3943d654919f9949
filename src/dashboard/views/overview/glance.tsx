/** One objective of the overview. */
import type { ObjectiveGlance } from '../../../../clients/typescript/src/index.ts';
import { grouped, rough, short } from '../../../presentation/formats.ts';
import { Age } from '../../parts/age.tsx';
import { Link } from '../../shell/link.tsx';
import { nameOf, numbersOf, STATES, stateOf, targetsText } from './choice.ts';
import { GlanceMenu } from './marks.tsx';
import { cornersOf, valuesOf } from './sparkline.ts';

interface GlanceProps {
  readonly glance: ObjectiveGlance;
  /** Whether a row above names the project. */
  readonly isGrouped: boolean;
  readonly isTicked: boolean;
  readonly canTick: boolean;
  onTick(isTicked: boolean): void;
  onChange(): void;
}

export function Glance({ glance, isGrouped, isTicked, canTick, onTick, onChange }: GlanceProps) {
  const { id, projectName, label, attemptCount, maximumAttempts, updatedAt } = glance;
  const targets = targetsText(glance);
  return (
    <tr class="glance">
      <td class="glance-tick">
        <label>
          <input
            type="checkbox"
            checked={isTicked}
            disabled={!canTick}
            onChange={({ currentTarget }) => onTick(currentTarget.checked)}
          />
          <span class="visually-hidden">
            Compare {projectName}, {nameOf(glance)}
          </span>
        </label>
      </td>
      <th scope="row" class="glance-name" title={numbersOf(glance)}>
        <Link to={`/page/objectives/${id}`}>
          <bdi>{nameOf(glance)}</bdi>
          {isGrouped && <span class="visually-hidden">, {projectName}</span>}
        </Link>
        {label !== null && (
          <span class="hint" aria-hidden="true">
            {glance.trialNumber}.{glance.number}
          </span>
        )}
      </th>
      {!isGrouped && (
        <td class="glance-project" title={projectName}>
          <bdi>{projectName}</bdi>
        </td>
      )}
      <td class="glance-targets" title={targets}>
        <bdi>{targets}</bdi>
      </td>
      <StateOf glance={glance} />
      <Nearness glance={glance} />
      <td class="glance-trend">
        <Trend glance={glance} />
      </td>
      <td class="number glance-runs" title={`${grouped(attemptCount)} of at most ${grouped(maximumAttempts)} runs`}>
        {grouped(attemptCount)} <span class="hint">of {grouped(maximumAttempts)}</span>
      </td>
      <td class="glance-age">
        <Age time={updatedAt} />
      </td>
      <td class="glance-menu">
        <GlanceMenu glance={glance} onChange={onChange} />
      </td>
    </tr>
  );
}

const ENDINGS: Readonly<Record<NonNullable<ObjectiveGlance['endingKind']>, string>> = {
  'by-hand': 'by hand',
  continued: 'continued by another objective',
  batch: 'with its batch',
  'not-computed': 'no input could be computed',
  until: 'its time was up',
  'space-used-up': 'every input was run',
  duplicate: 'no new input found',
  'no-improvement-expected': 'no improvement expected',
  'no-further-solution': 'no further solution found',
  standstill: 'no more improvement',
  'out-of-reach': 'targets out of reach, best compromise found',
  fitted: 'no better fit expected',
};

const WAITS = { output: 'waits for your output', suggestion: 'computing the next input' } as const;

function StateOf({ glance }: { readonly glance: ObjectiveGlance }) {
  const state = stateOf(glance);
  const { waitsFor, hasDiagnosis, endingKind } = glance;
  const doubt = hasDiagnosis ? 'may be out of reach' : undefined;
  const reason = endingKind === null ? doubt : ENDINGS[endingKind];
  return (
    <td class="glance-state" title={reason}>
      <span class={`badge badge-${state}`}>{STATES[state].label}</span>{' '}
      {waitsFor !== null && <span class={`hint waits-${waitsFor}`}>{WAITS[waitsFor]}</span>}{' '}
      {reason !== undefined && <span class={hasDiagnosis ? 'glance-doubt' : 'hint'}>{reason}</span>}
    </td>
  );
}

function Nearness({ glance }: { readonly glance: ObjectiveGlance }) {
  const { limitCount, openCount, limitsMet, misfit, worstOutput } = glance;
  const targetCount = limitCount - openCount;
  if (limitsMet == null) return <td class="glance-met hint">not judged yet</td>;
  return (
    <td class="glance-met">
      {misfit != null && <span title={String(misfit)}>misfit {rough(misfit)} </span>}
      {targetCount > 0 && (
        <>
          {limitsMet} of {targetCount} met{' '}
        </>
      )}
      {worstOutput !== null && (
        <span class="hint" title={String(worstOutput.distance)}>
          {missText(worstOutput)}
        </span>
      )}
    </td>
  );
}

/** In the unit of the output: a share of a limit of 0 has no meaning. */
function missText({ number, name, distance }: NonNullable<ObjectiveGlance['worstOutput']>): string {
  return `${number === null ? 'sum' : (name ?? `y${number + 1}`)} off by ${rough(distance)}`;
}

/** Two digits are enough. */
function shortMiss(miss: number): string {
  return short(Number(miss.toPrecision(2)));
}

const BOX = { width: 96, height: 24 };

function Trend({ glance: { trend } }: { readonly glance: ObjectiveGlance }) {
  if (trend === null || trend.misses.length === 0) return null;
  const values = valuesOf(trend);
  const corners = cornersOf(trend, BOX);
  const last = corners.at(-1)!;
  const [first, now] = [values[0]!, values.at(-1)!];
  const what = trend.misfits ? 'Misfit' : 'Worst miss';
  const text = first === now ? `${what} ${shortMiss(now)}` : `${what} from ${shortMiss(first)} to ${shortMiss(now)}`;
  return (
    <svg viewBox={`-3 -3 ${BOX.width + 6} ${BOX.height + 6}`} role="img" aria-label={text}>
      <title>{text}</title>
      <line class="trend-floor" x1={0} x2={BOX.width} y1={BOX.height} y2={BOX.height} />
      <polyline class="trend-line" points={corners.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')} />
      <circle class="trend-end" cx={last.x} cy={last.y} r={2.5} />
    </svg>
  );
}
