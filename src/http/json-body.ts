/** Accepts only JSON bodies. Here only their media type is checked; the operations read them. */
import { errorCodes, type FastifyInstance } from 'fastify';

export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (_request, _payload, done) => done(null, undefined));
  // Some clients state the type of a form or text although they send no body.
  app.addContentTypeParser('*', (request, _payload, done) => {
    if (request.headers['content-length'] === '0') done(null, undefined);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
  });
}
