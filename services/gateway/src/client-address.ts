/** The address for which logins and bodies without an account are counted. Clients cannot choose it freely. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

import type { AddressRange } from '@parley/config';

/** An IPv6 customer gets at least one whole network of this many leading groups of 16 bits. */
const customerGroups = 4;

const mappedPattern = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Proxies may write a port after an address, and brackets around it. */
const withPortPattern = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;

/** @returns the address without port, zone or IPv4 mapping; undefined if the text is no address */
function parseAddress(text: string): string | undefined {
  const withPort = withPortPattern.exec(text);
  const bare = (withPort?.[1] ?? withPort?.[2] ?? text).replace(/%.*$/s, '');
  const address = mappedPattern.exec(bare)?.[1] ?? bare;
  return isIP(address) === 0 ? undefined : address;
}

/** The network of a customer: an IPv4 address itself, or the first 64 bits of an IPv6 address. */
function networkOf(address: string): string {
  if (isIP(address) === 4) return address;
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  // A dotted end stands for two groups, which are beyond the network anyway.
  const lastCount = last.length + (last.at(-1)?.includes('.') === true ? 1 : 0);
  const zeros = tail === undefined ? 0 : 8 - first.length - lastCount;
  const groups = [...first, ...Array.from({ length: zeros }, () => '0'), ...last];
  return groups
    .slice(0, customerGroups)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

function trustOf(trustedProxies: readonly AddressRange[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const { address, prefixBits } of trustedProxies) {
    trusted.addSubnet(address, prefixBits, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => trusted.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/** Makes the function that tells whether a trusted proxy opened a request's connection. */
export function trustedPeers(
  trustedProxies: readonly AddressRange[],
): (request: Pick<IncomingMessage, 'socket'>) => boolean {
  const isTrusted = trustOf(trustedProxies);
  return ({ socket }) => {
    const peer = parseAddress(socket.remoteAddress ?? '');
    return peer !== undefined && isTrusted(peer);
  };
}

/**
 * Makes the function that finds the address of a request's client.
 *
 * Only the part of `X-Forwarded-For` that trusted proxies wrote is believed: from its end to the first address that is not a trusted proxy.
 * Anybody can write the part before that.
 *
 * @param trustedProxies if empty, the header is ignored and the client is the peer of the connection
 */
export function clientAddresses(
  trustedProxies: readonly AddressRange[],
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  const isTrusted = trustOf(trustedProxies);
  return ({ headers, socket }) => {
    let client = parseAddress(socket.remoteAddress ?? '');
    // A closed connection no longer has an address.
    if (client === undefined) return 'unknown';
    const forwarded = trustedProxies.length === 0 ? undefined : headers['x-forwarded-for'];
    const hops = forwarded === undefined ? [] : String(forwarded).split(',');
    while (isTrusted(client)) {
      const before = parseAddress(hops.pop()?.trim() ?? '');
      if (before === undefined) break;
      client = before;
    }
    return networkOf(client);
  };
}
