/** An answer that is computed on request. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { counted } from '../../../../presentation/formats.ts';
import { Fault } from '../../../parts/fault.tsx';
import { useSending } from '../../../parts/sending.ts';
import type { Run } from '../state/history.ts';

export interface Answered<A> {
  readonly answer: A | undefined;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Number of runs completed since it was computed. */
  readonly missing: number;
  ask(): void;
}

let last: Promise<unknown> = Promise.resolve();

/** The service computes one answer of an account at a time. */
function afterOthers<A>(work: () => Promise<A>): Promise<A> {
  const next = last.then(work, work);
  last = next;
  return next;
}

/** Asks when it is first shown, if it may. */
export function useAnswer<A>(run: Run, read: () => Promise<A>, mayAskAtOnce = true): Answered<A> {
  const [known, setKnown] = useState<{ readonly answer: A; readonly completed: number } | undefined>(undefined);
  const { isBusy, error, send } = useSending();
  const ask = () => {
    const completed = run.head.value.completedCount;
    void send(async () => setKnown({ answer: await afterOthers(read), completed }));
  };
  useEffect(() => {
    if (mayAskAtOnce) ask();
  }, []);
  const missing = known === undefined ? 0 : run.head.value.completedCount - known.completed;
  return { answer: known?.answer, isBusy, error, missing, ask };
}

interface AskProps {
  readonly of: Answered<unknown>;
  /** Fields. */
  readonly children?: ComponentChildren;
}

/** Asks again, and says what is under way. */
export function Ask({ of: { answer, isBusy, error, missing, ask }, children }: AskProps) {
  return (
    <>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        {children}
        <button type="submit" disabled={isBusy}>
          {answer === undefined ? 'Compute' : 'Compute again'}
        </button>
        <span role="status" class="hint">
          {isBusy
            ? 'Computing, usually a few seconds.'
            : missing > 0 && `${counted(missing, 'run')} came after this answer.`}
        </span>
      </form>
      <Fault error={error} />
    </>
  );
}
