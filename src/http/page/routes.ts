/**
 * Serves the page as it was built: hashed files, which never change, and for every other path index.html, in which the page itself
 * reads the path.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cellCookie } from '../cookies/cookie.ts';
import type { HttpSettings } from '../operation/deps.ts';
import { allowFiles, hasFile, STRICT_POLICY, sendAsset, sendNotBuilt, sendPage } from './built-files.ts';

const PREFIX = '/page';
const ASSETS = 'assets';
const INDEX = 'index.html';

const STILL_WORKS = 'The service itself works: its interface is described at /v1/openapi.json.';

type PageSettings = Pick<HttpSettings, 'pageFolder' | 'cell'>;

export async function addPage(app: FastifyInstance, { pageFolder: folder, cell }: PageSettings): Promise<void> {
  app.get('/', async (_, reply) => reply.redirect(PREFIX));
  const addFiles = async (scope: FastifyInstance): Promise<void> => {
    scope.addHook('onRequest', async (_, reply) => {
      reply.header('content-security-policy', STRICT_POLICY);
    });
    await allowFiles(scope);
    scope.get(`/${ASSETS}/*`, (request, reply) => {
      const { '*': name } = request.params as { readonly '*': string };
      return sendAsset(reply, folder, `${ASSETS}/${name}`);
    });
    const sendIndex = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      if (cell !== undefined) reply.header('set-cookie', cellCookie(request, cell));
      return (await hasFile(folder, INDEX)) ? sendPage(reply, folder!, INDEX) : sendNotBuilt(reply, STILL_WORKS);
    };
    scope.get('/', sendIndex);
    scope.get('/*', sendIndex);
  };
  await app.register(addFiles, { prefix: PREFIX });
}
