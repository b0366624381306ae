import { transaction } from '@parley/database';
import { countSearchBacklog } from '@parley/store';
import { beforeAll, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages, refusalOf, startMessageFixture } from './message-fixture.ts';
import { waitUntil } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';

/** Creates a stream of all people, with one message for each text. */
let hall: (content: string, topic?: string) => Promise<number>;

const all = useFixture(() => startMessageFixture({ subscriptions: 1 }));
beforeAll(async () => {
  const { organization, ann, bob, cat, guest } = all;
  await organization.makeStream('hall', [ann, bob, cat, guest]);
  hall = (content, topic = 'talk') => ann.client.sendToStream('hall', topic, content);
});

type Term = readonly [string, string] | Readonly<Record<string, unknown>>;

const search = (query: string, negated = false): Term => ({
  operator: 'search',
  operand: query,
  negated,
});

async function idsFor(
  query: string | readonly Term[],
  account: TestAccount = all.bob,
): Promise<readonly number[]> {
  const narrow = typeof query === 'string' ? [search(query)] : query;
  const { ids } = await fetchMessages(account, { narrow });
  return ids;
}

async function matchesOf(
  query: string | readonly Term[],
  ids: readonly number[],
  account: TestAccount = all.bob,
): Promise<Record<string, Record<string, string>>> {
  const narrow = typeof query === 'string' ? [search(query)] : query;
  const body = await account.client.get('messages/matches_narrow', { msg_ids: ids, narrow });
  return body['messages'] as Record<string, Record<string, string>>;
}

const mark = (text: string): string => `<span class="highlight">${text}</span>`;

