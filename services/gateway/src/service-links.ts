/** The links to the nodes of services: one for each node, made when the first request goes there. */
import type { LiveNode } from '@parley/placement';
import { GatewayLink, LinkRefused } from '@parley/links';

import { connectTimeoutMs, parseAddress } from './upstreams.ts';
import type { NodeList } from './upstreams.ts';

/** A node that knows no links is asked again after so long: one of the next release may have its name. */
const withoutLinkMs = 30_000;

/** A node of which nothing was heard at three looks is lost; its lease would tell sooner, unless only the way to it is cut. */
const lookEveryMs = 3_000;

type OpenLink = { readonly address: string; readonly link: GatewayLink };

export class ServiceLinks {
  readonly #signIdentity: () => string;
  readonly #onLeaving: (nodeId: string) => void;
  readonly #links = new Map<string, OpenLink>();
  readonly #withoutUntilMs = new Map<string, number>();

  /**
   * @param signIdentity makes what opens a link
   * @param onLeaving told of a node that stops, before the answers that end polls for it
   */
  constructor(signIdentity: () => string, onLeaving: (nodeId: string) => void) {
    this.#signIdentity = signIdentity;
    this.#onLeaving = onLeaving;
  }

  /** @returns links that are open or being opened */
  get size(): number {
    return this.#links.size;
  }

  /** @returns the link to a node, or undefined where the node knows none or stops: HTTP is left then */
  find(node: LiveNode): GatewayLink | undefined {
    let known = this.#links.get(node.nodeId);
    while (known !== undefined) {
      if (known.address === node.address) return known.link.isLeaving ? undefined : known.link;
      // A process of the same name somewhere else: the one before is gone. Its requests begin anew meanwhile, and may have opened another.
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

  /** Closes the links to nodes that are lost or leave, unless something still waits on them. */
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
      lookEveryMs,
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
