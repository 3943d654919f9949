/** The progress of a batch in numbers and in words. Needs no browser. */
import type { Batch, BatchObjective } from '../../../../../clients/typescript/src/index.ts';
import { grouped, short } from '../../../../presentation/formats.ts';

type Progress = Batch['progress'];
/** good: succeeded; busy: running; over: ended without success; bad: failed. */
export type Look = 'good' | 'busy' | 'over' | 'bad';

interface Part {
  readonly look: Look;
  readonly count: number;
}

/** A progress bar and its parts; the rest of `total` has not begun. */
export interface Bar {
  readonly total: number;
  readonly parts: readonly Part[];
  readonly text: string;
}

const list = (parts: readonly (readonly [count: number, name: string])[]) =>
  parts.filter(([count]) => count > 0).map(([count, name]) => `${grouped(count)} ${name}`);

/** The bar of the designed cases while they are evaluated, then that of the objectives. */
export function barOf({ status, progress }: Pick<Batch, 'status' | 'progress'>): Bar {
  const { cases, objectives } = progress;
  if (status === 'evaluating-cases') {
    const text = [`${cases.done} of ${cases.planned} cases done`, ...list([[cases.failed, 'failed']])].join(', ');
    const parts = [
      { look: 'good', count: cases.done },
      { look: 'bad', count: cases.failed },
    ] as const;
    return { total: cases.planned, parts, text };
  }
  return {
    total: objectives.planned,
    parts: [
      { look: 'good', count: objectives.satisfied },
      { look: 'over', count: objectives.stopped + objectives.exhausted },
      { look: 'bad', count: objectives.failed },
      { look: 'busy', count: objectives.running },
    ],
    text: objectivesText(objectives),
  };
}

function objectivesText(objectives: Progress['objectives']): string {
  const { planned, satisfied, running, stopped, exhausted, failed } = objectives;
  const waiting = planned - satisfied - running - stopped - exhausted - failed;
  const rest = list([
    [running, 'running'],
    [stopped, 'stopped'],
    [exhausted, 'exhausted'],
    [failed, 'failed'],
    [waiting, 'waiting'],
  ]);
  const [all, met] = [grouped(planned), grouped(satisfied)];
  return [`${met} of ${all} objectives satisfied`, ...rest].join(', ');
}

export function evaluationsText({ waiting, leased, done, failed, cancelled }: Progress['evaluations']): string {
  const parts = list([
    [waiting, 'waiting'],
    [leased, 'under way'],
    [done, 'done'],
    [failed, 'failed'],
    [cancelled, 'cancelled'],
  ]);
  return parts.length === 0 ? 'No evaluations yet' : `Evaluations: ${parts.join(', ')}`;
}

/** The input of the best run, by name or as x1, x2, ... */
export function bestInputText(objective: BatchObjective, write: (value: number) => string = short): string {
  const { bestInput, bestInputByName } = objective;
  const pairs = Object.entries(bestInputByName ?? {});
  const named = pairs.length > 0 ? pairs : (bestInput ?? []).map((value, i) => [`x${i + 1}`, value] as const);
  return named.map(([name, value]) => `${name} ${typeof value === 'number' ? write(value) : String(value)}`).join(', ');
}
