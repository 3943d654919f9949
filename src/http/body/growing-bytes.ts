/** Memory reserved before anything has arrived. */
const FIRST_CAPACITY = 64 * 1024;

/**
 * Bytes in one buffer that grows with what arrives: what a sender announces and never sends takes no memory, and what is
 * dropped is given back at once instead of at the next collection of garbage.
 */
export class GrowingBytes {
  #buffer: ArrayBuffer;
  #length = 0;
  readonly #maximum: number;

  /** `maximum` bytes are expected at most; more grow the buffer all the same. */
  constructor(maximum: number) {
    this.#maximum = maximum;
    this.#buffer = new ArrayBuffer(Math.min(FIRST_CAPACITY, maximum));
  }

  get length(): number {
    return this.#length;
  }

  append(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#buffer.byteLength) {
      const doubled = Math.min(2 * this.#buffer.byteLength, this.#maximum);
      this.#buffer = this.#buffer.transfer(Math.max(needed, doubled));
    }
    new Uint8Array(this.#buffer).set(chunk, this.#length);
    this.#length = needed;
  }

  /** All bytes, in a buffer of just their length. Empty afterwards. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#buffer.transfer(this.#length));
    this.free();
    return bytes;
  }

  free(): void {
    if (!this.#buffer.detached) this.#buffer.transfer(0);
    this.#buffer = new ArrayBuffer(0);
    this.#length = 0;
  }
}
