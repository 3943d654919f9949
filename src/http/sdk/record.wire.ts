/** The first fields of every record in this dialect. */
import { z } from 'zod';
import { timestamp, toOptionalTimestamp, toTimestamp } from '../wire/fields.ts';

export const recordFields = {
  id: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
  disabledAt: timestamp.nullable(),
};

export function presentRecord(record: {
  readonly id: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly disabledAt: Date | null;
}) {
  return {
    id: record.id,
    createdAt: toTimestamp(record.createdAt),
    updatedAt: toTimestamp(record.updatedAt),
    disabledAt: toOptionalTimestamp(record.disabledAt),
  };
}
