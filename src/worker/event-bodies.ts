/**
 * Bodies of events, rendered once for all the webhooks that an event goes to at about the same time. Few are rendered at
 * once, and few are kept, for a few seconds: what a worker holds does not grow with the number of webhooks.
 */
import PQueue from 'p-queue';
import type { RecordedEvent } from '../domain/event.ts';

type RenderEvent = (event: RecordedEvent) => Promise<Uint8Array | undefined>;

/** A record that is read and rendered may take many times the space of its body. */
const RENDERED_AT_ONCE = 4;
/** A body shows the record as it is when it is sent: the first retry, 5 s later, renders anew. */
const KEPT_MS = 3_000;
const KEPT_BYTES = 16 * 1024 * 1024;

interface Kept {
  readonly body: Promise<Uint8Array | undefined>;
  bytes: number;
  readonly expiresAt: number;
}

export class EventBodies {
  readonly #render: RenderEvent;
  readonly #now: () => number;
  readonly #queue = new PQueue({ concurrency: RENDERED_AT_ONCE });
  /** By event; the oldest comes first. */
  readonly #kept = new Map<number, Kept>();
  #bytes = 0;

  /** `now` is in milliseconds and never runs backwards. */
  constructor(render: RenderEvent, now: () => number = () => performance.now()) {
    this.#render = render;
    this.#now = now;
  }

  /** Settles as `render` does; what it rejects with is not kept. */
  readonly of = (event: RecordedEvent): Promise<Uint8Array | undefined> => {
    const known = this.#kept.get(event.id);
    if (known !== undefined && this.#now() < known.expiresAt) return known.body;
    if (known !== undefined) this.#drop(event.id, known);
    const body = this.#queue.add(() => this.#render(event));
    const kept: Kept = { body, bytes: 0, expiresAt: this.#now() + KEPT_MS };
    this.#kept.set(event.id, kept);
    body.then(
      (rendered) => this.#weigh(event.id, kept, rendered?.length ?? 0),
      () => this.#drop(event.id, kept),
    );
    return body;
  };

  /** Lets go of the oldest that are over the limit. */
  #weigh(eventId: number, kept: Kept, bytes: number): void {
    if (this.#kept.get(eventId) !== kept) return;
    kept.bytes = bytes;
    this.#bytes += bytes;
    for (const [oldestId, oldest] of this.#kept) {
      if (this.#bytes <= KEPT_BYTES) break;
      this.#drop(oldestId, oldest);
    }
  }

  #drop(eventId: number, kept: Kept): void {
    if (this.#kept.get(eventId) !== kept) return;
    this.#kept.delete(eventId);
    this.#bytes -= kept.bytes;
  }
}
