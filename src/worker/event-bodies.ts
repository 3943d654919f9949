/**
 * Caches the bodies of events for a few seconds, so that each is rendered once for all webhooks it goes to. Few bodies are rendered
 * together and few are cached: memory does not grow with the number of webhooks.
 */
import PQueue from 'p-queue';
import type { RecordedEvent } from '../domain/webhooks/event.ts';

type RenderEvent = (event: RecordedEvent) => Promise<Uint8Array | undefined>;

/** Reading and rendering a record may take many times the memory of its body. */
const RENDERED_AT_ONCE = 4;
/** A body shows the record as it is when it is sent: the first retry, 5 s later, renders it again. */
const CACHED_MS = 3_000;
const CACHED_BYTES = 16 * 1024 * 1024;

interface Cached {
  readonly body: Promise<Uint8Array | undefined>;
  bytes: number;
  readonly expiresAt: number;
}

export class EventBodies {
  readonly #render: RenderEvent;
  readonly #now: () => number;
  readonly #queue = new PQueue({ concurrency: RENDERED_AT_ONCE });
  /** By event id, oldest first. */
  readonly #cached = new Map<number, Cached>();
  #bytes = 0;

  /** @param now  milliseconds of a monotonic clock */
  constructor(render: RenderEvent, now: () => number = () => performance.now()) {
    this.#render = render;
    this.#now = now;
  }

  /** The result of `render`. Failures are not cached. */
  readonly of = (event: RecordedEvent): Promise<Uint8Array | undefined> => {
    const known = this.#cached.get(event.id);
    if (known !== undefined && this.#now() < known.expiresAt) return known.body;
    if (known !== undefined) this.#drop(event.id, known);
    const body = this.#queue.add(() => this.#render(event));
    const cached: Cached = { body, bytes: 0, expiresAt: this.#now() + CACHED_MS };
    this.#cached.set(event.id, cached);
    body.then(
      (rendered) => this.#account(event.id, cached, rendered?.length ?? 0),
      () => this.#drop(event.id, cached),
    );
    return body;
  };

  /** Drops the oldest bodies beyond the limit. */
  #account(eventId: number, cached: Cached, bytes: number): void {
    if (this.#cached.get(eventId) !== cached) return;
    cached.bytes = bytes;
    this.#bytes += bytes;
    for (const [oldestId, oldest] of this.#cached) {
      if (this.#bytes <= CACHED_BYTES) break;
      this.#drop(oldestId, oldest);
    }
  }

  #drop(eventId: number, cached: Cached): void {
    if (this.#cached.get(eventId) !== cached) return;
    this.#cached.delete(eventId);
    this.#bytes -= cached.bytes;
  }
}
