/** Serves the built /docs: the reference of each interface, a page that sends requests, and the guides with their pictures. */
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowFiles, hasFile, STRICT_POLICY, sendAsset, sendNotBuilt, sendPage } from './built-files.ts';

const PREFIX = '/docs';

/** The library that sends requests writes style elements and style attributes into the page, and makes markup of text. */
const TRY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const STILL_WORKS =
  'The documents themselves are at /v1/openapi.json and /api/openapi.json, the guides in the folder docs.';

/** `pageFolder` is the folder of the built page. */
export async function addDocs(app: FastifyInstance, pageFolder: string | undefined): Promise<void> {
  const folder = pageFolder === undefined ? undefined : join(pageFolder, 'docs');
  const addFiles = async (scope: FastifyInstance): Promise<void> => {
    await allowFiles(scope);
    const serve = (path: string, policy: string, send: (name: string, reply: FastifyReply) => unknown): void => {
      scope.get(path, async (request: FastifyRequest, reply) => {
        reply.header('content-security-policy', policy);
        return send((request.params as { readonly name?: string }).name ?? '', reply);
      });
    };
    const sendBuilt = async (reply: FastifyReply, file: string): Promise<unknown> => {
      if (await hasFile(folder, file)) return sendPage(reply, folder!, file);
      return (await hasFile(folder, 'index.html')) ? reply.callNotFound() : sendNotBuilt(reply, STILL_WORKS);
    };
    const serveNamed = (prefix: string, folderName: string): void =>
      serve(`${prefix}/:name`, STRICT_POLICY, (name, reply) =>
        /^[a-z0-9-]+$/.test(name) ? sendBuilt(reply, `${folderName}/${name}.html`) : reply.callNotFound(),
      );
    serve('/', STRICT_POLICY, (_, reply) => sendBuilt(reply, 'index.html'));
    serve('/api', STRICT_POLICY, (_, reply) => sendBuilt(reply, 'api.html'));
    serveNamed('/v1', 'v1');
    serveNamed('/api', 'api');
    serve('/try', TRY_POLICY, (_, reply) => sendBuilt(reply, 'try.html'));
    serve('/api/try', TRY_POLICY, (_, reply) => sendBuilt(reply, 'api/try.html'));
    serve('/guides', STRICT_POLICY, (_, reply) => sendBuilt(reply, 'guides/index.html'));
    serveNamed('/guides', 'guides');
    serve('/pictures/:name', STRICT_POLICY, (name, reply) =>
      /^[\w-]+\.(png|svg)$/.test(name) ? sendBuilt(reply, `pictures/${name}`) : reply.callNotFound(),
    );
    serve('/assets/:name', STRICT_POLICY, (name, reply) => sendAsset(reply, folder, `assets/${name}`));
  };
  await app.register(addFiles, { prefix: PREFIX });
}
