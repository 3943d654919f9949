/** Bodies are JSON. What they hold is read by the operations; here only their type is looked at. */
import { errorCodes, type FastifyInstance } from 'fastify';

export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (_request, _payload, done) => done(null, undefined));
  // Some clients name a form or text as the type of a body that they do not send.
  app.addContentTypeParser('*', (request, _payload, done) => {
    if (request.headers['content-length'] === '0') done(null, undefined);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
  });
}
