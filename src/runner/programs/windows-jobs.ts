/**
 * Windows has no process groups and no signals. A job object holds a program with everything that it starts, and ends all of it
 * (TerminateJobObject). Node cannot make one, so a PowerShell does: whatever happens to this process, the PowerShell ends with it, and
 * Windows then ends what is in its jobs (JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE).
 * https://learn.microsoft.com/windows/win32/procthread/job-objects
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { entryModule } from '../../installation.ts';
import type { ProcessGuard, StartOptions } from './process-group.ts';

/** Reads `+ PID` and `- PID`, and answers each with the same line once it is done. Ends with its standard input. */
const SCRIPT = `
$ErrorActionPreference = 'Stop'
Add-Type -TypeDefinition @'
using System;
using System.ComponentModel;
using System.Runtime.InteropServices;
public static class Jobs {
  [StructLayout(LayoutKind.Sequential)] struct Basic {
    public long PerProcessTime, PerJobTime; public uint LimitFlags; public UIntPtr Minimum, Maximum;
    public uint ActiveProcesses; public UIntPtr Affinity; public uint Priority, Scheduling;
  }
  [StructLayout(LayoutKind.Sequential)] struct Counters { public ulong A, B, C, D, E, F; }
  [StructLayout(LayoutKind.Sequential)] struct Extended {
    public Basic Basic; public Counters Counters; public UIntPtr ProcessMemory, JobMemory, PeakProcess, PeakJob;
  }
  [DllImport("kernel32.dll", SetLastError = true)] static extern IntPtr CreateJobObject(IntPtr attributes, IntPtr name);
  [DllImport("kernel32.dll", SetLastError = true)] static extern bool SetInformationJobObject(IntPtr job, int kind, ref Extended value, int size);
  [DllImport("kernel32.dll", SetLastError = true)] static extern IntPtr OpenProcess(uint access, bool inherit, uint id);
  [DllImport("kernel32.dll", SetLastError = true)] static extern bool AssignProcessToJobObject(IntPtr job, IntPtr process);
  [DllImport("kernel32.dll", SetLastError = true)] static extern bool TerminateJobObject(IntPtr job, uint code);
  [DllImport("kernel32.dll", SetLastError = true)] static extern bool CloseHandle(IntPtr handle);
  static void Check(bool done) { if (!done) throw new Win32Exception(Marshal.GetLastWin32Error()); }
  public static IntPtr Add(uint id) {
    var job = CreateJobObject(IntPtr.Zero, IntPtr.Zero);
    Check(job != IntPtr.Zero);
    var value = new Extended();
    value.Basic.LimitFlags = 0x2000;
    Check(SetInformationJobObject(job, 9, ref value, Marshal.SizeOf(value)));
    var process = OpenProcess(0x101, false, id);
    Check(process != IntPtr.Zero);
    try { Check(AssignProcessToJobObject(job, process)); } finally { CloseHandle(process); }
    return job;
  }
  public static void End(IntPtr job) { TerminateJobObject(job, 1); CloseHandle(job); }
}
'@
$jobs = @{}
while ($null -ne ($line = [Console]::In.ReadLine())) {
  $change, $id = $line.Split(' ')
  if ($change -eq '+') { $jobs[$id] = [Jobs]::Add([uint32]$id) }
  elseif ($jobs.ContainsKey($id)) { [Jobs]::End($jobs[$id]); $jobs.Remove($id) }
  [Console]::Out.WriteLine($line)
}
`;

const POWERSHELL = [
  'powershell.exe',
  '-NoProfile',
  '-NonInteractive',
  '-EncodedCommand',
  Buffer.from(SCRIPT, 'utf16le').toString('base64'),
] as const;

/** The module that waits until the job has it, and then runs the program. */
const GATE = fileURLToPath(entryModule('runner/programs/windows-gate.ts'));

/** There are no signals to ask a program to end: it is ended without a grace period. */
export class JobGuard implements ProcessGuard {
  readonly #keeper: ChildProcess;
  readonly #waiting = new Map<string, () => void>();

  /** `command`: what makes the jobs. */
  constructor(onError: (error: Error) => void, [program, ...args]: readonly string[] = POWERSHELL) {
    this.#keeper = spawn(program!, args, { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    this.#keeper.on('error', onError);
    this.#keeper.stdin!.on('error', onError);
    this.#keeper.stderr!.once('data', (text: Buffer) => onError(new Error(text.toString('utf8').trim())));
    // A program is not started by a guard that cannot keep it, but what waits for an answer must not wait forever.
    this.#keeper.on('close', () => this.#answerAll());
    createInterface({ input: this.#keeper.stdout! }).on('line', (line) => this.#answer(line.trim()));
    // It waits for this process, not this process for it.
    this.#keeper.unref();
    for (const stream of [this.#keeper.stdin, this.#keeper.stdout, this.#keeper.stderr]) (stream as Socket).unref();
  }

  start(file: string, args: readonly string[], isShell: boolean, { stdin, ...options }: StartOptions): ChildProcess {
    const mode = isShell ? '--shell' : '--program';
    return spawn(process.execPath, [GATE, mode, file, ...args], {
      ...options,
      windowsHide: true,
      stdio: [stdin ?? 'pipe', 'pipe', 'pipe', 'ipc'],
    });
  }

  open(child: ChildProcess): void {
    child.send('go', () => child.connected && child.disconnect());
  }

  add(group: number): Promise<void> {
    return this.#ask(`+ ${group}`);
  }

  async end(group: number): Promise<void> {
    await this.#ask(`- ${group}`);
  }

  remove(): void {
    // Its job ended with it.
  }

  close(): void {
    this.#keeper.stdin!.end();
  }

  #ask(line: string): Promise<void> {
    if (this.#keeper.exitCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.set(line, resolve);
      this.#keeper.stdin!.write(`${line}\n`);
    });
  }

  #answer(line: string): void {
    this.#waiting.get(line)?.();
    this.#waiting.delete(line);
  }

  #answerAll(): void {
    for (const line of [...this.#waiting.keys()]) this.#answer(line);
  }
}
