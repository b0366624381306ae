import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { holdersOfQueue } from './holders-of-queue.ts';

const nodeIds = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 24 }), {
  minLength: 1,
  maxLength: 12,
});
const queueId = fc.string({ minLength: 1, maxLength: 40 });

function asNodes(ids: readonly string[]): { nodeId: string }[] {
  return ids.map((nodeId) => ({ nodeId }));
}

describe('holdersOfQueue', () => {
  it('does not depend on the order of the nodes', () => {
    fc.assert(
      fc.property(
        nodeIds.chain((ids) =>
          fc.tuple(fc.constant(ids), fc.shuffledSubarray(ids, { minLength: ids.length })),
        ),
        queueId,
        ([ids, shuffled], queue) => {
          expect(holdersOfQueue(queue, asNodes(shuffled))).toEqual(
            holdersOfQueue(queue, asNodes(ids)),
          );
        },
      ),
    );
  });

  it('returns every node once', () => {
    fc.assert(
      fc.property(nodeIds, queueId, (ids, queue) => {
        const ordered = holdersOfQueue(queue, asNodes(ids)).map((node) => node.nodeId);
        expect(ordered.toSorted()).toEqual(ids.toSorted());
      }),
    );
  });

  it('keeps the order of the others when a node leaves, so that only its queues move', () => {
    fc.assert(
      fc.property(nodeIds, queueId, fc.nat(), (ids, queue, pick) => {
        const leaving = ids[pick % ids.length];
        const before = holdersOfQueue(queue, asNodes(ids)).map((node) => node.nodeId);
        const after = holdersOfQueue(queue, asNodes(ids.filter((id) => id !== leaving)));
        expect(after.map((node) => node.nodeId)).toEqual(before.filter((id) => id !== leaving));
      }),
    );
  });

  it('spreads queues evenly, and those of a lost node evenly over the others', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 8 }),
        fc.uuid(),
        (ids, salt) => {
          const nodes = asNodes(ids);
          const queues = 4000;
          const first = new Map<string, number>();
          const second = new Map<string, number>();
          for (let index = 0; index < queues; index += 1) {
            const order = holdersOfQueue(`${salt}:${index}`, nodes);
            const [holder, next] = order;
            if (holder === undefined || next === undefined)
              throw new Error('there are two nodes at least');
            first.set(holder.nodeId, (first.get(holder.nodeId) ?? 0) + 1);
            if (holder.nodeId === ids[0])
              second.set(next.nodeId, (second.get(next.nodeId) ?? 0) + 1);
          }
          const share = queues / ids.length;
          // Six standard deviations of a fair draw: a correct spread fails once in hundreds of millions of runs.
          const slack = (mean: number): number => 6 * Math.sqrt(mean);
          for (const id of ids)
            expect(Math.abs((first.get(id) ?? 0) - share)).toBeLessThan(slack(share));
          const lost = first.get(ids[0] ?? '') ?? 0;
          const secondShare = lost / (ids.length - 1);
          for (const id of ids.slice(1)) {
            expect(Math.abs((second.get(id) ?? 0) - secondShare)).toBeLessThan(
              slack(secondShare) + 1,
            );
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('returns the same order in every release, so that gateways of two releases agree', () => {
    const nodes = asNodes(['alpha', 'beta', 'gamma']);
    const orders = ['1', '2', '17:abc', 'queue'].map((queue) =>
      holdersOfQueue(queue, nodes)
        .map((node) => node.nodeId)
        .join(' '),
    );
    expect(orders).toMatchInlineSnapshot(`
      [
        "gamma alpha beta",
        "beta gamma alpha",
        "alpha beta gamma",
        "beta gamma alpha",
      ]
    `);
  });
});
