/** Notifications of this browser about an objective open in a background tab, off by default. */
import { StopReason } from '../../../../clients/typescript/src/index.ts';
import {
  type Columns,
  emptyColumns,
  type Head,
  headOf,
  replaceRows,
  rowOf,
  stateOf,
} from '../../../presentation/columns.ts';
import { service } from '../../shell/service.ts';
import type { Run } from '../objective/state/history.ts';
import { addressOf } from '../objective/state/tabs.ts';
import { NOTIFIES } from './notifies.ts';

/** Whether this browser can show them, and whether it may. */
export function notifyState(): 'on' | 'off' | 'denied' | 'impossible' {
  if (!('Notification' in window)) return 'impossible';
  if (Notification.permission === 'denied') return 'denied';
  return Notification.permission === 'granted' && NOTIFIES.isOn() ? 'on' : 'off';
}

/** Resolves to the state afterwards. */
export async function setNotifying(isWanted: boolean): Promise<ReturnType<typeof notifyState>> {
  if (isWanted) await Notification.requestPermission();
  NOTIFIES.set(isWanted && Notification.permission === 'granted');
  return notifyState();
}

/** A tab behind others does not read by itself (shell/live.ts). */
const PAUSE_MS = 20_000;

/** Watches an objective while its tab is behind others; returns what ends it. What was there before is not told. */
export function watchRun(run: Run): () => void {
  if (notifyState() !== 'on') return () => undefined;
  let before: Seen | undefined;
  let etag: string | undefined;
  const look = async () => {
    if (!document.hidden) {
      before = undefined;
      etag = undefined;
      return;
    }
    before ??= see(run.head.peek(), run.columns.peek());
    const answer = await service.call('getHistory', {
      path: { objective_id: run.objectiveId },
      query: { after: before.from - 1 },
      ifNoneMatch: etag,
    });
    if (answer.status === 304) return;
    etag = answer.headers.get('etag') ?? undefined;
    const { body } = answer;
    const empty = emptyColumns(body.minimums.length, body.objectives.length);
    const now = { ...see(headOf(body), replaceRows(empty, 0, body)), from: before.from };
    tell(run, before, now);
    before = now;
  };
  // While the service does not answer, there is nothing to tell.
  const timer = setInterval(() => void look().catch(() => undefined), PAUSE_MS);
  return () => clearInterval(timer);
}

function tell(run: Run, before: Seen, now: Seen): void {
  const { label, projectName } = run.head.peek();
  const title = label ?? projectName;
  if (before.isRunning && !now.isRunning) show(run, title, 'The search has ended.', '');
  const first = now.waiting.find((iteration) => !before.waiting.includes(iteration));
  if (first !== undefined) show(run, title, `Run ${first} waits for its outputs.`, `runs/${first}`);
}

interface Seen {
  readonly isRunning: boolean;
  readonly waiting: readonly number[];
  /** The first run that may still change. */
  readonly from: number;
}

function see({ stopReason, openIterations }: Head, columns: Columns): Seen {
  return {
    isRunning: stopReason === StopReason.RUNNING,
    waiting: openIterations.filter((iteration) => {
      const row = rowOf(columns, iteration);
      return row >= 0 && stateOf(columns, row) === 'waiting';
    }),
    from: Math.max(1, Math.min(columns.iterations.at(-1) ?? 1, ...openIterations)),
  };
}

function show({ objectiveId }: Run, title: string, body: string, part: string): void {
  if (notifyState() !== 'on') return;
  try {
    // One per objective: a newer one takes its place.
    const notification = new Notification(title, { body, tag: `backsolve-${objectiveId}` });
    notification.onclick = () => {
      window.focus();
      if (part !== '') location.assign(addressOf(objectiveId, part));
      notification.close();
    };
  } catch {
    // Browsers of phones show none for an open page.
  }
}
