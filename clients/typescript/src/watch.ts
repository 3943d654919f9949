/**
 * Ends a request when its caller aborts it or when nothing has arrived for too long. The time starts again with every piece of
 * the answer, so that a large one may take longer than a short one.
 */
export class Watch {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #caller: AbortSignal | undefined;
  readonly #abort: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOutOfTime = false;

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#caller = caller;
    this.#abort = () => this.#controller.abort(caller?.reason);
    if (caller?.aborted) this.#abort();
    else caller?.addEventListener('abort', this.#abort, { once: true });
    this.renew();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isOutOfTime(): boolean {
    return this.#isOutOfTime;
  }

  /** Something has arrived. */
  renew(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isOutOfTime = true;
      this.#controller.abort();
    }, this.#timeoutMs);
  }

  /** Leaves no timer and no listener behind. */
  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#abort);
  }
}