describe('words', () => {
  test('match in the topic and the rendered content', async () => {
    const inTopic = await hall('nothing here', 'Zebra crossing');
    const inContent = await hall('a zebra was here');
    expect(await idsFor('zebra')).toEqual([inTopic, inContent]);
    const split = await hall('giraffe', 'okapi');
    expect(await idsFor('giraffe okapi')).toEqual([split]);
  });

  test('must all match, in any order', async () => {
    const both = await hall('walnut and pecan');
    await hall('only walnut');
    expect(await idsFor('pecan walnut')).toEqual([both]);
    expect(await idsFor('pecan walnut cashew')).toEqual([]);
  });

  test('are stemmed, and not matched by beginnings or parts', async () => {
    const waving = await hall('they were waving handkerchiefs');
    expect(await idsFor('wave')).toEqual([waving]);
    expect(await idsFor('handkerchief')).toEqual([waving]);
    expect(await idsFor('handker')).toEqual([]);
    expect(await idsFor('kerchiefs')).toEqual([]);
  });

  test.each([
    ['MARMALADE', 'Marmalade'],
    ['ärgerlich', 'ÄRGERLICH'],
    ['ΟΔΥΣΣΕΎΣ', 'οδυσσεύς'],
    ['STRASSENBAHN', 'straßenbahn'],
    ['café'.normalize('NFD'), 'CAFÉ'],
    ['ΠΡΩΤΕΪ\u0301ΝΗ', 'πρωτεΐνη'],
  ])('match regardless of case: %s finds %s', async (query, content) => {
    const id = await hall(`“${content}” — 😀`);
    expect(await idsFor(query)).toEqual([id]);
    expect(await matchesOf(query, [id])).toEqual({
      [id]: {
        match_content: expect.stringContaining(mark(content)) as string,
        match_subject: 'talk',
      },
    });
  });

  test.each<[string, string, string?]>([
    ['server', 'client/server'],
    ['db', 'down', 'infra/db outage'],
    ['main', 'src/main.ts'],
    ['src/main.ts', 'see `src/main.ts`:7'],
    ['main.ts', '```ts\nsrc.main.ts\n```'],
    ['report', 'report-final.pdf'],
    ['final.pdf', 'report-final.pdf'],
    ['3699', 'PLT-3699'],
    ['PLT-3699', 'https://plt.example.net/browse/PLT-3699'],
    ['12345', 'CVE-2026-12345'],
    ['covid 19', 'covid-19'],
    ['covid-19', 'covid-19'],
    ['release', 'release2'],
    ['k8s', 'k8s'],
    ['to-do', 'a to-do'],
    ['Weg_weiser', 'Weg_weiser'],
    ['http://b.example.org/x', 'https://b.example.org/x'],
    ['会議', '東京で会議があります'],
    ['東京で会議', '東京で会議があります'],
    ['월', '3월 4일'],
    ['서울', '서울에서 만나요'],
    ['葛城', '葛\u{e0100}城'],
  ])('are found in compounds, in whole or in part: %s in %s', async (query, content, topic) => {
    const id = await hall(content, topic);
    const [found] = (await fetchMessages(all.bob, { narrow: [search(query)] })).messages.slice(-1);
    expect(found).toMatchObject({ id });
    expect(`${String(found?.['match_content'])}${String(found?.['match_subject'])}`).toContain(
      '<span class="highlight">',
    );
  });

  test('of a compound are beside one another', async () => {
    const id = await hall('10.20.30.41 and 10.20.99.30');
    for (const query of ['20.30', '10.20.30.41', 'and 41'])
      expect([query, await idsFor([search(query), ['id', String(id)]])]).toEqual([query, [id]]);
    for (const query of ['20.41', '30.20', '10.30', '41 and-10'])
      expect([query, await idsFor([search(query), ['id', String(id)]])]).toEqual([query, []]);
    expect(await matchesOf('20.99 and', [id])).toMatchObject({
      [id]: { match_content: `<p>10.20.30.41 and 10.${mark('20.99')}.30</p>` },
    });
  });

  test('that are too common are named', async () => {
    const ignoredIn = async (narrow: readonly Term[]): Promise<unknown[]> => [
      (await fetchMessages(all.bob, { narrow })).body['ignored_words'],
      (await all.bob.client.get('messages/matches_narrow', { msg_ids: [], narrow }))[
        'ignored_words'
      ],
    ];
    const named = ['the', 'b', 'and'];
    expect(await ignoredIn([search('The b'), search('the "and"')])).toEqual([named, named]);
    expect(await ignoredIn([search('the tangerine')])).toEqual([['the'], ['the']]);
    for (const query of ['tangerine', '!?', 'to-do'])
      expect(await ignoredIn([search(query)])).toEqual([undefined, undefined]);
  });

  test('of messages that a release before wrote are found by its words, and by all once they are made anew', async () => {
    const { cluster, pool } = all;
    const ids = [
      await hall('vole/badger TKT-4711'),
      await hall('vole/otter'),
      await hall('vole/heron'),
    ];
    const asBefore = `UPDATE messages SET search =
      message_search_vector(topic || ' ' || lower(content), stream_id, conversation_id, sender_id, id) WHERE id = ANY ($1)`;
    await pool.query(asBefore, [ids]);
    expect(await countSearchBacklog(pool)).toBe(3);
    expect(await idsFor('TKT-4711')).toEqual([ids[0]]);
    expect(await idsFor('otter')).toEqual([]);
    const version = async (): Promise<unknown> =>
      (await pool.query('SELECT version FROM message_versions WHERE message_id = $1', [ids[1]]))
        .rows;
    const before = await version();
    // Whoever changes newer messages holds up no older one.
    await transaction(pool, async (client) => {
      await client.query('SELECT 1 FROM messages WHERE id = ANY ($1) FOR UPDATE', [ids.slice(1)]);
      await cluster.advance(1_000);
      await waitUntil('others have words', async () => (await idsFor('badger')).length === 1);
    });
    await cluster.advance(1_000);
    await waitUntil('the words are made anew', async () => (await idsFor('otter')).length === 1);
    expect(await idsFor('vole')).toEqual(ids);
    expect(await version()).toEqual(before);
    expect(await countSearchBacklog(pool)).toBe(0);
  });

  test('of very long messages are all found a moment later', async () => {
    const text = Array.from({ length: 5000 }, (_, n) => String.fromCodePoint(0x4e00 + n * 3)).join(
      '',
    );
    const id = await hall(text);
    expect(await idsFor(text.slice(0, 9))).toEqual([id]);
    await all.cluster.advance(1_000);
    await waitUntil('the words are made', async () => (await idsFor(text.slice(-9))).length === 1);
  });

  test('exclude stop words and single letters, which alone match nothing', async () => {
    const id = await hall('tangerine');
    expect(await idsFor('the tangerine is b and x')).toEqual([id]);
    for (const query of [
      'the',
      'i',
      'b',
      'the b and Z',
      '',
      '   ',
      '!?',
      '"',
      '"the"',
      '&|!()<->:*',
    ])
      expect(await idsFor(query)).toEqual([]);
    // A negated search without words excludes nothing.
    expect(
      await idsFor([search('the', true), ['sender', 'ann@example.com'], search('tangerine')]),
    ).toEqual([id]);
  });

  test('exclude tags, attributes and punctuation; include hosts, paths, emoji and mentioned names', async () => {
    const id = await hall(
      '**strongly** `<kbd>` https://quokka.example.com/burrow/deep :octopus: @**Cat Moe** Marks&Spencer',
    );
    for (const query of [
      'strongly',
      'quokka.example.com',
      'https://quokka.example.com/burrow/deep',
    ])
      expect(await idsFor(query)).toEqual([id]);
    for (const query of ['octopus', ':octopus:', 'moe', 'kbd', 'marks&spencer'])
      expect([query, await idsFor(query)]).toEqual([query, [id]]);
    for (const query of ['strong', 'href', 'span', 'class', 'cat@example.com', 'code', 'lt'])
      expect(await idsFor([search(query), ['id', String(id)]])).toEqual(
        query === 'strong' ? [id] : [],
      );
  });

  test('in several terms form one query, in both encodings', async () => {
    const id = await hall('lavender rosemary thyme');
    await hall('lavender sage');
    expect(await idsFor([search('lavender'), search('thyme')])).toEqual([id]);
    expect(await idsFor([['search', 'lavender'], search('thyme')])).toEqual([id]);
    expect(await idsFor([search('"lavender'), search('rosemary"')])).toEqual([id]);
    expect(await idsFor([search('"lavender'), search('thyme"')])).toEqual([]);
  });

  test('a negated search excludes its matches', async () => {
    const first = await hall('basalt granite');
    const second = await hall('basalt marble');
    expect(await idsFor([search('basalt'), search('granite', true)])).toEqual([second]);
    expect(
      await idsFor([search('basalt'), search('granite', true), search('marble', true)]),
    ).toEqual([]);
    expect(await idsFor([search('basalt'), search('"basalt marble"', true)])).toEqual([first]);
    const { messages } = await fetchMessages(all.bob, {
      narrow: [search('granite', true), ['id', String(second)]],
    });
    expect(messages).toMatchObject([
      { match_content: '<p>basalt marble</p>', match_subject: 'talk' },
    ]);
    expect(await matchesOf([search('granite', true)], [first, second])).toEqual({
      [second]: { match_content: '<p>basalt marble</p>', match_subject: 'talk' },
    });
  });
});

