/** Memory reserved before anything arrives. */
const FIRST_CAPACITY = 64 * 1024;

/**
 * A buffer that grows as bytes arrive: bytes that are announced and never sent take no memory. Freed memory is released at
 * once, not at the next garbage collection.
 */
export class GrowingBytes {
  #buffer: ArrayBuffer;
  #length = 0;
  readonly #maximum: number;

  /** `maximum` is the expected size; the buffer can still grow beyond it. */
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

  /** All bytes, in a buffer of exactly their length; this object is empty afterwards. */
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
