import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonText, type TextLimits } from '../../src/http/body/json-text.ts';

const ROOMY: TextLimits = { depth: 100, containers: 1e6, members: 1e6, values: 1e6 };
const bytes = (text: string) => new TextEncoder().encode(text);
const parse = (text: string, limits: Partial<TextLimits> = {}) => parseJsonText(bytes(text), { ...ROOMY, ...limits });
const messageOf = (text: string, limits: Partial<TextLimits> = {}) => {
  const parsed = parse(text, limits);
  return parsed.kind === 'unreadable' ? parsed.message : undefined;
};

describe('the text of a body', () => {
  it('A body is parsed like JSON, whatever its strings contain', () => {
    const limits = { depth: 1000, containers: 1e6, members: 1e6, values: 1e6 };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        const parsed = parse(text, limits);
        if (parsed.kind === 'value') expect(parsed.value).toEqual(JSON.parse(text));
        else expect(text).toMatch(/__proto__|constructor/);
      }),
    );
  });

  it('A body is counted only outside its strings', () => {
    const text = JSON.stringify({ a: '[[[[{{{{,,,,::::"\\', b: '\\"[' });
    const limits = { depth: 1, containers: 1, members: 2, values: 3 };
    expect(parse(text, limits)).toEqual({ kind: 'value', value: JSON.parse(text) });
  });

  it.each([
    ['[[[1]]]', { depth: 2 }, 'The body must be nested at most 2 levels deep.'],
    ['[[0],[0],[0]]', { containers: 3 }, 'The body must have at most 3 arrays and objects, has 4.'],
    ['{"a":1,"b":2}', { members: 1 }, 'The body must have at most 1 fields, has 2.'],
    ['[1,2,3,4]', { values: 3 }, 'The body must have at most 3 values, has 4.'],
  ])('The body %s is refused before it is built if %j is exceeded', (text, limits, message) => {
    expect(messageOf(text, limits)).toBe(message);
    const [[name, limit]] = Object.entries(limits) as [[string, number]];
    expect(parse(text, { [name]: limit + 1 }).kind).toBe('value');
  });

  it('A body of 31 MiB of arrays with one element is refused without building eight million arrays', () => {
    const text = `{"a":[[0]${',[0]'.repeat(8_000_000)}]}`;
    const before = process.memoryUsage().heapUsed;
    expect(messageOf(text, { containers: 20_000 })).toContain('arrays and objects');
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 1024 * 1024);
  });

  it('A body of half a million quotes is refused in linear time', () => {
    // Quadratic time would take hours.
    expect(messageOf('\\"'.repeat(250_000))).toMatch(/^The body is not valid JSON/);
    expect(messageOf(`["${'\\"'.repeat(250_000)}`)).toMatch(/^The body is not valid JSON/);
  });

  it('A body nested twenty thousand levels deep is refused without recursion', () => {
    expect(messageOf('['.repeat(20_000) + ']'.repeat(20_000), { depth: 32 })).toContain('nested');
    expect(messageOf('{"a":'.repeat(20_000), { depth: 32 })).toContain('nested');
  });

  it.each([
    ['{"output": [NaN, 1]}', 'NaN'],
    ['{"output": [1, Infinity]}', 'Infinity'],
    ['[-Infinity]', '-Infinity'],
    ['NaN', 'NaN'],
    ['{"output":NaN}', 'NaN'],
    ['{"__proto__": 1, "output": [NaN]}', 'NaN'],
  ])('The refusal of the body %s says that JSON has no %s and how to report a failed run', (text, word) => {
    expect(messageOf(text)).toMatch(new RegExp(`JSON has no ${word}\\..*failed: true`));
  });

  it('The refusal of a body with NaN only in a string says where it is invalid', () => {
    expect(messageOf('{"name": "[NaN, 1]",}')).toBe('The body is not valid JSON; see character 21.');
  });

  it('The refusal of a body that sets a prototype names the field to leave out', () => {
    expect(messageOf('{"__proto__": {"x": 1}}')).toBe('The body must not have the field __proto__.');
    const text = '{"constructor": {"prototype": {}}, "name": "__proto__"}';
    expect(messageOf(text)).toBe('The body must not have the field constructor.prototype.');
  });

  it('The refusal of a body that is not UTF-8 says so', () => {
    expect(parseJsonText(Uint8Array.of(0x22, 0xff, 0x22), ROOMY)).toEqual({
      kind: 'unreadable',
      message: 'The body is not valid UTF-8.',
    });
  });
});