describe('phrases', () => {
  test('match literally in the original content or the topic', async () => {
    const content = await hall('the **quick** silver fox', 'one');
    const topic = await hall('fox silver', 'Silver Fox');
    await hall('fox and silver', 'two');
    expect(await idsFor('"silver fox"')).toEqual([content, topic]);
    expect(await idsFor('"SILVER  fox"')).toEqual([]);
    expect(await idsFor('"ilver fo" silver')).toEqual([]);
    expect(await idsFor('"**quick** silver"')).toEqual([content]);
    expect(await idsFor('"silver fox" "quick"')).toEqual([content]);
    expect(await idsFor('silver"fox"')).toHaveLength(3);
  });

  test('with percent signs and underscores match literally', async () => {
    const percent = await hall('mango 100% sure_thing');
    await hall('mango 100 sure thing');
    expect(await idsFor('"mango 100% sure_thing"')).toEqual([percent]);
    expect(await idsFor('"mango 100%thing" mango')).toEqual([]);
    expect(await idsFor('"100_ sure" mango')).toEqual([]);
  });

  test.each([
    ['ÜBER STRASSE', 'über straße'],
    ['straße nach', 'STRASSE NACH'],
    ['ΠΡΩΤΕΪ\u0301ΝΗ ΜΟΥ', 'πρωτεΐνη μου'],
    ['πρωτεΐνη σου', 'ΠΡΩΤΕΪ\u0301ΝΗ ΣΟΥ'],
    ['ὈΔΥΣΣΕΎΣ ΘΑΛΑΣΣΑ', 'ὀδυσσεύς θαλασσα'],
    ['naïve plan'.normalize('NFD'), 'Naïve Plan'],
    ['"ﬁne linen'.slice(1), 'FINE LINEN'],
  ])('match regardless of case: %s', async (phrase, content) => {
    const id = await hall(`so ${content} it is`);
    expect(await idsFor(`"${phrase}"`)).toEqual([id]);
    expect(await idsFor(`"${phrase} isn"`)).toEqual([]);
  });
});

