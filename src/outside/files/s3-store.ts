/** Files on storage that speaks the S3 protocol, by addresses with the bucket in their path, which every such storage knows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';

export interface S3Settings {
  /** For example https://s3.eu-central-1.amazonaws.com. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Time limit of one request with all its tries and the answer; an upload of the largest file takes a few seconds. */
const LIMIT_MS = 30_000;
const RETRIES = 2;
const FIRST_PAUSE_MS = 50;

export function makeS3Store({ endpoint, bucket, region, accessKey, secretKey }: S3Settings, limitMs = LIMIT_MS) {
  const client = new AwsClient({ accessKeyId: accessKey, secretAccessKey: secretKey, region, service: 's3' });
  const base = `${endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}/`;
  const send = async (method: string, key: string, body?: Uint8Array) => {
    const signal = AbortSignal.timeout(limitMs);
    for (let left = RETRIES; ; left--) {
      const request = await client.sign(`${base}${key}`, {
        method,
        ...(body && { body: body as Uint8Array<ArrayBuffer>, headers: { 'content-type': 'application/octet-stream' } }),
      });
      // A signal within the request would end nothing once the request is collected (Node 24.21).
      const response = await fetch(request, { signal });
      if (left === 0 || (response.status < 500 && response.status !== 429)) return response;
      await response.body?.cancel();
      await sleep(Math.random() * FIRST_PAUSE_MS * 2 ** (RETRIES - left), undefined, { signal });
    }
  };
  return {
    async put(key: string, bytes: Uint8Array): Promise<void> {
      await refuseFailed(await send('PUT', key, bytes), `PUT ${key}`);
    },
    async get(key: string): Promise<Uint8Array | undefined> {
      const response = await send('GET', key);
      if (response.status === 404) {
        await response.body?.cancel();
        return undefined;
      }
      await refuseFailed(response, `GET ${key}`);
      return new Uint8Array(await response.arrayBuffer());
    },
    async remove(key: string): Promise<void> {
      const response = await send('DELETE', key);
      if (response.status !== 404) await refuseFailed(response, `DELETE ${key}`);
      else await response.body?.cancel();
    },
  };
}

const TOLD = 300;

/** The body of an answer that is fine is left to the caller unless it is empty. */
async function refuseFailed(response: Response, request: string): Promise<void> {
  if (response.ok) return;
  const reason = (await response.text()).slice(0, TOLD);
  throw new Error(`the S3 storage answered ${response.status} to ${request}: ${reason}`);
}
