/** Uploads as nobody should send them: nothing is shown by a browser, nothing fails on the service's side, nothing is stored in part. */
import { connect } from 'node:net';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanFileName } from '../../src/domain/notes/note.ts';
import { SMALL_JPEG, withExif } from '../support/pictures.ts';
import { type NativeService, openNativeService, prepareObjective } from './native-service.ts';

const MOST = 60_000;
/** 2,000 take a minute. */
const UPLOADS = Number(process.env['FUZZ_RUNS'] ?? 200);

let service: NativeService;
let notes: string;
beforeAll(async () => {
  service = await openNativeService({ settings: { fileBytes: MOST } });
  const { loaded } = await prepareObjective(service.send);
  notes = `/v1/objectives/${loaded.body.id}/notes`;
});
afterAll(() => service.close());

const PHOTO = Buffer.from(SMALL_JPEG, 'base64');
/** 50 MB of zeros in 50 kB. */
const BOMB = Buffer.from(zipSync({ '[Content_Types].xml': new Uint8Array(50_000_000) }, { level: 9 }));
const SCRIPT = '<script>fetch("/v1/keys")</script>';

const KINDS: Readonly<Record<string, Buffer>> = {
  html: Buffer.from(`<!doctype html>${SCRIPT}`),
  svg: Buffer.from(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${SCRIPT}</svg>`),
  polyglot: Buffer.concat([PHOTO, Buffer.from(SCRIPT)]),
  bomb: BOMB,
  exif: withExif(PHOTO, `GPS ${SCRIPT}`),
  program: Buffer.from('MZ\x90\0\x03\0\0\0'),
  pdf: Buffer.from('%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj'),
  script: Buffer.from('#!/bin/sh\nrm -rf /\n'),
  empty: Buffer.alloc(0),
};

/** Whole, cut off, or with a byte changed. */
const contents = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...Object.values(KINDS)),
      fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(MOST - 1, MOST, MOST + 1).map((size) => Buffer.alloc(size, 7)),
    ),
    fc.option(fc.nat()),
    fc.option(fc.tuple(fc.nat(), fc.nat(255))),
  )
  .map(([content, cut, change]) => {
    const changed = Buffer.from(cut === null ? content : content.subarray(0, cut % (content.length + 1)));
    if (change !== null && changed.length > 0) changed[change[0] % changed.length] = change[1];
    return changed;
  });

const names = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom(
    '../../etc/passwd',
    'C:\\x\\y.html',
    '\u202egpj.exe',
    'a\0b.jpg',
    'x'.repeat(1_000),
    '',
    '.',
    'a"\r\nX: y',
    'ü%00.svg',
    '\ud800',
  ),
  fc.string({ unit: 'grapheme', minLength: 900, maxLength: 1_200 }),
);

const thumbnails = fc.option(fc.oneof(contents, fc.constant(PHOTO), fc.constant(KINDS['exif']!)));

const isKept = (name: string) => !name.includes('\0') && name.isWellFormed();

it('Hostile uploads are kept whole or refused, and none is shown or run by a browser', {
  timeout: 60_000 + 200 * UPLOADS,
}, async () => {
  const seen = { kept: 0, refused: 0, thumbnails: 0 };
  await fc.assert(
    fc.asyncProperty(names, contents, thumbnails, async (name, content, thumbnail) => {
      const before = await stored();
      const file = {
        name,
        content: content.toString('base64'),
        thumbnail: thumbnail?.toString('base64') ?? null,
      };
      const answer = await service.send('POST', notes, { text: 'upload', file });
      if (answer.status !== 201) {
        expect([400, 413], answer.text).toContain(answer.status);
        expect(await stored()).toEqual(before);
        seen.refused++;
        return;
      }
      expect(content.length).toBeGreaterThan(0);
      expect(content.length).toBeLessThanOrEqual(MOST);
      expect(isKept(name)).toBe(true);
      expect(answer.body.file).toMatchObject({ name: cleanFileName(name), bytes: content.length });
      expect(answer.body.file.mediaType).not.toMatch(/html|svg|xml|javascript/);
      const url = `${notes}/${answer.body.id}`;
      const saved = await service.app.inject({
        url: `${url}/file`,
        headers: { authorization: `Bearer ${service.key}` },
      });
      expect(saved.statusCode).toBe(200);
      expect(saved.rawPayload.equals(content)).toBe(true);
      expectSafe(saved.headers, 'application/octet-stream');
      expect(String(saved.headers['content-disposition'])).toMatch(/^attachment; filename="?[^\r\n]*$/);
      if (answer.body.file.hasThumbnail) {
        const shown = await service.app.inject({
          url: `${url}/thumbnail`,
          headers: { authorization: `Bearer ${service.key}` },
        });
        expectSafe(shown.headers, 'image/jpeg');
        expect(shown.rawPayload.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
        expect(shown.rawPayload.toString('latin1')).not.toContain('GPS');
        seen.thumbnails++;
      }
      seen.kept++;
      await sql`delete from notes where id = ${answer.body.id}`.execute(service.db);
    }),
    { numRuns: UPLOADS },
  );
  console.log(`${UPLOADS} uploads: ${seen.kept} kept, ${seen.refused} refused, ${seen.thumbnails} with a thumbnail`);
  expect(Math.min(seen.kept, seen.refused, seen.thumbnails)).toBeGreaterThan(10);
});

function expectSafe(headers: Readonly<Record<string, unknown>>, type: string): void {
  expect(headers).toMatchObject({
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringMatching(/default-src 'none'.*sandbox/),
  });
}

async function stored() {
  const { rows } = await sql`select count(*)::int as notes, coalesce(max(id), 0)::int as last from notes`.execute(
    service.db,
  );
  return rows;
}

it('An upload that breaks off leaves nothing, and the same upload succeeds afterwards', async () => {
  const before = await stored();
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const body = JSON.stringify({
    text: 'broken off',
    file: { name: 'a.bin', content: Buffer.alloc(MOST).toString('base64') },
  });
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  const head = [
    `POST ${notes} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${service.key}`,
    'content-type: application/json',
    'idempotency-key: broken-off',
    `content-length: ${body.length}`,
  ];
  await new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, -100)}`, resolve));
  socket.destroy();
  await closed;
  expect(await stored()).toEqual(before);
  const again = await service.send('POST', notes, body, { 'idempotency-key': 'broken-off' });
  expect(again.status, again.text).toBe(201);
  expect((await service.send('GET', notes)).body).toHaveLength(1);
});
