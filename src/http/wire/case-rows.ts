/** Fields of bodies with one row per case. */
import { z } from 'zod';
import { MAXIMUM_CASE_COUNT } from './limits.ts';
import { arrayFault, documentAs, listSchema } from './vectors.ts';

const CASES = { minimum: 1, maximum: MAXIMUM_CASE_COUNT };

/** The list itself; its rows may be too many for a schema, so the body's reader checks them. `row` documents them. */
export function caseRowsSchema(row: z.ZodType) {
  return z
    .unknown()
    .transform((value, issues): readonly unknown[] => {
      const fault = arrayFault(value, CASES, 'cases');
      if (fault === undefined) return value as readonly unknown[];
      issues.addIssue({ code: 'custom', message: fault, input: value });
      return z.NEVER;
    })
    .meta(documentAs(z.array(row).min(CASES.minimum).max(CASES.maximum)));
}

/** Zero-based numbers of the rows whose run failed; default: none. */
export const failedRowsSchema = listSchema(z.int().min(0), { minimum: 0, maximum: MAXIMUM_CASE_COUNT }, 'row numbers')
  .nullish()
  .transform((rows) => rows ?? []);
