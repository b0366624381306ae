import type { Caller } from '@parley/api';
import { signIdentity } from '@parley/auth/identity';
import { GatewayLink, linkRequestId, textOf } from '@parley/server/links';
import type { Cluster } from '@parley/test-kit';

/** Sends requests to one node, past the gateways. */
export class NodeClient {
  readonly #link: GatewayLink;

  /** @param url of the node */
  constructor({ settings: { clock, internalSecret } }: Cluster, url: string) {
    const { hostname, port } = new URL(url);
    this.#link = new GatewayLink({
      clock,
      hostname,
      port,
      identity: signIdentity(internalSecret, null, {
        requestId: linkRequestId,
        nowMs: clock.nowMs(),
      }),
      connectTimeoutMs: 5_000,
      checkIntervalMs: 60_000,
      onLeaving: () => undefined,
      onClosed: () => undefined,
    });
  }

  /** @returns the JSON of the answer */
  ask(
    caller: Caller,
    endpoint: string,
    query: Readonly<Record<string, string>>,
  ): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      this.#link.send(
        {
          requestId: 'a'.repeat(32),
          endpoint,
          wants: 'whole',
          path: {},
          query: Object.entries(query),
          caller,
          headers: {},
          body: Buffer.alloc(0),
        },
        {
          onLinkAnswer: ({ shared, own }) =>
            resolve(JSON.parse(textOf(shared) + own) as Record<string, unknown>),
          onLinkFault: reject,
        },
      );
    });
  }

  [Symbol.dispose](): void {
    this.#link.close();
  }
}
