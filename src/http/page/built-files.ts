/** Shared by the routes of the page and of /docs: they serve files that `npm run build` writes. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Nothing inline, nothing from elsewhere, no framing, no text that becomes markup. */
export const STRICT_POLICY = [
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

/** Sends NAME.br or NAME.gz to browsers that take them. */
export async function allowFiles(scope: FastifyInstance): Promise<void> {
  await scope.register(fastifyStatic, { serve: false, index: false, preCompressed: true });
}

/** A file whose name has a hash of its content, so that it never changes. */
export function sendAsset(reply: FastifyReply, folder: string | undefined, name: string): FastifyReply {
  if (folder === undefined) {
    reply.callNotFound();
    return reply;
  }
  return reply.sendFile(name, folder, { immutable: true, maxAge: '365d' });
}

/** Looks for the file with every request, so one that is built later is served without a restart. */
export async function hasFile(folder: string | undefined, name: string): Promise<boolean> {
  if (folder === undefined) return false;
  return access(join(folder, name)).then(
    () => true,
    () => false,
  );
}

/** Browsers revalidate it each time. */
export function sendPage(reply: FastifyReply, folder: string, name: string): FastifyReply {
  return reply.header('cache-control', 'no-cache').sendFile(name, folder, { cacheControl: false });
}

/** `what` is a sentence about what still works. */
export function sendNotBuilt(reply: FastifyReply, what: string): FastifyReply {
  const text = `The page is not built. Run \`npm run build\` in the folder of Backsolve, which needs its development dependencies (\`npm ci\`); then load this address again. ${what}\n`;
  return reply.code(503).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(text);
}
