/** The links to nodes of services. Each node has one, made with the first request for it. */
import type { LiveNode } from '@parley/placement';
import { GatewayLink, LinkRefused } from '@parley/links';

import { connectTimeoutMs, parseAddress } from './upstreams.ts';
import type { NodeList } from './upstreams.ts';

/** After this time a node without links is asked again, because a node of the next release may have its name. */
const withoutLinkMs = 30_000;

/**
 * A node that is silent at three checks in a row is lost. Its lease would show that sooner, unless only the network between the two fails.
 */
const checkIntervalMs = 3_000;

type OpenLink = { readonly address: string; readonly link: GatewayLink };

export class ServiceLinks {
  readonly #signIdentity: () => string;
  readonly #onLeaving: (nodeId: string) => void;
  readonly #links = new Map<string, OpenLink>();
  readonly #withoutUntilMs = new Map<string, number>();

  /**
   * @param signIdentity makes the identity that opens a link
   * @param onLeaving called for a node that stops, before the answers that end polls because of it
   */
  constructor(signIdentity: () => string, onLeaving: (nodeId: string) => void) {
    this.#signIdentity = signIdentity;
    this.#onLeaving = onLeaving;
  }

  /** @returns links that are open or being opened */
  get size(): number {
    return this.#links.size;
  }

  /** @returns the link to a node; undefined if the node knows no links or stops, so that only HTTP remains */
  find(node: LiveNode): GatewayLink | undefined {
    let known = this.#links.get(node.nodeId);
    while (known !== undefined) {
      if (known.address === node.address) return known.link.isLeaving ? undefined : known.link;
      // The process of this name is now somewhere else and the former one is gone. Its requests start again during the close, and may have
      // opened another link.
      known.link.close();
      known = this.#links.get(node.nodeId);
    }
    const withoutUntilMs = this.#withoutUntilMs.get(node.nodeId);
    if (withoutUntilMs !== undefined) {
      if (performance.now() < withoutUntilMs) return undefined;
      this.#withoutUntilMs.delete(node.nodeId);
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

  #open({ nodeId, address }: LiveNode): GatewayLink {
    const link: GatewayLink = new GatewayLink({
      ...parseAddress(address),
      identity: this.#signIdentity(),
      connectTimeoutMs,
      checkIntervalMs,
      onLeaving: () => this.#onLeaving(nodeId),
      onClosed: (fault) => {
        if (this.#links.get(nodeId)?.link === link) this.#links.delete(nodeId);
        if (fault instanceof LinkRefused)
          this.#withoutUntilMs.set(nodeId, performance.now() + withoutLinkMs);
      },
    });
    this.#links.set(nodeId, { address, link });
    return link;
  }
}
