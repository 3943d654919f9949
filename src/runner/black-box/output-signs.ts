/** `failsIf` and `succeedsIf` in a problem file, and what they mean for black boxes that have outputs and no files. */
import type { Evaluate } from '../../../clients/typescript/src/evaluator/evaluation.ts';
import { valueNames } from '../files/exchange.ts';
import type { ValueReader } from '../files/value-reader.ts';
import { makeSigns, type Signs } from '../programs/signs.ts';
import type { BlackBox, CallOptions, Fields, OpenBlackBox } from './black-box.ts';

export const SIGN_KEYS = ['failsIf', 'succeedsIf'] as const;

/** `stderr.log:/aborted/` or `mass=-1`; absent where none is stated. */
export interface StatedSigns {
  readonly failsIf?: readonly string[];
  readonly succeedsIf?: readonly string[];
}

export function readSigns(reader: ValueReader, fields: Fields): StatedSigns {
  const stated = SIGN_KEYS.filter((key) => fields.has(key));
  return Object.fromEntries(stated.map((key) => [key, reader.texts(fields.get(key), [key])]));
}

/** The black box whose outputs are looked at. */
export function withSigns(box: BlackBox, stated: StatedSigns): BlackBox {
  if (Object.keys(stated).length === 0) return box;
  return {
    ...box,
    identity: [...box.identity, stated],
    record: { ...box.record, ...stated },
    open: (where) => withLook(box.open(where), stated),
  };
}

function withLook(open: OpenBlackBox, { failsIf = [], succeedsIf = [] }: StatedSigns): OpenBlackBox {
  return {
    close: () => open.close(),
    call: async (options) => {
      const signs = makeSigns(failsIf, succeedsIf);
      signs.refuseFiles();
      signs.check([...options.names.outputs, ...(options.otherOutputs ?? [])]);
      return looked(await open.call(options), signs, options);
    },
  };
}

function looked(evaluate: Evaluate, signs: Signs, { names, fits }: CallOptions): Evaluate {
  const values = valueNames({ names: names.outputs, fits });
  return async (evaluation, signal) => {
    const outcome = await evaluate(evaluation, signal);
    if (outcome.kind !== 'output') return outcome;
    const trouble = signs.inOutputs(values, outcome.output as readonly number[]);
    return trouble === undefined ? outcome : { kind: 'failure', reason: trouble.reason, retryable: false };
  };
}
