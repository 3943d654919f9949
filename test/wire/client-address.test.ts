import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { toNetwork } from '../../src/http/connection/client-address.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['0:0:0:0:0:FFFF:192.0.2.7', '192.0.2.7'],
  ['2001:db8::7', '2001:db8:0:0::/64'],
  ['2001:0DB8:0001:0002:a:b:c:d', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:a:b:192.0.2.7', '2001:db8:1:2::/64'],
  ['2001:db8:1::192.0.2.7', '2001:db8:1:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1::', '1:0:0:0::/64'],
  ['::192.0.2.7', '0:0:0:0::/64'],
  ['1:2:3::5:6:7:8', '1:2:3:0::/64'],
  ['nobody', undefined],
  ['192.0.2.7:443', undefined],
  ['', undefined],
])('The address %s counts as %s', (address, network) => {
  expect(toNetwork(address)).toBe(network);
});

it('Two IPv6 addresses count as one if and only if they share their first 64 bits', () => {
  const address = fc.ipV6();
  fc.assert(
    fc.property(address, address, (one, other) => {
      const subnet = new BlockList();
      subnet.addSubnet(one, 64, 'ipv6');
      const mapped = new BlockList();
      mapped.addSubnet('::ffff:0:0', 96, 'ipv6');
      if (mapped.check(one, 'ipv6') || mapped.check(other, 'ipv6')) return;
      expect(toNetwork(one) === toNetwork(other)).toBe(subnet.check(other, 'ipv6'));
      expect(subnet.check(toNetwork(one)!.replace('/64', ''), 'ipv6')).toBe(true);
    }),
  );
});
