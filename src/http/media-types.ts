/** Which media types bodies may have. Here only the type is checked; the operations read the bodies. */
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the operation reads CSV files besides JSON. */
    takesCsv?: boolean;
  }
}

const CSV = 'text/csv';

/** JSON everywhere, and CSV where an operation reads it. */
export function checkMediaTypes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (_request, _payload, done) => done(null, undefined));
  app.addContentTypeParser(CSV, (request, _payload, done) => {
    if (isCsv(request)) done(null, undefined);
    else refuse(request, done);
  });
  app.addContentTypeParser('*', (request, _payload, done) => refuse(request, done));
}

/** Whether the body of the request is a CSV file that its operation reads. */
export function isCsv({ headers, routeOptions }: FastifyRequest): boolean {
  const type = headers['content-type']?.replace(/;.*/s, '').trim().toLowerCase();
  return routeOptions.config.takesCsv === true && type === CSV;
}

function refuse(request: FastifyRequest, done: (error: Error | null, body?: undefined) => void): void {
  // Some clients state the type of a form or text although they send no body.
  if (request.headers['content-length'] === '0') done(null, undefined);
  else if (request.routeOptions.config.takesCsv === true) done(new NeitherJsonNorCsv());
  else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
}

/** 415, as Fastify's own. */
class NeitherJsonNorCsv extends Error {
  readonly statusCode = 415;

  constructor() {
    super('Send the body as JSON with Content-Type: application/json, or as a CSV file with Content-Type: text/csv');
  }
}
