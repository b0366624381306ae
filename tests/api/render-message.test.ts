import { beforeAll, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages, startMessageFixture } from './message-fixture.ts';
import { expectRefusal } from './refusals.ts';

let secretId: number;

const all = useFixture(() => startMessageFixture({ people: 1 }));
beforeAll(async () => {
  const { organization, ann, bob, cat } = all;
  await organization.makeStream('Denmark', [ann, bob]);
  secretId = (await organization.makeStream('secret', [cat], { inviteOnly: true })).id;
});

async function render(
  who: 'ann' | 'bob' | 'cat' | 'guest' | 'bot',
  content: string,
): Promise<string> {
  const body = await all[who].client.post('messages/render', { content });
  expect(Object.keys(body).toSorted()).toEqual(['msg', 'rendered', 'result']);
  return String(body['rendered']);
}

describe('messages/render', () => {
  test('returns the HTML that others would see, in place and in a thread', async () => {
    const { bob } = all;
    for (const content of [
      'hi @**Bob Ray** :tada:\n* one',
      `@**Bob Ray|${bob.id}** and\n\`\`\`py\npass\n\`\`\` ${'*x* '.repeat(400)}`,
    ]) {
      const rendered = await render('ann', content);
      expect(rendered).toContain(`data-user-id="${bob.id}"`);
      const id = await all.ann.client.sendToStream('Denmark', 'soup', content);
      const { messages } = await fetchMessages(all.ann, {
        anchor: id,
        num_before: 0,
        apply_markdown: true,
      });
      expect(messages[0]?.['content']).toBe(rendered);
    }
  });

  test('links a private stream only for users who may know of it', async () => {
    expect(await render('cat', '#**secret>plan**')).toContain(`data-stream-id="${secretId}"`);
    for (const who of ['ann', 'bob', 'guest'] as const) {
      expect(await render(who, '#**secret>plan** #**secret**')).toBe(
        '<p>#<strong>secret&gt;plan</strong> #<strong>secret</strong></p>',
      );
    }
  });

  test('shows a deactivated person as text', async () => {
    const { organization, ann } = all;
    const gone = await organization.makeAccount('Gone Person', { email: 'gone@example.com' });
    expect(await render('ann', '@**Gone Person**')).toContain(`data-user-id="${gone.id}"`);
    await ann.client.delete(`users/${gone.id}`);
    expect(await render('ann', '@**Gone Person** @_**Gone Person**')).toBe(
      '<p>@<strong>Gone Person</strong> @_<strong>Gone Person</strong></p>',
    );
    expect(await render('ann', `@**Gone Person|${gone.id}**`)).not.toContain('user-mention');
  });

  test('has only the limit of rendering, stores nothing and is open to all accounts', async () => {
    expect(await render('bob', '')).toBe('');
    expect(await render('bob', ' \n ')).toBe('');
    expect(await render('guest', 'word '.repeat(5000))).toHaveLength('<p></p>'.length + 25_000);
    expect(await render('bot', '*a*')).toBe('<p><em>a</em></p>');
    const { rows } = await all.pool.query<{ count: number }>({
      text: `SELECT count(*)::integer AS count FROM messages WHERE content LIKE '%word word%'`,
    });
    expect(rows[0]?.count).toBe(0);
  });

  test('refuses more text than a message may have', async () => {
    const content = '<'.repeat(50_000);
    await expectRefusal(
      all.ann.client.post('messages/render', { content }),
      'Unable to render message',
    );
  });
});
