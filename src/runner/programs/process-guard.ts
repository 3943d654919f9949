import { GroupGuard, type ProcessGuard } from './process-group.ts';
import { JobGuard } from './windows-jobs.ts';

/** The guard of programs that this system has. @param graceSeconds  from SIGTERM to SIGKILL; Windows has none */
export function makeGuard(graceSeconds: number, onError: (error: Error) => void): ProcessGuard {
  return process.platform === 'win32' ? new JobGuard(onError) : new GroupGuard(graceSeconds, onError);
}
