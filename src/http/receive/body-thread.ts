/** Runs in a worker thread: takes the bytes of one large body and returns its value or its violations. */
import '../../earlier-node.ts';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { Matrix } from '../../domain/matrix.ts';
import type { TextLimits } from '../body/json-text.ts';
import { type BodyFormat, type BodyReading, readBodyBytes, readWorkbookBytes } from '../body/read-body.ts';
import type { BodySpec } from '../body/spec.ts';
import { SPECS_WITH_CASES, type SpecName } from './specs-with-cases.ts';

export interface BodyTask {
  readonly spec: SpecName;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly limits: TextLimits;
  readonly format: BodyFormat;
}

export default async function run({ spec, bytes, limits, format }: BodyTask): Promise<unknown> {
  const form: BodySpec<unknown> = SPECS_WITH_CASES[spec];
  const reading: BodyReading<unknown> =
    format === 'xlsx' ? await readWorkbookBytes(form, bytes, limits) : readBodyBytes(form, bytes, limits, format);
  // Freed immediately: the next body may arrive before the next garbage collection.
  bytes.buffer.transfer(0);
  const matrices = Object.values(reading.value ?? {}).filter((field) => field instanceof Matrix);
  // The numbers are transferred; everything else is copied.
  return move({
    [transferableSymbol]: matrices.map(({ values }) => values.buffer),
    [valueSymbol]: reading,
  });
}
