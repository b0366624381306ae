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
    ['a mapped one too', '::ffff:192.0.2.7', '192.0.2.7'],
    ['of an IPv6 address the first 64 bits count', '2001:db8:0:7:1:2:3:4', '2001:db8:0:7'],
    ['however it is written', '2001:DB8::7:1:2:3:4', '2001:db8:0:7'],
    ['with zeros at the end', '2001:db8::', '2001:db8:0:0'],
    ['with zeros before', '::1', '0:0:0:0'],
    ['with a dotted end', '64:ff9b::192.0.2.7', '64:ff9b:0:0'],
    ['with a zone', 'fe80::1%eth0', 'fe80:0:0:0'],
    ['a connection that is over has none', undefined, 'unknown'],
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
    ['what a trusted proxy says', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['not what stands before that', '10.0.0.1', '203.0.113.9, 198.51.100.1', '198.51.100.1'],
    ['past several proxies', '10.0.0.1', '203.0.113.9, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['no word of others', '192.0.2.7', '198.51.100.1', '192.0.2.7'],
    ['the proxy where it says nothing', '10.0.0.1', undefined, '10.0.0.1'],
    ['the proxy where it says nonsense', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
    ['the first hop where all are trusted', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
    ['a port left out', '10.0.0.1', '198.51.100.1:5000', '198.51.100.1'],
    ['brackets left out', 'fd00::1', '[2001:db8::1]:5000', '2001:db8:0:0'],
    ['a mapped proxy', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ])('behind proxies is %s', (_case, remoteAddress, forwarded, expected) => {
    expect(addressOf(remoteAddress, forwarded, '10.0.0.0/8, fd00::1')).toBe(expected);
  });
});
