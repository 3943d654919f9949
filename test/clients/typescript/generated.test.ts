import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { errorOfAnswer } from '../../../clients/typescript/src/errors.ts';
import { PROBLEM_CLASSES } from '../../../clients/typescript/src/generated/problems.ts';
import { BacksolveError, VERSION } from '../../../clients/typescript/src/index.ts';
import { DomainError, type ErrorCode } from '../../../src/domain/errors.ts';
import { answerError, REFUSALS } from '../../../src/http/operation/errors.ts';
import { buildClientFiles } from '../../../tools/client-files.ts';

it.each(buildClientFiles())(
  '$file is what the interface gives; otherwise run `npm run client`',
  async ({ file, text }) => {
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);

it('The package has the version of the interface', async () => {
  const file = new URL('../../../clients/typescript/package.json', import.meta.url);
  const { version } = JSON.parse(await readFile(file, 'utf8')) as { readonly version: string };
  expect(version).toBe(VERSION);
});

describe('every refusal of the service', () => {
  const ASKED = { operationId: 'getAccount', address: 'http://localhost', path: '/v1/account' };
  const CONTEXT = { instance: ASKED.path, databaseTrouble: () => undefined, inversePathOf: () => undefined };

  it.each(Object.keys(REFUSALS) as ErrorCode[])('%s is an error of its own class', (code) => {
    const { problem, headers } = answerError(new DomainError(code, 'Do better.', { retryAfterSeconds: 7 }), CONTEXT);
    const answer = new Response(null, { status: problem.status, headers });
    const error = errorOfAnswer(answer, JSON.stringify(problem), ASKED) as BacksolveError;
    expect(error.constructor).toBe(PROBLEM_CLASSES[code.toLowerCase().replaceAll('_', '-')]);
    expect(error.constructor).not.toBe(BacksolveError);
    expect(error.name).toBe(error.constructor.name);
    expect(error).toMatchObject({ code, status: REFUSALS[code].status, message: 'Do better.', retryAfterSeconds: 7 });
  });

  it('A failure of the service and of its database as well', () => {
    const failures = [
      answerError(new Error('bug'), CONTEXT),
      answerError(new Error(), { ...CONTEXT, databaseTrouble: () => 'away' }),
      answerError(new Error(), { ...CONTEXT, databaseTrouble: () => 'out-of-time' }),
    ];
    const names = failures.map(({ problem }) => {
      const answer = new Response(null, { status: problem.status });
      return errorOfAnswer(answer, JSON.stringify(problem), ASKED).name;
    });
    expect(names).toEqual(['InternalError', 'UnavailableError', 'DatabaseTimeoutError']);
  });
});
