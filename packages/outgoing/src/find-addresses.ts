import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Finds the addresses of a host name; tests pass their own function. Rejects if there is none or the signal is aborted. */
export type FindAddresses = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

const answerTimeoutMs = 2_000;
const tries = 2;

/**
 * Asks DNS, not the system's resolver, which blocks one of the few threads that also serve files for as long as a bot's name server
 * chooses. So names of /etc/hosts and search domains are unknown here.
 *
 * @throws Error with a code of DNS if the name has no address
 */
export const findAddressesInDns: FindAddresses = async (host, signal) => {
  // Never looked up (RFC 6761).
  if (/^(?:.+\.)?localhost\.?$/.test(host)) return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: answerTimeoutMs, tries });
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failure = answers.find((answer) => answer.status === 'rejected');
    if (found.length === 0 && failure !== undefined) throw failure.reason;
    return found;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

/** @returns the address in a host of a URL, or undefined for a name */
export function literalAddress(host: string): string | undefined {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  return isIP(bare) === 0 ? undefined : bare;
}
