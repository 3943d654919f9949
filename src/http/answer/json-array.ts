/** Read one at a time, each after the previous one has been written. */
type Batches<T> = Iterable<readonly T[]> | AsyncIterable<readonly T[]>;

/** An array in an answer that is read and written piece by piece, so that the answer need not fit into memory. */
export class JsonArray {
  readonly batches: Batches<unknown>;
  readonly present: (item: unknown) => unknown;

  private constructor(batches: Batches<unknown>, present: (item: unknown) => unknown) {
    this.batches = batches;
    this.present = present;
  }

  /** @param present  the JSON of an item; may contain a JsonArray or a Matrix */
  static of<T>(batches: Batches<T>, present: (item: T) => unknown): JsonArray {
    return new JsonArray(batches, present as (item: unknown) => unknown);
  }

  /** Writes the items as they are. */
  static plain(batches: Batches<unknown>): JsonArray {
    return new JsonArray(batches, (item) => item);
  }
}

export async function* mapBatches<T, U>(
  batches: AsyncIterable<readonly T[]>,
  map: (item: T) => U,
): AsyncGenerator<readonly U[], void> {
  for await (const batch of batches) yield batch.map(map);
}