describe('highlights', () => {
  const marked = async (
    query: string,
    content: string,
    topic = 'talk',
  ): Promise<readonly unknown[]> => {
    const id = await hall(content, topic);
    const { messages } = await fetchMessages(all.bob, {
      narrow: [search(query), ['id', String(id)]],
    });
    expect(await matchesOf(query, [id])).toEqual(
      Object.fromEntries(
        messages.map(({ match_content, match_subject }) => [id, { match_content, match_subject }]),
      ),
    );
    return messages.flatMap(({ match_content, match_subject }) => [match_content, match_subject]);
  };

  test('wrap each match in the HTML and in the escaped topic', async () => {
    expect(await marked('lunch', 'discuss lunch after lunch')).toEqual([
      `<p>discuss ${mark('lunch')} after ${mark('lunch')}</p>`,
      'talk',
    ]);
    expect(await marked('lunches <"', 'x', 'Lunch & "tea" <b>')).toEqual([
      '<p>x</p>',
      `${mark('Lunch')} &amp; &quot;tea&quot; &lt;b&gt;`,
    ]);
  });

  test('are in the HTML even if the original content was requested', async () => {
    const id = await hall('some **almonds**');
    const { messages } = await fetchMessages(all.bob, {
      narrow: [search('almond')],
      apply_markdown: false,
    });
    expect(messages).toMatchObject([
      {
        id,
        content: 'some **almonds**',
        match_content: `<p>some <strong>${mark('almonds')}</strong></p>`,
      },
    ]);
  });

  test('leave schemes, tags and attributes unchanged', async () => {
    const [content] = await marked('https://google.com', 'https://google.com');
    expect(content).toContain(`>https://${mark('google.com')}</a>`);
    expect(content).toContain('href="https://google.com"');
    const [link] = await marked('example', '[example](https://e.org/example "example") `example`');
    expect(String(link).replaceAll(mark('example'), 'example')).not.toContain('highlight');
    expect(String(link).match(/highlight/g)).toHaveLength(2);
  });

  test('never break an entity, a character or a tag', async () => {
    expect(await marked('ampersand lt amp', 'ampersand & amp < lt > &amp;')).toEqual([
      `<p>${mark('ampersand')} &amp; ${mark('amp')} &lt; ${mark('lt')} &gt; &amp;</p>`,
      'talk',
    ]);
    const [content] = await marked('tree 𝒳', '🌲tree🌲 𝒳𝒳 𝒳 *tr*ee **tree***s*');
    const { messages } = await fetchMessages(all.bob, { num_before: 1, apply_markdown: true });
    expect(String(content).replaceAll(mark('tree'), 'tree').replaceAll(mark('𝒳'), '𝒳')).toBe(
      messages[0]?.['content'],
    );
    expect(content).toContain(
      `:evergreen_${mark('tree')}:</span> 𝒳𝒳 ${mark('𝒳')} <em>tr</em>ee <strong>${mark('tree')}</strong><em>s</em></p>`,
    );
  });

  test('are absent without a search', async () => {
    const { messages } = await fetchMessages(all.bob);
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) {
      expect(message).not.toHaveProperty('match_content');
      expect(message).not.toHaveProperty('match_subject');
    }
  });
});

