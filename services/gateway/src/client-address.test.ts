import type { IncomingMessage } from 'node:http';

import { parseAddressRanges } from '@parley/config';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { clientAddresses } from './client-address.ts';

function addressOf(
  remoteAddress: string | undefined,
  forwarded?: string,
  proxies?: string,
): string {
  const request = {
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage;
  return clientAddresses(proxies === undefined ? [] : parseAddressRanges(proxies))(request);
}

describe('the address of a client', () => {
  it.each([
    ['an IPv4 address is itself', '192.0.2.7', '192.0.2.7'],
    ['a mapped IPv4 address is the IPv4 address', '::ffff:192.0.2.7', '192.0.2.7'],
    ['an IPv6 address is its first 64 bits', '2001:db8:0:7:1:2:3:4', '2001:db8:0:7'],
    ['in any spelling', '2001:DB8::7:1:2:3:4', '2001:db8:0:7'],
    ['with zeros at the end', '2001:db8::', '2001:db8:0:0'],
    ['with zeros at the beginning', '::1', '0:0:0:0'],
    ['with a dotted end', '64:ff9b::192.0.2.7', '64:ff9b:0:0'],
    ['with a zone', 'fe80::1%eth0', 'fe80:0:0:0'],
    ['a closed connection has none', undefined, 'unknown'],
  ])('%s', (_case, remoteAddress, expected) => {
    expect(addressOf(remoteAddress)).toBe(expected);
  });

  it('is the same for all addresses that one IPv6 customer may choose', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const network = addressOf(address);
        expect(network).toMatch(/^[\da-f]{1,4}(?::[\da-f]{1,4}){3}$|^\d+\.\d+\.\d+\.\d+$/);
        if (network.includes(':')) expect(addressOf(`${network}:1:2:3:4`)).toBe(network);
      }),
    );
  });

  it('is that of the connection if no proxy is trusted, whatever headers claim', () => {
    expect(addressOf('192.0.2.7', '198.51.100.1')).toBe('192.0.2.7');
  });

  it.each([
    ['the one that a trusted proxy reports', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    [
      'not the one before that in the header',
      '10.0.0.1',
      '203.0.113.9, 198.51.100.1',
      '198.51.100.1',
    ],
    [
      'the one before several trusted proxies',
      '10.0.0.1',
      '203.0.113.9, 198.51.100.1, 10.9.9.9',
      '198.51.100.1',
    ],
    ['not the one that an untrusted proxy reports', '192.0.2.7', '198.51.100.1', '192.0.2.7'],
    ['the proxy if it reports none', '10.0.0.1', undefined, '10.0.0.1'],
    ['the proxy if it reports nonsense', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
    ['the first hop if all are trusted', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
    ['without its port', '10.0.0.1', '198.51.100.1:5000', '198.51.100.1'],
    ['without its brackets', 'fd00::1', '[2001:db8::1]:5000', '2001:db8:0:0'],
    [
      'the one that a proxy with a mapped address reports',
      '::ffff:10.0.0.1',
      '198.51.100.1',
      '198.51.100.1',
    ],
  ])('behind proxies is %s', (_case, remoteAddress, forwarded, expected) => {
    expect(addressOf(remoteAddress, forwarded, '10.0.0.0/8, fd00::1')).toBe(expected);
  });
});
