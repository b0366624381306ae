/** The links to nodes of services. Each node has one, made with the first request for it. */
import type { Clock } from '@parley/clock';
import type { LiveNode } from '@parley/cluster/placement';
import { GatewayLink } from '@parley/server/links';
import type { Link } from '@parley/server/links';
import type { LocalNodes } from '@parley/server';

import { connectTimeoutMs, parseAddress } from './upstreams.ts';
import type { NodeList } from './upstreams.ts';

/**
 * A node that is silent at three checks in a row is lost. Its lease would show that sooner, unless only the network between the two fails.
 */
const checkIntervalMs = 3_000;

export type ServiceLinksOptions = {
  readonly clock: Clock;
  readonly localNodes: LocalNodes;
  /** Makes the identity that opens a link. */
  readonly signIdentity: () => string;
  /** Called for a node that stops, before the answers that end polls because of it. */
  readonly onLeaving: (nodeId: string) => void;
};

type OpenLink = { readonly address: string; readonly link: Link };

export class ServiceLinks {
  readonly #options: ServiceLinksOptions;
  readonly #links = new Map<string, OpenLink>();

  constructor(options: ServiceLinksOptions) {
    this.#options = options;
  }

  /** @returns links that are open or being opened */
  get size(): number {
    return this.#links.size;
  }

  /** @returns the link to a node; undefined if the node stops and accepts no more requests */
  find(node: LiveNode): Link | undefined {
    let known = this.#links.get(node.nodeId);
    while (known !== undefined) {
      if (known.address === node.address) return known.link.isLeaving ? undefined : known.link;
      // The process of this name is now somewhere else and the former one is gone. Its requests start again during the close, and may have
      // opened another link.
      known.link.close();
      known = this.#links.get(node.nodeId);
    }
    return this.#open(node);
  }

  /** Closes the links to nodes that are lost or leave, unless requests still wait on them. */
  closeLost(list: NodeList): void {
    for (const [nodeId, { link }] of this.#links)
      if (link.size === 0 && list.stateOf(nodeId) !== 'live') link.close();
  }

  closeAll(): void {
    for (const { link } of this.#links.values()) link.close();
  }

  #open({ nodeId, address }: LiveNode): Link {
    const { clock, localNodes, signIdentity, onLeaving } = this.#options;
    const ends = {
      onLeaving: () => onLeaving(nodeId),
      onClosed: () => {
        if (this.#links.get(nodeId)?.link === link) this.#links.delete(nodeId);
      },
    };
    const link: Link =
      localNodes.get(nodeId)?.connect(ends) ??
      new GatewayLink({
        clock,
        ...parseAddress(address),
        identity: signIdentity(),
        connectTimeoutMs,
        checkIntervalMs,
        ...ends,
      });
    this.#links.set(nodeId, { address, link });
    return link;
  }
}
