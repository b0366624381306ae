/**
 * Nobody reads in an imported organization what he could not read before: everybody requests everything from every endpoint, as in the test
 * of privacy, about an organization that each system exported.
 */
import { join } from 'node:path';

import { deriveKeySecrets } from '@parley/auth/secrets';
import { findApiKey } from '@parley/store';
import { ApiClient } from '@parley/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { interrogate } from '../privacy/interrogation.ts';
import { Judge } from '../privacy/judge.ts';
import { findMarks } from '../privacy/marks.ts';
import { SeededRandom } from '../privacy/seeded-random.ts';
import { StreamRecord, World, mayKnow, mayRead } from '../privacy/world.ts';
import type { MessageRecord, Person } from '../privacy/world.ts';
import { seedsOf } from '../support/seeds.ts';
import { writers, wordsOf } from './generated/carried.ts';
import { findImported } from './generated/compare.ts';
import type { Imported } from './generated/compare.ts';
import { at, organizations } from './generated/organization.ts';
import type { ModelOrganization } from './generated/organization.ts';
import { isListed, opensFile } from './generated/rules.ts';
import type { SourceName } from './generated/rules.ts';
import { ImportTarget } from './imported-organization.ts';

/** Without what tells of a message elsewhere than in it: a thread's topic, a text that names a stream, an emoji that everybody tries. */
function withoutHints(organization: ModelOrganization): ModelOrganization {
  return {
    ...organization,
    // The name of an archived one is free, and those who ask for it create another.
    streams: organization.streams.map((stream) => ({ ...stream, isArchived: false })),
    messages: organization.messages.map((message) => ({
      ...message,
      parts: message.parts.filter(({ kind }) => kind !== 'stream'),
      root: undefined,
      // A star of somebody who was no member makes a holder, of which the judge does not know.
      starredBy: [],
      file: message.file === 'named' ? undefined : message.file,
      reactions: message.reactions.filter(({ emoji }) => emoji === 'custom'),
    })),
  };
}

/** The largest organization that the seed gives, so that there is much to hide. */
function organizationOf(seed: number): ModelOrganization {
  const made = fc.sample(organizations, { seed, numRuns: 40 });
  const largest = made.toSorted((a, b) => b.messages.length - a.messages.length);
  return withoutHints(at(largest, 0));
}

/** What the source knows of an organization, for the judge. */
class ImportedWorld {
  readonly world = new World();
  readonly #imported: Imported;

  constructor(imported: Imported, people: readonly Person[]) {
    this.#imported = imported;
    this.world.people.push(...people);
    this.#addStreams();
    this.#addMessages();
  }

  #addStreams(): void {
    const { source, organization, streamIds } = this.#imported;
    const [keeper] = this.world.people;
    if (keeper === undefined) throw new Error('there is nobody');
    for (const [n, model] of organization.streams.entries()) {
      const stream = new StreamRecord(
        at(streamIds, n),
        model.name,
        this.#kindOf(model.kind),
        keeper,
      );
      for (const [person, { id }] of this.world.people.entries()) {
        if (source === 'zulip')
          for (const [m, before] of (model.changes[person] ?? []).entries())
            if (m % 2 === 0) stream.join(id, before + 0.5);
            else stream.leave(id, before + 0.5);
        else if (isListed(source, organization, person, n)) stream.join(id, 0);
      }
      this.world.addStream(stream);
      for (const mark of [model.name, model.description])
        this.world.secrets.set(mark, {
          what: `a word of stream ${stream.id}`,
          maySee: (person) => mayKnow(person, stream),
        });
    }
  }

  /** Slack and Mattermost share the history of all private channels. */
  #kindOf(kind: 'public' | 'shared' | 'protected'): 'public' | 'shared' | 'protected' {
    return this.#imported.source !== 'zulip' && kind === 'protected' ? 'shared' : kind;
  }

  #addMessages(): void {
    const { source, organization, messageIds } = this.#imported;
    const tellers = new Map<string, MessageRecord[]>();
    for (const [n, model] of organization.messages.entries()) {
      const { to, sender, word } = model;
      const place =
        'stream' in to
          ? { stream: at(this.world.streams, to.stream) }
          : { participants: to.participants.map((person) => at(this.world.people, person)) };
      const message: MessageRecord = {
        id: at(messageIds, n),
        sentAt: n + 1,
        sender: at(this.world.people, sender),
        ...place,
        namedBots: [],
        word,
        editEvents: new Set(),
      };
      this.world.addMessage(message);
      const words = [
        ...wordsOf(source, organization, n),
        ...(opensFile(source, model)
          ? [...findMarks(organization.file.name), organization.file.content]
          : []),
      ];
      for (const mark of words) tellers.set(mark, [...(tellers.get(mark) ?? []), message]);
    }
    for (const [mark, messages] of tellers)
      this.world.secrets.set(mark, {
        what: `a word of message ${messages.map(({ id }) => id).join(' or ')}`,
        maySee: (person) =>
          messages.some((message) => mayRead(person, message)) || this.#hasFile(person, mark),
      });
  }

  /** Whoever uploaded a file has it. */
  #hasFile(person: Person, mark: string): boolean {
    const { source, organization } = this.#imported;
    const owner = organization.messages.find((message) => opensFile(source, message))?.sender;
    const isOfFile =
      mark === organization.file.content || findMarks(organization.file.name).has(mark);
    return isOfFile && owner !== undefined && this.world.people[owner] === person;
  }
}

async function peopleOf(target: ImportTarget, imported: Imported): Promise<Person[]> {
  const { organization, source, userIds } = imported;
  const urls = await target.startGateways();
  const secrets = deriveKeySecrets(target.settings.keySecret);
  const people: Person[] = [];
  for (const [n, { name, role, isActive, isBot }] of organization.people.entries()) {
    const id = at(userIds, n);
    const { rows } = await target.pool.query<{ email: string; owner: number | null }>(
      `SELECT email, bot_owner_id AS owner FROM users WHERE id = ${id}`,
    );
    const email = rows[0]?.email ?? '';
    const apiKey = (await findApiKey(target.pool, secrets, id)) ?? '';
    people.push({
      id,
      email,
      fullName: name,
      role,
      botType: isBot ? 1 : null,
      ownerId: rows[0]?.owner ?? undefined,
      apiKey,
      client: new ApiClient({ urls, email, apiKey }),
      isActive: isActive && (!isBot || source === 'zulip'),
    });
  }
  return people;
}

const cases = seedsOf('history import').flatMap((seed) =>
  (['zulip', 'slack', 'mattermost'] as const).map((source: SourceName) => ({ source, seed })),
);

test.each(cases)(
  'nobody finds what was private, from $source (seed $seed)',
  async ({ source, seed }) => {
    await using target = await ImportTarget.create();
    const organization = organizationOf(seed);
    const archive = join(target.folder, source === 'zulip' ? 'birch.tar.gz' : 'birch.zip');
    await writers[source](archive, organization);
    const ended = await target.importFrom(source, archive, 'p0@birch.example');
    expect(ended.error).toBe('');
    const imported = await findImported(target, source, organization);
    const { world } = new ImportedWorld(imported, await peopleOf(target, imported));
    const { faults, requests } = await interrogate(
      world,
      new Judge(world),
      new SeededRandom(seed),
      [],
    );
    expect(faults).toEqual([]);
    expect(requests).toBeGreaterThan(1_000);
  },
  900_000,
);
