/** `evaluator: {url: http://localhost:9000/run}`: an address instead of a command and all that says how to call one. */
import type { ValueReader } from '../files/value-reader.ts';
import type { BlackBox, BlackBoxKind, Fields } from './black-box.ts';
import { SIGN_KEYS } from './output-signs.ts';
import { makeUrlRunner, urlFault } from './url-runner.ts';

export const url: BlackBoxKind = {
  key: 'evaluator',
  example: '{url: ...}',
  keys: ['evaluator', ...SIGN_KEYS],
  read: (reader, fields) => toBlackBox(readUrl(reader, fields) ?? ''),
};

/** As result files and hashes have always had it, beside a command that is empty. */
const NO_COMMAND = { command: [], shell: false, templates: [], copies: [], read: [] };

function toBlackBox(address: string): BlackBox {
  return {
    key: 'evaluator',
    identity: [{ ...NO_COMMAND, environment: {} }, [], address],
    record: { command: { ...NO_COMMAND, onExit: {}, environment: {}, keep: 'failed' }, evaluatorUrl: address },
    // The files of a program behind an address are unknown.
    files: async () => [],
    open: ({ onNote }) => ({
      call: async ({ fits }) => makeUrlRunner({ url: address, fits, onNote }),
      close: async () => undefined,
    }),
  };
}

function readUrl(reader: ValueReader, fields: Fields): string | undefined {
  const value = fields.get('evaluator')!;
  const sent = reader.fields(value, ['evaluator'], ['url'])?.get('url');
  if (sent === undefined) return reader.refuse(value.at, ['evaluator', 'url'], 'is required: the address to call.');
  const text = reader.text(sent, ['evaluator', 'url']);
  const fault = text === undefined ? undefined : urlFault(text);
  return fault === undefined ? text : reader.refuse(sent.at, ['evaluator', 'url'], fault);
}
