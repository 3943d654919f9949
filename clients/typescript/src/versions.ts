/** This client understands services of its major version, and before 1.0 only those of its minor version. */
import { VERSION } from './generated/routes.ts';

/** The service has an interface that this client does not understand. */
export class VersionError extends Error {
  override readonly name = 'VersionError';
  /** Version of the service. */
  readonly version: string;

  constructor(message: string, version: string) {
    super(message);
    this.version = version;
  }
}

/** @param served  as the service states it; null where a proxy dropped it. Throws VersionError. */
export function refuseVersion(served: string | null, address: string): void {
  if (served === null || served === VERSION) return;
  const wanted = seriesOf(served);
  const own = seriesOf(VERSION);
  if (wanted === own) return;
  throw new VersionError(
    `${address} has version ${served} of the interface, this client ${VERSION}: npm install backsolve-client@${wanted}, or run a service of version ${own}.`,
    served,
  );
}

/** 0.3 for 0.3.1, 2 for 2.3.1. */
function seriesOf(version: string): string {
  const [major = '', minor = ''] = version.split('.');
  return major === '0' ? `0.${minor}` : major;
}
