/** JSON request bodies: strict UTF-8, an empty body reads as no body, poisoned prototypes are refused. */
import { errorCodes, type FastifyInstance } from 'fastify';
import { DomainError, makeViolation } from '../domain/errors.ts';

export function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    let text: string;
    try {
      text = utf8.decode(body as Buffer);
    } catch {
      return done(unreadable('The body is not valid UTF-8.'));
    }
    // Calls back at once, with an error when the text is no JSON or names __proto__ or constructor.prototype.
    parseJson(request, text, (error, value) => {
      if (error === null) done(null, value);
      else done(unreadable('The body is not valid JSON, or it has the key "__proto__" or "constructor.prototype".'));
    });
  });
  // Some clients name a form or text as the type of a body that they do not send.
  app.addContentTypeParser('*', (request, _payload, done) => {
    if (request.headers['content-length'] === '0') done(null, undefined);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
  });
}

function unreadable(message: string): DomainError {
  return new DomainError('VALIDATION_FAILED', message, { violations: [makeViolation([], message)] });
}
