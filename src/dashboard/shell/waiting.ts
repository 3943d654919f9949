/**
 * Asks for the newest of something, and lets the service wait for a change first. Over HTTP/1.1 all tabs of a browser share six
 * connections to the service: only some of them may be held by waits, so that none starves, however many tabs are open.
 */

const WAIT = 'wait=20';
/** For a tab that may not hold a connection for long. It costs the service no more than a long wait. */
const BRIEF_WAIT = 'wait=1';
const PAUSE_AFTER_BRIEF_MS = 2_000;
const MOST_WAITS = 4;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
}

/** @param ask  sends the request with this preference; a 304 says that nothing has changed */
export async function askForChange<A extends Answer>(
  ask: (prefer: string | undefined) => Promise<A>,
  { signal, isUrgent }: { readonly signal: AbortSignal; readonly isUrgent: boolean },
): Promise<A> {
  if (isUrgent) return ask(undefined);
  const { answer, isBrief } = await inPlace(async (isBrief) => ({
    answer: await ask(isBrief ? BRIEF_WAIT : WAIT),
    isBrief,
  }));
  const hasWaited = !isBrief && answer.headers.has('preference-applied');
  if (answer.status === 304 && !hasWaited) await pause(PAUSE_AFTER_BRIEF_MS, signal);
  return answer;
}

/** Does the work while this tab holds one of the places for waits, if one is free. */
async function inPlace<T>(work: (isBrief: boolean) => Promise<T>): Promise<T> {
  // Over plain HTTP from another machine browsers have no locks; then the tab in use goes first.
  if (!('locks' in navigator)) return work(!document.hasFocus());
  for (let n = 1; n <= MOST_WAITS; n++) {
    const done = await navigator.locks.request(`wait ${n}`, { ifAvailable: true }, async (lock) =>
      lock === null ? undefined : { result: await work(false) },
    );
    if (done !== undefined) return done.result;
  }
  return work(true);
}

function pause(ms: number, abort: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    abort.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
