import { useState } from 'preact/hooks';

export interface Sending {
  readonly isBusy: boolean;
  /** Why the last request failed. */
  readonly error: unknown;
  /** Does the work, unless something is under way; resolves to whether it worked. */
  send(work: () => Promise<unknown>): Promise<boolean>;
  /** Its error is about something that is no longer there. */
  forget(): void;
}

/** The state of a control that sends requests. */
export function useSending(): Sending {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const send = async (work: () => Promise<unknown>) => {
    if (isBusy) return false;
    setBusy(true);
    setError(undefined);
    try {
      await work();
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, send, forget: () => setError(undefined) };
}
