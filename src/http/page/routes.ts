/**
 * Serves the page as it was built: hashed files, which never change, and for every other path index.html, in which the page itself
 * reads the path.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const PREFIX = '/page';
const ASSETS = 'assets';
const INDEX = 'index.html';

/** Nothing inline, nothing from elsewhere, no framing, no text that becomes markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const NOT_BUILT =
  'The page is not built. Run `npm run build` in the folder of Backsolve, which needs its development dependencies (`npm ci`); ' +
  'then load this address again. The service itself works: its interface is described at /docs.\n';

/** `folder` is looked at with every request, so a page that is built later is served without a restart. */
export async function addPage(app: FastifyInstance, folder: string | undefined): Promise<void> {
  app.get('/', async (_, reply) => reply.redirect(PREFIX));
  const addFiles = async (scope: FastifyInstance): Promise<void> => {
    scope.addHook('onRequest', async (_, reply) => {
      reply.header('content-security-policy', POLICY);
    });
    // Sends NAME.br or NAME.gz to browsers that take them.
    await scope.register(fastifyStatic, { serve: false, index: false, preCompressed: true });

    scope.get(`/${ASSETS}/*`, (request, reply) => {
      if (folder === undefined) return reply.callNotFound();
      const { '*': name } = request.params as { readonly '*': string };
      return reply.sendFile(`${ASSETS}/${name}`, folder, { immutable: true, maxAge: '365d' });
    });
    const sendIndex = async (_: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      if (folder !== undefined && (await exists(join(folder, INDEX)))) {
        return reply.header('cache-control', 'no-cache').sendFile(INDEX, folder, { cacheControl: false });
      }
      return reply.code(503).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(NOT_BUILT);
    };
    scope.get('/', sendIndex);
    scope.get('/*', sendIndex);
  };
  await app.register(addFiles, { prefix: PREFIX });
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
