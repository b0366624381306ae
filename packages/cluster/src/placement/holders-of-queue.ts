import { LRUCache } from 'lru-cache';

import type { LiveNode } from './live-node.ts';

type Hash = readonly [number, number];

/** The finalizer of MurmurHash3: every input bit changes every output bit with a chance near one half. */
function mix(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** 64 bits of a text in two halves, which use different multipliers so that they do not collide together. */
function hashText(text: string): Hash {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x9e3779b1);
    high = Math.imul(high ^ unit, 0x5f356495);
    low ^= low >>> 15;
    high ^= high >>> 13;
  }
  return [mix(low ^ text.length), mix(high ^ text.length)];
}

/** Node ids are few and asked for with every poll. The bound only matters where nodes come and go for weeks. */
const nodeHashes = new LRUCache<string, Hash>({ max: 1024 });

function hashNode(nodeId: string): Hash {
  const known = nodeHashes.get(nodeId);
  if (known !== undefined) return known;
  const hash = hashText(nodeId);
  nodeHashes.set(nodeId, hash);
  return hash;
}

/**
 * The nodes in the order in which they are to serve a queue (rendezvous hashing; architecture, Queues).
 *
 * The order is a pure function of queue id and node ids: every gateway finds the same without talking to another, addresses
 * do not matter, and a node that leaves moves only the queues it held, each to the second of that queue's order. Placement is
 * locality, not ownership: any node serves any queue.
 *
 * @param nodes live nodes, in any order
 * @returns the same nodes, the preferred holder first
 */
export function holdersOfQueue<Node extends Pick<LiveNode, 'nodeId'>>(
  queueId: string,
  nodes: readonly Node[],
): Node[] {
  if (nodes.length < 2) return [...nodes];
  const [queueLow, queueHigh] = hashText(queueId);
  const scored = nodes.map((node) => {
    const [nodeLow, nodeHigh] = hashNode(node.nodeId);
    const high = mix(queueHigh ^ nodeHigh ^ mix(queueLow ^ nodeLow));
    const low = mix(Math.imul(queueLow ^ nodeLow, 0x27d4eb2f) ^ high);
    return { node, high, low };
  });
  const ordered = scored.toSorted(
    (a, b) => b.high - a.high || b.low - a.low || (a.node.nodeId < b.node.nodeId ? -1 : 1),
  );
  return ordered.map((entry) => entry.node);
}
