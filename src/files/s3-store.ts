/** Files on storage that speaks the S3 protocol, by addresses with the bucket in their path, which every such storage knows. */
import { AwsClient } from 'aws4fetch';

export interface S3Settings {
  /** For example https://s3.eu-central-1.amazonaws.com. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Of one request with all its tries; an upload of the largest file takes a few seconds. */
const LIMIT_MS = 30_000;
const RETRIES = 2;

export function makeS3Store({ endpoint, bucket, region, accessKey, secretKey }: S3Settings) {
  const client = new AwsClient({
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    region,
    service: 's3',
    retries: RETRIES,
  });
  const base = `${endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}/`;
  const send = (method: string, key: string, body?: Uint8Array) =>
    client.fetch(`${base}${key}`, {
      method,
      ...(body && { body: body as Uint8Array<ArrayBuffer>, headers: { 'content-type': 'application/octet-stream' } }),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
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
