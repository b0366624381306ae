/**
 * The addresses that may be called for a user who chose a URL. Otherwise every user who may create a bot could reach the server's network:
 * its stores, its neighbours, and the address under which clouds give a machine its keys.
 */
import { BlockList, isIP } from 'node:net';

import type { AddressRange } from '@parley/config';

type Family = 'ipv4' | 'ipv6';

/**
 * The addresses of IPv4 that are not public (the special-purpose registry of IANA), multicast, and one that a cloud took from the public
 * ones.
 */
const closedIpv4: readonly (readonly [address: string, prefixBits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local, with 169.254.169.254, where clouds give a machine its keys.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Azure's own services, reached from its machines only.
  ['168.63.129.16', 32],
];

/**
 * Only 2000::/3 is public in IPv6. So loopback, link-local, unique-local with the metadata addresses, multicast, IPv4-mapped
 * (::ffff:0:0/96) and NAT64 (64:ff9b::/96, 64:ff9b:1::/48) are closed without being named, and what is not in use yet.
 */
const publicIpv6 = ['2000::', 3] as const;

/** Addresses of IPv6 that are not public, or that lead to an IPv4 address. */
const closedIpv6: readonly (readonly [address: string, prefixBits: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

function listOf(
  ranges: readonly (readonly [address: string, prefixBits: number])[],
  family: Family,
): BlockList {
  const list = new BlockList();
  for (const [address, prefixBits] of ranges) list.addSubnet(address, prefixBits, family);
  return list;
}

const closed = { ipv4: listOf(closedIpv4, 'ipv4'), ipv6: listOf(closedIpv6, 'ipv6') };
const publicOnes = listOf([publicIpv6], 'ipv6');

function isPublic(address: string, family: Family): boolean {
  if (closed[family].check(address, family)) return false;
  return family === 'ipv4' || publicOnes.check(address, family);
}

export class AddressRules {
  /** By family: an IPv4 range does not apply to IPv6 addresses that contain one of its own. */
  readonly #allowed: Readonly<Record<Family, BlockList>>;

  /** @param allowed addresses that may be called although they are not public */
  constructor(allowed: readonly AddressRange[]) {
    const rangesOf = (version: 4 | 6): [string, number][] =>
      allowed
        .filter(({ address }) => isIP(address) === version)
        .map(({ address, prefixBits }) => [address, prefixBits]);
    this.#allowed = { ipv4: listOf(rangesOf(4), 'ipv4'), ipv6: listOf(rangesOf(6), 'ipv6') };
  }

  /** Whether an address may be called; invalid addresses and those with a zone may not. */
  permits(address: string): boolean {
    const version = isIP(address);
    if (version === 0 || address.includes('%')) return false;
    const family = version === 4 ? 'ipv4' : 'ipv6';
    return isPublic(address, family) || this.#allowed[family].check(address, family);
  }
}
