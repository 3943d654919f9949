/** The settings of files in notes: a part of SETTINGS_TREE. */
import type { z } from 'zod';
import { isHttpUrl, optionalParsed, SECRET, setting, wholeNumber } from './rules.ts';

const MEBIBYTE = 1024 * 1024;

export interface S3Address {
  /** Without the bucket. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

const OTHERWISE = 'us-east-1';

/** The id and the secret of the key are the user and the password of the URL, the bucket is its path. */
function parseS3(value: string, context: z.RefinementCtx): S3Address | undefined {
  try {
    if (!isHttpUrl(value)) throw new URIError('no URL');
    const { username, password, pathname, searchParams, origin } = new URL(value);
    const [, bucket] = /^\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/.exec(pathname) ?? [];
    if (bucket === undefined || username === '' || password === '') throw new URIError('a part is missing');
    return {
      endpoint: origin,
      bucket,
      region: searchParams.get('region') ?? OTHERWISE,
      accessKey: decodeURIComponent(username),
      secretKey: decodeURIComponent(password),
    };
  } catch {
    context.addIssue({ code: 'custom', message: 'lacks a key, its secret or the bucket' });
    return undefined;
  }
}

export const FILE_SETTINGS = {
  maximumBytes: setting(
    'FILE_MAXIMUM_BYTES',
    wholeNumber(0, 64 * MEBIBYTE, '10000000'),
    'Largest [file of a note](notes-and-files.md) (10 MB); 0: none are taken. Uploads have a third more bytes, and half of `MAXIMUM_BODY_BYTES_IN_FLIGHT` has to hold one.',
  ),
  s3: setting(
    'FILES_S3_URL',
    optionalParsed(
      parseS3,
      undefined,
      'https://, the id of an access key, a colon, its secret, @, the host, / and the bucket; id and secret percent-encoded',
      'https://AKIAEXAMPLE:secret@s3.eu-central-1.amazonaws.com/rig-files?region=eu-central-1',
    ),
    `Storage that speaks the S3 protocol, for new [files](notes-and-files.md#where-files-are-kept): the id and the secret of a key, percent-encoded, the host and the bucket, which must exist; the region is \`${OTHERWISE}\` unless stated. By default files are in the database. Ingresses and workers need it.`,
    SECRET,
  ),
} as const;
