import { useState } from 'preact/hooks';

export interface Sending {
  readonly isBusy: boolean;
  /** The error of the last request. */
  readonly error: unknown;
  /** Does the work, unless a request is running; resolves to whether it succeeded. */
  send(work: () => Promise<unknown>): Promise<boolean>;
  /** Clears the error, for example after the text that caused it has changed. */
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
