/** A real SMTP server in this process, which takes, refuses or delays e-mails as a test says. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { CERTIFICATE, KEY } from './localhost-certificate.ts';

interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As sent, with its headers. */
  readonly source: string;
  readonly isEncrypted: boolean;
}

export interface MailServer {
  readonly port: number;
  readonly mails: readonly TakenMail[];
  /** Answers for recipients; default: taken. */
  refusals: ReadonlyMap<string, { readonly code: number; readonly text: string }>;
  close(): Promise<void>;
}

interface Options {
  /** Whether it offers STARTTLS; default: true. */
  readonly offersTls?: boolean;
  /** Asks for them. */
  readonly user?: { readonly name: string; readonly password: string };
  /** Default: a free one. */
  readonly port?: number;
}

export async function openMailServer({ offersTls = true, user, port = 0 }: Options = {}): Promise<MailServer> {
  const mails: TakenMail[] = [];
  const state: { refusals: MailServer['refusals'] } = { refusals: new Map() };
  const server = new SMTPServer({
    key: KEY,
    cert: CERTIFICATE,
    authOptional: user === undefined,
    disabledCommands: [...(offersTls ? [] : ['STARTTLS']), ...(user === undefined ? ['AUTH'] : [])],
    onAuth: ({ username, password }, _session, done) => {
      const isRight = username === user?.name && password === user?.password;
      done(isRight ? null : new Error('wrong password'), isRight ? { user: username! } : undefined);
    },
    onRcptTo: ({ address }, _session, done) => {
      const refusal = state.refusals.get(address);
      if (refusal === undefined) done();
      else done(Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source: unfolded(Buffer.concat(chunks).toString('utf8')),
          isEncrypted: session.secure,
        });
        done();
      });
    },
  });
  // A client that refuses the certificate ends the connection.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    get refusals() {
      return state.refusals;
    },
    set refusals(refusals) {
      state.refusals = refusals;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Quoted-printable, and headers on several lines, as text. */
function unfolded(source: string): string {
  return source
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/((?:=[0-9A-F]{2})+)/g, (coded) => Buffer.from(coded.replaceAll('=', ''), 'hex').toString('utf8'))
    .replaceAll(/\r\n[ \t]+/g, ' ');
}
