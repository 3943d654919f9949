/** Allows the media types of bodies. Only the type is checked here; the operations read the bodies. */
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { MEDIA_TYPES } from '../wire/formats.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the operation reads CSV files and workbooks besides JSON. */
    takesCsv?: boolean;
  }
}

/** JSON everywhere, and tables where an operation reads them. */
export function checkMediaTypes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (_request, _payload, done) => done(null, undefined));
  app.addContentTypeParser([MEDIA_TYPES.csv, MEDIA_TYPES.xlsx], (request, _payload, done) => {
    if (bodyFormatOf(request) !== 'json') done(null, undefined);
    else refuse(request, done);
  });
  app.addContentTypeParser('*', (request, _payload, done) => refuse(request, done));
}

/** Format in which the body of the request is read: a table only if its operation takes one. */
export function bodyFormatOf({ headers, routeOptions }: FastifyRequest): 'json' | 'csv' | 'xlsx' {
  if (routeOptions.config.takesCsv !== true) return 'json';
  const type = headers['content-type']?.replace(/;.*/s, '').trim().toLowerCase();
  if (type === MEDIA_TYPES.csv) return 'csv';
  return type === MEDIA_TYPES.xlsx ? 'xlsx' : 'json';
}

function refuse(request: FastifyRequest, done: (error: Error | null, body?: undefined) => void): void {
  // Some clients state the type of a form or text although they send no body.
  if (request.headers['content-length'] === '0') done(null, undefined);
  else if (request.routeOptions.config.takesCsv === true) done(new NeitherJsonNorTable());
  else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE());
}

/** 415, as Fastify's own. */
class NeitherJsonNorTable extends Error {
  readonly statusCode = 415;

  constructor() {
    super(
      `Send the body as JSON with Content-Type: application/json, as a CSV file with Content-Type: text/csv, or as a workbook with Content-Type: ${MEDIA_TYPES.xlsx}`,
    );
  }
}
