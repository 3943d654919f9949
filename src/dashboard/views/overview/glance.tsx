/** One objective of the overview. */
import type { ObjectiveGlance } from '../../../../clients/typescript/src/index.ts';
import { Age } from '../../parts/age.tsx';
import { dayAndTime, grouped, short } from '../../parts/formats.ts';
import { Link } from '../../shell/link.tsx';
import { numbersOf, STATES, stateOf, targetsText } from './choice.ts';
import { cornersOf, valuesOf } from './sparkline.ts';

interface GlanceProps {
  readonly glance: ObjectiveGlance;
  readonly isTicked: boolean;
  readonly canTick: boolean;
  onTick(isTicked: boolean): void;
}

export function Glance({ glance, isTicked, canTick, onTick }: GlanceProps) {
  const { id, projectName, modelName, attemptCount, maximumAttempts, createdAt, updatedAt } = glance;
  return (
    <li class="glance">
      <label class="glance-tick">
        <input
          type="checkbox"
          checked={isTicked}
          disabled={!canTick}
          onChange={({ currentTarget }) => onTick(currentTarget.checked)}
        />
        <span class="visually-hidden">
          Compare {projectName}, {numbersOf(glance)}
        </span>
      </label>
      <div class="glance-name">
        <Link to={`/page/objectives/${id}`}>
          <bdi>{projectName}</bdi>
          <span class="visually-hidden">, {numbersOf(glance)}</span>
        </Link>
        <p class="hint">
          <span aria-hidden="true">{numbersOf(glance)} · </span>
          model <bdi>{modelName}</bdi> · since {dayAndTime(new Date(createdAt))}
        </p>
        <p class="glance-targets">
          <bdi>{targetsText(glance)}</bdi>
        </p>
      </div>
      <StateOf glance={glance} />
      <Nearness glance={glance} />
      <Trend glance={glance} />
      <p class="glance-runs">
        {grouped(attemptCount)} of {grouped(maximumAttempts)} runs
        <span class="hint">
          <Age time={updatedAt} />
        </span>
      </p>
    </li>
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
  return (
    <p class="glance-state">
      <span class={`badge badge-${state}`}>{STATES[state].label}</span>
      {endingKind !== null && <span class="hint">{ENDINGS[endingKind]}</span>}
      {waitsFor !== null && <span class={`hint waits-${waitsFor}`}>{WAITS[waitsFor]}</span>}
      {hasDiagnosis && <span class="glance-doubt">may be out of reach</span>}
    </p>
  );
}

function Nearness({ glance }: { readonly glance: ObjectiveGlance }) {
  const { limitCount, limitsMet, misfit, worstOutput } = glance;
  if (limitsMet == null) return <p class="glance-met hint">not judged yet</p>;
  return (
    <p class="glance-met">
      {misfit != null && <span title={String(misfit)}>misfit {short(misfit)}</span>}
      {limitCount > 0 && (
        <>
          {limitsMet} of {limitCount} met
          <meter min={0} max={limitCount} value={limitsMet} aria-hidden="true" />
        </>
      )}
      {worstOutput !== null && (
        <span class="hint" title={String(worstOutput.distance)}>
          {missText(worstOutput)}
        </span>
      )}
    </p>
  );
}

/** In the unit of the output: a share of a limit of 0 has no meaning. */
function missText({ number, name, distance }: NonNullable<ObjectiveGlance['worstOutput']>): string {
  return `${number === null ? 'sum' : (name ?? `y${number + 1}`)} off by ${short(distance)}`;
}

/** Two digits are enough. */
function shortMiss(miss: number): string {
  return short(Number(miss.toPrecision(2)));
}

const BOX = { width: 96, height: 26 };

function Trend({ glance: { trend } }: { readonly glance: ObjectiveGlance }) {
  if (trend === null || trend.misses.length === 0) return <div class="glance-trend" />;
  const values = valuesOf(trend);
  const corners = cornersOf(trend, BOX);
  const last = corners.at(-1)!;
  const [first, now] = [values[0]!, values.at(-1)!];
  const what = trend.misfits ? 'Misfit' : 'Worst miss';
  const text = first === now ? `${what} ${shortMiss(now)}` : `${what} from ${shortMiss(first)} to ${shortMiss(now)}`;
  return (
    <svg class="glance-trend" viewBox={`-3 -3 ${BOX.width + 6} ${BOX.height + 6}`} role="img" aria-label={text}>
      <title>{text}</title>
      <line class="trend-floor" x1={0} x2={BOX.width} y1={BOX.height} y2={BOX.height} />
      <polyline class="trend-line" points={corners.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')} />
      <circle class="trend-end" cx={last.x} cy={last.y} r={2.5} />
    </svg>
  );
}
