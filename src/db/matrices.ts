/**
 * Matrices on their way to and from PostgreSQL, in its binary form of a two-dimensional float8[] (array_send and
 * array_recv in src/backend/utils/adt/arrayfuncs.c). As text a number takes ten times as long to write and to read.
 */
import { type RawBuilder, sql } from 'kysely';
import { Matrix } from '../domain/matrix.ts';

const FLOAT8_OID = 701;
/** Dimensions, flags, element type; then length and lower bound of each of two dimensions. */
const HEADER_BYTES = 5 * 4 + 2 * 4;
/** Length of the element, then the element. */
const ELEMENT_BYTES = 4 + 8;

/** For a parameter that stands for a float8[]: the driver sends buffers in binary form. The matrix has at least one value. */
export function encodeMatrix({ rows, columns, values }: Matrix): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + values.length * ELEMENT_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  [2, 0, FLOAT8_OID, rows, 1, columns, 1].forEach((word, i) => {
    view.setInt32(4 * i, word);
  });
  for (let i = 0, at = HEADER_BYTES; i < values.length; i++, at += ELEMENT_BYTES) {
    view.setInt32(at, 8);
    view.setFloat64(at + 4, values[i]!);
  }
  return bytes;
}

/** Decodes the bytes that `array_send` makes of a float8[] without nulls; an empty array and null have no rows. */
export function decodeMatrix(bytes: Buffer | null): Matrix {
  if (bytes === null) return new Matrix(0, 0, new Float64Array());
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getInt32(0) === 0) return new Matrix(0, 0, new Float64Array());
  const rows = view.getInt32(12);
  const columns = view.getInt32(20);
  const values = new Float64Array(rows * columns);
  for (let i = 0, at = HEADER_BYTES + 4; i < values.length; i++, at += ELEMENT_BYTES) values[i] = view.getFloat64(at);
  return new Matrix(rows, columns, values);
}

/** Concatenated `matrixElements` of matrices with so many columns; null has no rows. */
export function decodeElements(bytes: Buffer | null, columns: number): Matrix {
  if (bytes === null) return new Matrix(0, 0, new Float64Array());
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const values = new Float64Array(bytes.length / ELEMENT_BYTES);
  for (let i = 0, at = 4; i < values.length; i++, at += ELEMENT_BYTES) values[i] = view.getFloat64(at);
  return new Matrix(values.length / columns, columns, values);
}

/** The elements of a column or an expression in binary form, row by row without a header. */
export function matrixElements(of: string | RawBuilder<unknown>): RawBuilder<Buffer> {
  const matrix = typeof of === 'string' ? sql.ref(of) : of;
  return sql<Buffer>`substring(array_send(${matrix}) from ${sql.lit(HEADER_BYTES + 1)})`;
}

/** The column in binary form, for decodeMatrix. */
export function matrixColumn(column: string): RawBuilder<Buffer> {
  return sql<Buffer>`array_send(${sql.ref(column)})`;
}

/** Its rows from number `from` (zero-based), at most `count` of them; empty past the last one. */
export function matrixRows(column: string, from: number | RawBuilder<number>, count: number): RawBuilder<Buffer> {
  return sql<Buffer>`array_send((${sql.ref(column)})[${from}::int + 1 : ${from}::int + ${count}::int])`;
}
