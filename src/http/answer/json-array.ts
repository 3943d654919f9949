/** Read one after the other, each when the one before is written. */
type Batches<T> = Iterable<readonly T[]> | AsyncIterable<readonly T[]>;

/** An array of an answer that is read and written piece by piece, so that no answer has to fit into memory. */
export class JsonArray {
  readonly batches: Batches<unknown>;
  readonly present: (item: unknown) => unknown;

  private constructor(batches: Batches<unknown>, present: (item: unknown) => unknown) {
    this.batches = batches;
    this.present = present;
  }

  /** @param present  what is written for an item; it may hold a JsonArray or a Matrix */
  static of<T>(batches: Batches<T>, present: (item: T) => unknown): JsonArray {
    return new JsonArray(batches, present as (item: unknown) => unknown);
  }

  /** Items that are written as they are. */
  static plain(batches: Batches<unknown>): JsonArray {
    return new JsonArray(batches, (item) => item);
  }
}
