/** The settings of files in notes: a part of SETTINGS_TREE. */
import { isHttpUrl, optionalText, SECRET, setting, text, wholeNumber } from './setting-rules.ts';

const MEBIBYTE = 1024 * 1024;

export const FILE_SETTINGS = {
  maximumBytes: setting(
    'FILE_MAXIMUM_BYTES',
    wholeNumber(0, 64 * MEBIBYTE, '10000000'),
    'Largest [file of a note](notes-and-files.md) (10 MB); 0: none are taken. Uploads have a third more bytes, and those of one account at a time must fit into half of `BODY_BYTES_IN_FLIGHT`.',
  ),
  s3: {
    endpoint: setting(
      'FILES_S3_ENDPOINT',
      optionalText(isHttpUrl, 'an http or https URL', 'https://s3.eu-central-1.amazonaws.com'),
      'Base address of storage that speaks the S3 protocol, for new [files](notes-and-files.md#where-files-are-kept). By default they are in the database. Ingresses and workers need it.',
    ),
    bucket: setting(
      'FILES_S3_BUCKET',
      text(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket', 'rig-files', 'backsolve'),
      'The bucket, which must exist.',
    ),
    region: setting(
      'FILES_S3_REGION',
      text(/^[\w-]+$/, 'the name of a region', 'eu-central-1', 'us-east-1'),
      'The region that requests are signed for.',
    ),
    accessKey: setting(
      'FILES_S3_ACCESS_KEY',
      optionalText((value) => value.trim() !== '', 'the id of an access key', 'AKIAIOSFODNN7EXAMPLE'),
      'The id of the access key. Treated as a secret.',
      SECRET,
    ),
    secretKey: setting(
      'FILES_S3_SECRET_KEY',
      optionalText((value) => value.trim() !== '', 'the secret of the access key', 'a secret'),
      'Its secret; the key needs GetObject, PutObject and DeleteObject in the bucket.',
      SECRET,
    ),
  },
} as const;
