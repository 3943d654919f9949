/** Adds features of the language that Node 20 lacks. Imported first by everything that a process or a thread starts with. */

Promise.withResolvers ??= function withResolvers<T>(this: PromiseConstructor): PromiseWithResolvers<T> {
  let resolve!: PromiseWithResolvers<T>['resolve'];
  let reject!: PromiseWithResolvers<T>['reject'];
  const promise = new this<T>((...both) => {
    [resolve, reject] = both;
  });
  return { promise, resolve, reject };
};

Map.groupBy ??= <K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]> => {
  const groups = new Map<K, T[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
};

ArrayBuffer.prototype.transfer ??= function transfer(this: ArrayBuffer, newLength = this.byteLength): ArrayBuffer {
  const moved = structuredClone(this, { transfer: [this] });
  if (newLength === moved.byteLength) return moved;
  const resized = new ArrayBuffer(newLength);
  new Uint8Array(resized).set(new Uint8Array(moved).subarray(0, newLength));
  return resized;
};

if (!('detached' in ArrayBuffer.prototype)) {
  Object.defineProperty(ArrayBuffer.prototype, 'detached', {
    configurable: true,
    get(this: ArrayBuffer): boolean {
      try {
        return new Uint8Array(this).length < 0;
      } catch {
        return true; // no view of it can be made
      }
    },
  });
}
