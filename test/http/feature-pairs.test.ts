/** A slice of the table of feature pairs that `bench/service/feature-pairs.ts` plays in full. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FEATURES, type Feature, pairsOf, playPair } from '../../harness/feature-pairs.ts';
import { type NativeService, openNativeService } from './native-service.ts';

let service: NativeService;
beforeAll(async () => {
  service = await openNativeService({ hasWorker: true });
});
afterAll(() => service.close());

const named = (...names: string[]): Feature[] => names.map((name) => FEATURES.find((one) => one.name === name)!);

/** Features that meet most: those that the objective forbids, beside those by which the search may ask for runs. */
const SLICE: readonly (readonly Feature[])[] = [
  ...pairsOf(named('cheaper sources', 'a fixed input', 'constraints of the objective', 'cases outside the bounds')),
  ...['steps', 'an equation', 'a front', 'confidence', 'two open runs'].map((name) => named('cheaper sources', name)),
  ...['an equation', 'a curved constraint', 'the surest input'].map((name) =>
    named('constraints of the objective', name),
  ),
  ...['several solutions', 'the surest input', 'confirm', 'confidence'].map((name) =>
    named('one output without target', name),
  ),
];

describe('two features of a search', () => {
  it.each(SLICE.map((pair) => [pair.map(({ name }) => name).join(' and '), pair] as const))(
    'hold together, or are refused by a key that was sent: %s',
    async (name, pair) => {
      const { faults } = await playPair(service.send, pair, { name: `pair ${name}`.slice(0, 100), seed: 1, cycles: 5 });
      expect(faults).toEqual([]);
    },
  );
});
