import { createHash } from 'node:crypto';
import type { Answer } from '../operation/operation.ts';
import type { ReportTask } from '../report/report-thread.ts';
import { matchesETag } from '../wire/etag.ts';
import { MEDIA_TYPES } from '../wire/formats.ts';

interface Asked {
  readonly format: ReportTask['format'];
  readonly ifNoneMatch: string | undefined;
  /** Content security policy of the HTML. */
  readonly policy: string;
  /** Whether the PDF is saved instead of shown. */
  readonly isPdfAttached?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A file with the hash of its bytes as ETag; 304 to whoever has it. */
export function answerDocument(
  { bytes, name }: { readonly bytes: Uint8Array; readonly name: string },
  asked: Asked,
): Answer {
  const { format, ifNoneMatch, policy, isPdfAttached = false } = asked;
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  const headers = { etag, ...asked.headers };
  if (matchesETag(ifNoneMatch, etag)) return { status: 304, headers };
  const isPdf = format === 'pdf';
  return {
    status: 200,
    headers: {
      ...headers,
      'content-type': isPdf ? MEDIA_TYPES.pdf : `${MEDIA_TYPES.html}; charset=utf-8`,
      'content-disposition': `${isPdf && isPdfAttached ? 'attachment' : 'inline'}; filename="${name}"`,
      ...(!isPdf && { 'content-security-policy': policy }),
    },
    body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
  };
}