describe('unusual queries', () => {
  const tenThousandWords = Array.from({ length: 10_000 }, (_, n) => `word${n}`).join(' ');

  // An address has at most 16 KiB, which limits the query.
  test.each([
    ['many words', tenThousandWords.slice(0, 9000)],
    ['more words than a message can hold', `${tenThousandWords.slice(0, 10_060)}9`],
    ['a long word', 'x'.repeat(9000)],
    ['many phrases', '"a1" '.repeat(1000)],
    ['a lone surrogate', 'x\ud800y'],
    ['operators', "foo & !bar | (baz <-> 'qux':*A) \\ ' '' \\'"],
    ['markup', '<a href="x">&amp;&#0;<!-- x -->'],
    ['control characters', '\u0001\u0002\u001b\u007f x1y2'],
    ['private use', '\ue000\ue001 x1y2'],
  ])('%s', async (_, query) => {
    expect(await idsFor(query)).toEqual([]);
    expect(await matchesOf(query, [1])).toEqual({});
  });

  test('ten thousand words are refused together with the address that contains them', async () => {
    expect(await refusalOf(idsFor(tenThousandWords))).toMatchObject({ status: 431 });
  });

  test('a NUL and malformed text are refused', async () => {
    expect(await refusalOf(idsFor('a\0b'))).toMatchObject({
      status: 400,
      code: 'REQUEST_VARIABLE_INVALID',
    });
    expect(await refusalOf(idsFor([{ operator: 'search', operand: 7 }]))).toMatchObject({
      status: 400,
      msg: 'elem["operand"] is not a string',
    });
  });

  test('a query with more words than the index looks up still compares all of them', async () => {
    const words = Array.from(
      { length: 60 },
      (_, n) => `many${String.fromCodePoint(97 + (n % 26))}${n}`,
    );
    const id = await hall(words.join(' '));
    expect(await idsFor(words.join(' '))).toEqual([id]);
    expect(await idsFor(`${words.join(' ')} z9`)).toEqual([]);
  });
});

describe('visibility', () => {
  test('without a stream finds received messages, with a public stream all of its messages', async () => {
    const { organization, ann, bob, cat, guest } = all;
    await organization.makeStream('island', [ann]);
    const past = await ann.client.sendToStream('island', 'talk', 'coconut');
    expect(await idsFor('coconut', bob)).toEqual([]);
    expect(await idsFor('coconut', ann)).toEqual([past]);
    const narrow: Term[] = [['stream', 'island'], search('coconut')];
    expect(await idsFor(narrow, bob)).toEqual([past]);
    expect(await idsFor([search('coconut'), ['streams', 'public']], cat)).toEqual([past]);
    expect(await refusalOf(idsFor(narrow, guest))).toMatchObject({
      desc: 'unknown stream island',
    });
    expect(await idsFor([search('coconut'), ['streams', 'public']], guest)).toEqual([]);
    expect(
      await idsFor([...narrow, { operator: 'is', operand: 'mentioned', negated: true }], bob),
    ).toEqual([]);
    expect(await idsFor([...narrow, ['topic', 'Talk']], bob)).toEqual([past]);
    expect(await idsFor([...narrow, ['topic', 'other']], bob)).toEqual([]);
  });

  test('finds messages of private streams only if they were received before leaving', async () => {
    const { organization, ann, bob, cat } = all;
    const stream = await organization.makeStream('vault', [ann, bob], {
      inviteOnly: true,
      historyPublicToSubscribers: false,
    });
    const before = await ann.client.sendToStream('vault', 'papaya', 'papaya before');
    await bob.client.call('DELETE', 'users/me/subscriptions', { subscriptions: ['vault'] });
    const after = await ann.client.sendToStream('vault', 'papaya', 'papaya after');
    const inVault: Term[] = [search('papaya'), ['stream', 'vault']];
    for (const narrow of [[search('papaya')], inVault]) {
      expect(await idsFor(narrow, bob)).toEqual([before]);
      expect(await idsFor(narrow, ann)).toEqual([before, after]);
    }
    expect(await idsFor('papaya', cat)).toEqual([]);
    expect(await refusalOf(idsFor(inVault, cat))).toMatchObject({ desc: 'unknown stream vault' });
    // The history is protected, so a new subscriber finds nothing older.
    await ann.client.call('POST', 'users/me/subscriptions', {
      subscriptions: [{ name: 'vault' }],
      principals: [cat.email],
    });
    expect(await idsFor(inVault, cat)).toEqual([]);
    const joined = await ann.client.sendToStream('vault', 'papaya', 'papaya joined');
    expect(await idsFor('papaya', cat)).toEqual([joined]);
    expect(await matchesOf('papaya', [before, after, joined, 999_999], cat)).toEqual({
      [joined]: { match_content: `<p>${mark('papaya')} joined</p>`, match_subject: mark('papaya') },
    });
    expect(stream.id).toBeGreaterThan(0);
  });

  test("does not find other people's private messages", async () => {
    const { ann, bob, cat, guest } = all;
    const pair = await ann.client.sendPrivately([cat.email], 'kumquat for two');
    const group = await ann.client.sendPrivately([cat.email, guest.email], 'kumquat for three');
    expect(await idsFor('kumquat', bob)).toEqual([]);
    expect(await idsFor('kumquat', guest)).toEqual([group]);
    expect(await idsFor('kumquat', cat)).toEqual([pair, group]);
    expect(await idsFor([search('kumquat'), ['pm-with', 'ann@example.com']], cat)).toEqual([pair]);
    expect(await idsFor([search('kumquat'), ['is', 'private']], cat)).toEqual([pair, group]);
    expect(await idsFor([search('kumquat'), ['group-pm-with', cat.email]], guest)).toEqual([group]);
    expect(await idsFor([search('kumquat'), ['pm-with', 'cat@example.com']], bob)).toEqual([]);
    expect(await matchesOf([], [pair, group], guest)).toEqual({
      [group]: { match_content: '<p>kumquat for three</p>', match_subject: '' },
    });
  });

  test('finds a starred message that was not received, for the user who starred it only', async () => {
    const { organization, ann, bob, cat } = all;
    await organization.makeStream('reef', [ann]);
    const id = await ann.client.sendToStream('reef', 'talk', 'anemone');
    await bob.client.flag([id], 'starred');
    expect(await idsFor('anemone', bob)).toEqual([id]);
    expect(await idsFor([search('anemone'), ['is', 'starred']], bob)).toEqual([id]);
    expect(await idsFor('anemone', cat)).toEqual([]);
  });
});

