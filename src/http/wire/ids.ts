/** Ids in paths and cursors. */
const POSITIVE_INTEGER = /^[1-9]\d*$/;

type ParsedId =
  | { readonly kind: 'id'; readonly id: number }
  /** A positive integer that no record can have. */
  | { readonly kind: 'beyond' }
  | { readonly kind: 'malformed' };

/** Ids are positive integers in plain decimal notation, at most 2^53 - 1. */
export function parseId(text: string): ParsedId {
  if (!POSITIVE_INTEGER.test(text)) return { kind: 'malformed' };
  const id = Number(text);
  return Number.isSafeInteger(id) ? { kind: 'id', id } : { kind: 'beyond' };
}
