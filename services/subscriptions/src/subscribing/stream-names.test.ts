import { setImmediate as nextTurn } from 'node:timers/promises';

import { TextRoom } from '@parley/store/access';
import { badRequest, foldName } from '@parley/api';
import type { DescriptionRenderer } from '@parley/markdown';
import { StepBudget } from '@parley/markdown';
import { Turns } from '@parley/server';
import { describe, expect, test } from 'vitest';

import { checkStreamNames, withDescriptions } from './stream-names.ts';

async function describeAll(
  descriptions: readonly string[],
  renderDescription: DescriptionRenderer,
  { renderingTurns = new Turns(), leftBytes = Infinity, existing = [] as readonly string[] } = {},
): Promise<(string | undefined)[]> {
  const wanted = checkStreamNames(
    descriptions.map((description, n) => ({ name: `s${n}`, description })),
  );
  const rendered = await withDescriptions(
    { renderDescription, renderingTurns },
    wanted,
    async () => ({
      existing: new Set(existing.map(foldName)),
      texts: new TextRoom([{ leftBytes, refusal: () => badRequest('no room') }]),
    }),
  );
  return [...rendered.values()].map(({ renderedDescription }) => renderedDescription);
}

test('the descriptions of one request share one rendering budget', async () => {
  const budgets = new Set<StepBudget | undefined>();
  const rendered = await describeAll(['x', 'y'], (description, budget) => {
    budgets.add(budget);
    return `<p>${description}</p>`;
  });
  expect(rendered).toEqual(['<p>x</p>', '<p>y</p>']);
  expect([...budgets]).toEqual([expect.any(StepBudget)]);
});

test('of long descriptions in several requests one is rendered in each turn of the event loop', async () => {
  const renderedIn: number[] = [];
  let turn = 0;
  const turns = new Turns();
  const long = Array.from({ length: 8 }, () => 'x'.repeat(1_500));
  const render = (): string => {
    renderedIn.push(turn);
    return '';
  };
  const requests = Promise.all([
    describeAll(long, render, { renderingTurns: turns }),
    describeAll(long, render, { renderingTurns: turns }),
  ]);
  while (renderedIn.length < 16) {
    await nextTurn();
    turn += 1;
  }
  await requests;
  const perTurn = Map.groupBy(renderedIn, (each) => each);
  // What is short is rendered at once: the first of each request.
  perTurn.delete(0);
  expect(Math.max(...[...perTurn.values()].map(({ length }) => length))).toBeLessThanOrEqual(2);
});

describe('long descriptions', () => {
  const many = Array.from({ length: 10 }, () => 'x'.repeat(1_000));

  test.each<[what: string, leftBytes: number, rendered: number]>([
    ['without room are refused before any is rendered', 10_000, 0],
    // Each has two bytes of quotation marks, and four with its name.
    ['with too little room for their HTML are rendered as far as there is some', 10_060 + 3_006, 4],
  ])('%s', async (_what, leftBytes, expected) => {
    let rendered = 0;
    const answer = describeAll(
      many,
      (description) => {
        rendered += 1;
        return description;
      },
      { leftBytes },
    );
    await expect(answer).rejects.toThrow('no room');
    expect(rendered).toBe(expected);
  });

  test('of streams that are there take no room, and are not rendered', async () => {
    const existing = many.slice(1).map((_, n) => `s${n + 1}`);
    const rendered = await describeAll(many, (description) => description, {
      leftBytes: 2_008,
      existing,
    });
    expect(rendered).toEqual([many[0], ...existing.map(() => undefined)]);
  });
});
