import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { signatureHeaders } from '../../../src/outside/webhooks/sign.ts';

const secretText = (secret: Uint8Array) => `whsec_${Buffer.from(secret).toString('base64')}`;
const nowSeconds = () => Math.floor(Date.now() / 1_000);

it('the official verifier accepts every signature and returns the body', () => {
  const secret = fc.uint8Array({ minLength: 24, maxLength: 64 });
  fc.assert(
    fc.property(secret, fc.nat(), fc.jsonValue(), (key, id, value) => {
      const body = JSON.stringify(value);
      const headers = signatureHeaders([key], { id: `evt_${id}`, timestampSeconds: nowSeconds(), body });
      // JSON has no -0.
      expect(new Webhook(secretText(key)).verify(body, { ...headers })).toEqual(JSON.parse(body));
    }),
  );
});

it('the official verifier accepts a message signed with several secrets by any one of them and by no other', () => {
  const keys = [1, 2, 3].map((fill) => new Uint8Array(32).fill(fill));
  const message = { id: 'evt_1', timestampSeconds: nowSeconds(), body: '{"id":1}' };
  const headers = signatureHeaders(keys, message);
  for (const key of keys) expect(new Webhook(secretText(key)).verify(message.body, { ...headers })).toEqual({ id: 1 });
  const other = new Webhook(secretText(new Uint8Array(32)));
  expect(() => other.verify(message.body, { ...headers })).toThrow();
});

it('the official verifier refuses another body, another id, another key and an old timestamp', () => {
  const key = new Uint8Array(32).fill(7);
  const message = { id: 'evt_1', timestampSeconds: nowSeconds(), body: '{"id":1}' };
  const headers = signatureHeaders([key], message);
  const verifier = new Webhook(secretText(key));
  expect(() => verifier.verify('{"id":2}', { ...headers })).toThrow();
  expect(() => verifier.verify(message.body, { ...headers, 'webhook-id': 'evt_2' })).toThrow();
  expect(() => new Webhook(secretText(new Uint8Array(32))).verify(message.body, { ...headers })).toThrow();
  const old = signatureHeaders([key], { ...message, timestampSeconds: nowSeconds() - 3_600 });
  expect(() => verifier.verify(message.body, { ...old })).toThrow();
});

it('the signature matches the test vector of the specification', () => {
  // Test vector of the reference implementations (standard-webhooks/standard-webhooks, libraries).
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampSeconds: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  expect(signatureHeaders([key], message)).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});
