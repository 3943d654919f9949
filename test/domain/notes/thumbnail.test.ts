import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readThumbnail } from '../../../src/domain/notes/thumbnail.ts';
import { SMALL_JPEG, withExif } from '../../support/pictures.ts';

const PICTURE = Buffer.from(SMALL_JPEG, 'base64');

it('A thumbnail keeps the picture and loses everything else: EXIF, comments, profiles', () => {
  const kept = readThumbnail(withExif(PICTURE, 'GPS 48.1'));
  expect(kept).toBeInstanceOf(Uint8Array);
  const text = Buffer.from(kept as Uint8Array).toString('latin1');
  expect(text).not.toMatch(/Exif|GPS|ICC_PROFILE/);
  expect(readThumbnail(kept as Uint8Array)).toEqual(kept);
  expect(readThumbnail(PICTURE)).toEqual(kept);
});

it.each([
  ['comments', (picture: Buffer) => insert(picture, 2, segment(0xfe, 'SECRET'))],
  ['text of APP0 that is no JFIF', (picture: Buffer) => insert(picture, 2, segment(0xe0, 'SECRET'))],
  ['JFXX with another picture', (picture: Buffer) => insert(picture, 20, segment(0xe0, 'JFXX\0\x10SECRET'))],
  [
    'a picture within JFIF',
    (picture: Buffer) =>
      Buffer.concat([
        picture.subarray(0, 2),
        segment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\x01\x02SECRET'),
        picture.subarray(20),
      ]),
  ],
  ['bytes after the end', (picture: Buffer) => Buffer.concat([picture, Buffer.from('SECRET')])],
  [
    'a second picture after the end',
    (picture: Buffer) => Buffer.concat([picture, insert(picture, 2, segment(0xfe, 'SECRET'))]),
  ],
  ['a comment after the scan', (picture: Buffer) => insert(picture, picture.length - 2, segment(0xfe, 'SECRET'))],
])('A thumbnail loses %s', (_, add) => {
  const given = add(PICTURE);
  expect(given.toString('latin1')).toContain('SECRET');
  expect(Buffer.from(readThumbnail(given) as Uint8Array).toString('base64')).toBe(plain());
});

it('A table or a frame with something behind it is refused', () => {
  const tables = PICTURE.indexOf(Buffer.from([0xff, 0xdb]));
  const longer = insert(PICTURE, tables + 2 + PICTURE.readUInt16BE(tables + 2), Buffer.from('SECRET'));
  longer.writeUInt16BE(PICTURE.readUInt16BE(tables + 2) + 6, tables + 2);
  expect(readThumbnail(longer)).toContain('whole JPEG');
});

const plain = () => Buffer.from(readThumbnail(PICTURE) as Uint8Array).toString('base64');
const insert = (picture: Buffer, at: number, part: Buffer) =>
  Buffer.concat([picture.subarray(0, at), part, picture.subarray(at)]);
const segment = (marker: number, text: string) =>
  Buffer.concat([Buffer.from([0xff, marker, 0, text.length + 2]), Buffer.from(text, 'latin1')]);

it('What is no small JPEG is refused with what it must be', () => {
  const large = Uint8Array.from(PICTURE);
  const frame = PICTURE.indexOf(Buffer.from([0xff, 0xc0]));
  large.set([0x40, 0x00], frame + 5);
  expect(readThumbnail(large)).toContain('512 pixels');
  expect(readThumbnail(PICTURE.subarray(0, 200))).toContain('whole JPEG');
  expect(readThumbnail(PICTURE.subarray(0, -1))).toContain('whole JPEG');
  expect(readThumbnail(Buffer.from('<svg onload="alert(1)"/>'))).toContain('JPEG');
  expect(readThumbnail(Buffer.alloc(64 * 1024 + 1))).toContain('at most 65536 bytes');
  expect(readThumbnail(new Uint8Array())).toContain('JPEG');
});

it('A damaged picture never makes reading fail', () => {
  fc.assert(
    fc.property(fc.nat(PICTURE.length - 1), fc.nat(255), fc.nat(PICTURE.length), (at, byte, length) => {
      const damaged = Uint8Array.from(PICTURE);
      damaged[at] = byte;
      const read = readThumbnail(damaged.subarray(0, length));
      expect(typeof read === 'string' || read.length <= length).toBe(true);
    }),
  );
});