describe('after changes', () => {
  test('an edited message matches by its new text and topic only', async () => {
    const { ann, bob } = all;
    const id = await hall('old platypus text', 'Echidna');
    await ann.client.patch(`messages/${id}`, { content: 'new wallaby text', topic: 'Bandicoot' });
    for (const query of ['platypus', 'echidna', '"old platypus"', '"echidna"'])
      expect(await idsFor(query, bob)).toEqual([]);
    for (const query of ['wallaby', 'bandicoot', '"NEW wallaby"', '"bandicoot"'])
      expect(await idsFor(query, bob)).toEqual([id]);
    expect(await idsFor([search('wallaby'), ['stream', 'hall'], ['topic', 'bandicoot']])).toEqual([
      id,
    ]);
    expect(await idsFor([search('wallaby'), ['stream', 'hall'], ['topic', 'echidna']])).toEqual([]);
    expect(await matchesOf('wallaby bandicoot', [id])).toEqual({
      [id]: {
        match_content: `<p>new ${mark('wallaby')} text</p>`,
        match_subject: mark('Bandicoot'),
      },
    });
  });

  test('messages that moved together match by the new topic', async () => {
    const { ann } = all;
    const first = await hall('numbat one', 'Quoll');
    const second = await hall('numbat two', 'Quoll');
    await ann.client.patch(`messages/${first}`, { topic: 'Dingo', propagate_mode: 'change_all' });
    expect(await idsFor('numbat dingo')).toEqual([first, second]);
    expect(await idsFor('numbat quoll')).toEqual([]);
  });

  test('a deleted message does not match', async () => {
    const id = await hall('thylacine');
    expect(await idsFor('thylacine')).toEqual([id]);
    await all.ann.client.delete(`messages/${id}`);
    expect(await idsFor('thylacine')).toEqual([]);
    expect(await matchesOf('thylacine', [id])).toEqual({});
  });
});

