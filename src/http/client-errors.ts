/** Answers to requests that are not valid HTTP or arrive too slowly: Node reports them and no route sees them. */
import type { Socket } from 'node:net';
import { COMMON_HEADERS } from './hooks/security-headers.ts';
import { answerStatus } from './operation/errors.ts';
import { PROBLEM_MEDIA_TYPE } from './wire/problem.ts';

interface ConnectionError extends Error {
  readonly code?: string;
}

const ANSWERS: Readonly<Record<string, { readonly status: number; readonly detail: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The request line and headers are too long.' },
};

export function answerClientError(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, detail } = ANSWERS[error.code ?? ''] ?? { status: 400, detail: 'This is not a valid HTTP request.' };
  if (socket.writable) socket.write(formatAnswer(status, detail));
  socket.destroy(error);
}

function formatAnswer(status: number, detail: string): string {
  const { problem } = answerStatus(status, detail, { instance: '' });
  const body = JSON.stringify(problem);
  return [
    `HTTP/1.1 ${status} ${problem.title}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(COMMON_HEADERS).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
}
