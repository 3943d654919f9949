import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readThumbnail } from '../../src/domain/thumbnail.ts';
import { SMALL_JPEG, withExif } from '../support/pictures.ts';

const PICTURE = Buffer.from(SMALL_JPEG, 'base64');

it('A thumbnail keeps the picture and loses everything else: EXIF, comments, profiles', () => {
  const kept = readThumbnail(withExif(PICTURE, 'GPS 48.1'));
  expect(kept).toBeInstanceOf(Uint8Array);
  const text = Buffer.from(kept as Uint8Array).toString('latin1');
  expect(text).not.toMatch(/Exif|GPS|ICC_PROFILE/);
  expect(readThumbnail(kept as Uint8Array)).toEqual(kept);
  expect(readThumbnail(PICTURE)).toEqual(kept);
});

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