describe('pages', () => {
  test('anchor, counts and ends refer to the matches', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 6; n += 1)
      ids.push(await hall(`${n % 2 === 0 ? 'pelican' : 'heron'} ${n}`));
    const pelicans = ids.filter((_, n) => n % 2 === 0);
    const page = async (
      anchor: number | string,
      before: number,
      after: number,
    ): Promise<unknown> => {
      const { ids: found, body } = await fetchMessages(all.bob, {
        anchor,
        num_before: before,
        num_after: after,
        narrow: [search('pelican')],
      });
      return [found, body['found_anchor'], body['found_oldest'], body['found_newest']];
    };
    const [first = 0, second = 0, third = 0] = pelicans;
    expect(await page('newest', 2, 0)).toEqual([[second, third], false, false, true]);
    expect(await page('oldest', 0, 5)).toEqual([pelicans, false, true, true]);
    expect(await page(second, 1, 1)).toEqual([pelicans, true, false, false]);
    expect(await page(second, 0, 0)).toEqual([[second], true, false, false]);
    expect(await page(second + 1, 5, 5)).toEqual([[first, second, third], false, true, true]);
    expect(await page(first, 5, 0)).toEqual([[first], true, true, false]);
    expect(await page('newest', 0, 0)).toEqual([[], false, false, true]);
  });

  test('start at the first unread match', async () => {
    const { cat } = all;
    const [read, unread] = [await hall('walrus one'), await hall('walrus two')];
    await cat.client.flag([read], 'read');
    const { ids, body } = await fetchMessages(cat, {
      anchor: 'first_unread',
      num_before: 1,
      num_after: 1,
      narrow: [search('walrus')],
    });
    expect([body['anchor'], ids]).toEqual([unread, [read, unread]]);
    expect(await idsFor([search('walrus'), ['is', 'unread']], cat)).toEqual([unread]);
  });
});

describe('matches_narrow', () => {
  test('an empty narrow matches all received messages', async () => {
    const id = await hall('plain <text>', 'a & b');
    expect(await matchesOf([], [id, id, 0, -1, 999_999_999])).toEqual({
      [id]: { match_content: '<p>plain &lt;text&gt;</p>', match_subject: 'a &amp; b' },
    });
    expect(await matchesOf([['topic', 'A & B']], [id])).toHaveProperty(String(id));
    expect(await matchesOf([['topic', 'b']], [id])).toEqual({});
  });

  test('does not match messages that were not received, in any stream', async () => {
    const { organization, ann, bob } = all;
    await organization.makeStream('lagoon', [ann]);
    const id = await ann.client.sendToStream('lagoon', 'talk', 'manatee');
    expect(await matchesOf([['stream', 'lagoon'], search('manatee')], [id], bob)).toEqual({});
    expect(await matchesOf([['stream', 'lagoon'], search('manatee')], [id], ann)).toEqual({
      [id]: { match_content: `<p>${mark('manatee')}</p>`, match_subject: 'talk' },
    });
  });

  test.each([
    [{ msg_ids: [1], narrow: 'x' }, "Bad value for 'narrow': x"],
    [{ msg_ids: [1], narrow: [['search', 1]] }, `Bad value for 'narrow': [["search",1]]`],
    [
      { msg_ids: [1], narrow: [['nothing', 'x']] },
      'Invalid narrow operator: unknown operator nothing',
    ],
  ])('refuses invalid requests: %#', async (parameters, msg) => {
    expect(
      await refusalOf(all.bob.client.get('messages/matches_narrow', parameters)),
    ).toMatchObject({ status: 400, msg });
  });

  test('accepts 5000 ids', async () => {
    const ask = async (count: number): Promise<number> => {
      const { email, apiKey } = all.bob;
      const { status } = await fetch(
        `${all.cluster.gatewayUrls[0]}/api/v1/messages/matches_narrow?narrow=[]&msg_ids=[${Array(count).fill(1).join(',')}]`,
        { headers: { authorization: `Basic ${btoa(`${email}:${apiKey}`)}` } },
      );
      return status;
    };
    expect([await ask(5000), await ask(5001)]).toEqual([200, 400]);
  });
});
