import { describe, expect, it, test } from 'vitest';
import {
  findTargets,
  isPublicAddress,
  makeUrlJudge,
  TargetRefused,
} from '../../../src/outside/webhooks/target-guard.ts';

const judge = (url: string) => makeUrlJudge({ allowPrivate: false })(new URL(url));
const judgeLoosely = (url: string) => makeUrlJudge({ allowPrivate: true })(new URL(url));

describe('the address', () => {
  test.each([
    ['0.0.0.0', 'this host'],
    ['10.1.2.3', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['169.254.169.254', 'link-local, metadata of clouds'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['198.18.0.1', 'benchmarks'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local with a zone'],
    ['fec0::1', 'site-local'],
    ['fc00::1', 'unique local'],
    ['fd12:3456:789a::1', 'unique local'],
    ['ff02::1', 'multicast'],
    ['2001:db8::1', 'documentation'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'Teredo'],
    ['2002:7f00:1::', '6to4 around a loopback address'],
    ['::127.0.0.1', 'IPv4-compatible'],
    ['::ffff:127.0.0.1', 'IPv4-mapped'],
    ['::ffff:7f00:1', 'IPv4-mapped, in hexadecimal'],
    ['::ffff:a9fe:a9fe', 'IPv4-mapped, link-local'],
    ['0:0:0:0:0:ffff:10.0.0.1', 'IPv4-mapped, written out'],
    ['64:ff9b::10.0.0.1', 'NAT64 around a private address'],
    ['64:ff9b::7f00:1', 'NAT64 around loopback, in hexadecimal'],
    ['64:ff9b:1::1', 'local-use NAT64'],
    ['example.com', 'no address'],
    ['', 'nothing'],
  ])('%s is refused: %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '192.169.0.1',
    '100.128.0.1',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('the URL of a receiver', () => {
  test.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://①②⑦.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[fd00::1]:8443/',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/',
    'https://LOCALHOST:8080/',
    'https://localhost./',
    'https://a.localhost/',
  ])('%s is refused, and accepted where private addresses are allowed', (url) => {
    expect(judge(url)).toContain('public address');
    expect(judgeLoosely(url)).toBeUndefined();
  });

  test.each([
    ['http://example.com/', 'https://'],
    ['http://example.com/', 'WEBHOOK_ALLOW_PRIVATE=true'],
    ['http://localhost:3000/hook', 'WEBHOOK_ALLOW_PRIVATE=true'],
    ['ftp://example.com/', 'https://'],
    ['javascript:alert(1)', 'https://'],
    ['https://user:secret@example.com/', 'password'],
    ['https://example.com/#part', 'fragment'],
    [`https://example.com/${'a'.repeat(2_048)}`, '2048'],
    [`https://example.com/${'ü'.repeat(400)}`, 'percent-encoded'],
  ])('%s is refused with a message that names %s', (url, reason) => {
    expect(judge(url)).toContain(reason);
  });

  test.each([
    'https://example.com',
    'https://example.com:8443/hook?token=1',
    'https://1.1.1.1/',
    'https://bücher.example/',
  ])('%s is accepted', (url) => {
    expect(judge(url)).toBeUndefined();
  });

  it('The URL of a receiver may use plain http only where private addresses are allowed', () => {
    expect(judgeLoosely('http://receiver.internal:3000/hook')).toBeUndefined();
    expect(judgeLoosely('gopher://receiver.internal/')).toContain('https://');
  });
});

describe('the addresses behind a name', () => {
  const resolvesTo = (...addresses: string[]) => ({ allowPrivate: false, resolve: async () => addresses });
  const url = new URL('https://receiver.example/hook');

  test.each([['127.0.0.1'], ['10.0.0.1', '192.168.0.1'], ['::1'], ['::ffff:10.0.0.1'], ['fd00::1'], ['fe80::1'], []])(
    'are refused when they are only %s %s',
    async (...addresses) => {
      await expect(findTargets(url, resolvesTo(...addresses))).rejects.toThrow(TargetRefused);
    },
  );

  it('The addresses behind a name are used without the private ones among them', async () => {
    const guard = resolvesTo('10.0.0.1', '1.1.1.1', '::1', '2606:4700:4700::1111');
    expect(await findTargets(url, guard)).toEqual(['1.1.1.1', '2606:4700:4700::1111']);
  });

  it('The addresses behind a name are not looked up for an address, which is checked itself', async () => {
    const resolve = () => Promise.reject(new Error('looked up'));
    await expect(findTargets(new URL('https://[::ffff:7f00:1]/'), { allowPrivate: false, resolve })).rejects.toThrow(
      TargetRefused,
    );
    expect(await findTargets(new URL('https://[2606:4700:4700::1111]/'), { allowPrivate: false, resolve })).toEqual([
      '2606:4700:4700::1111',
    ]);
  });

  it('The addresses behind a name are refused for a URL that was stored while private addresses were allowed', async () => {
    await expect(findTargets(new URL('http://receiver.example/'), resolvesTo('1.1.1.1'))).rejects.toThrow('https://');
  });
});
