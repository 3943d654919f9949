import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { makeLog, toWaitingLines } from '../src/log.ts';

function collect(level: string) {
  const lines: Record<string, unknown>[] = [];
  const log = makeLog({ level, destination: { write: (line: string) => void lines.push(JSON.parse(line)) } });
  return { log, lines };
}

test('a line carries level as text, time as ISO 8601, process and service', () => {
  const { log, lines } = collect('info');
  log.info({ requestId: 'r1' }, 'done');
  expect(lines).toEqual([
    expect.objectContaining({ level: 'info', service: 'backsolve', pid: process.pid, requestId: 'r1', msg: 'done' }),
  ]);
  expect(new Date(String(lines[0]?.['time'])).toISOString()).toBe(lines[0]?.['time']);
});

test('lines below the level are dropped', () => {
  const { log, lines } = collect('warn');
  log.info('quiet');
  log.warn('loud');
  expect(lines.map((line) => line['msg'])).toEqual(['loud']);
});

test.each([
  { password: 'hunter2' },
  { apiKey: 'hunter2' },
  { databaseUrl: 'postgres://u:hunter2@db' },
  { headers: { authorization: 'Bearer hunter2' } },
  { headers: { 'x-api-key': 'hunter2' } },
  { token: 'hunter2' },
  { headers: { cookie: 'bks_session_8080=hunter2' } },
  { headers: { 'x-page-secret': 'hunter2' } },
  { body: { pageSecret: 'hunter2' } },
  { res: { headers: { 'set-cookie': 'bks_session_8080=hunter2; Path=/' } } },
  { req: { headers: { authorization: 'Bearer hunter2', 'x-api-key': 'hunter2', cookie: 'hunter2' } } },
])('secrets are removed: %j', (fields) => {
  const { log, lines } = collect('info');
  log.info(fields, 'event');
  log.child(fields).info('event');
  expect(JSON.stringify(lines)).not.toContain('hunter2');
  expect(lines).toHaveLength(2);
});

test('on a terminal an event is one readable line, without process data, stacks or secrets', () => {
  const written: string[] = [];
  const terminal = Object.assign(
    new Writable({
      decodeStrings: false,
      write: (line, _, done) => {
        written.push(line);
        done();
      },
    }),
    { isTTY: true, hasColors: () => false },
  );
  const log = makeLog({ level: 'info', stream: terminal as unknown as NodeJS.WriteStream });
  log.info({ url: 'http://127.0.0.1:8080', nested: { list: [1, 2] } }, 'service.ready');
  log.error({ err: new Error('first line\nsecond line'), apiKey: 'hunter2' }, 'request.failed');
  log.debug('request.answered');
  expect(written.map((line) => line.replace(/^\[\d\d:\d\d:\d\d\] /, ''))).toEqual([
    'INFO: service.ready {"url":"http://127.0.0.1:8080","nested":{"list":[1,2]}}\n',
    'ERROR: request.failed {"err":"first line\\nsecond line","apiKey":"[removed]"}\n',
  ]);
});

test('unread lines are kept up to 4 MiB, dropped beyond, and counted once there is room', () => {
  const written: string[] = [];
  const reads: (() => void)[] = [];
  const unread = new Writable({
    decodeStrings: false,
    write: (line, _, done) => {
      written.push(line);
      reads.push(done);
    },
  });
  const counts: number[] = [];
  const lines = toWaitingLines(unread, (count) => counts.push(count));
  const mebibyte = (letter: string) => letter.repeat(1024 * 1024);
  for (const letter of 'abcdef') lines.write(mebibyte(letter));
  expect(unread.writableLength).toBe(4 * 1024 * 1024);
  lines.write('short');
  expect(counts).toEqual([]);
  for (let read = reads.shift(); read !== undefined; read = reads.shift()) read();
  lines.write('later');
  expect(counts).toEqual([3]);
  lines.write('last');
  for (let read = reads.shift(); read !== undefined; read = reads.shift()) read();
  expect(counts).toEqual([3]);
  expect(written.map((line) => line.at(-1)).join('')).toBe('abcdrt');
});
