/** Errors as sentences that say what to do next. */
import { BacksolveError, ConnectionError } from '../../clients/typescript/src/index.ts';
import { MOST_FAULTS, ToolError } from './tools/tool.ts';

const AGAIN = 'Nothing is lost: every call can be repeated safely.';

/** Undefined for a fault of this program. */
export function describeError(error: unknown): string | undefined {
  if (error instanceof ToolError) return error.message;
  if (error instanceof ConnectionError) return `${error.message} Call the same tool again in a moment. ${AGAIN}`;
  if (!(error instanceof BacksolveError)) return undefined;
  const { violations } = error;
  const faults = violations
    .slice(0, MOST_FAULTS)
    .map(({ property, message }) => withDot(property === '' ? message : `${property}: ${message}`));
  if (violations.length > MOST_FAULTS) faults.push(`And ${violations.length - MOST_FAULTS} more.`);
  return `${faults.length > 0 ? faults.join('\n') : withDot(error.detail)}${adviceFor(error)}`;
}

function adviceFor({ status, code, retryAfterSeconds }: BacksolveError): string {
  if (status === 401) return '\nAsk the person for a valid API key; it belongs into the configuration of this server.';
  if (code === 'FORBIDDEN') return '\nAsk the person for a key with that scope.';
  if (status === 429 || status >= 500)
    return `\nCall the same tool again ${retryAfterSeconds === undefined ? 'in a moment' : `in ${Math.ceil(retryAfterSeconds)} s`}. ${AGAIN}`;
  return '';
}

function withDot(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
