/** The organization that is changed all the time, and what the people who change it know about it. */
import type { Cluster, JsonObject, Method, TestAccount, TestOrganization } from '@parley/test-kit';
import { makeOrganization } from '@parley/test-kit';

import type { SeededRandom } from '../../privacy/seeded-random.ts';

export type KnownStream = { readonly id: number; name: string; isPrivate: boolean };

/** An account that exists to be changed; its state is not compared. */
export type Spare = { readonly id: number; readonly isOutgoing: boolean; isActive: boolean };

/** By their names, changes. @returns whether the change was made; others may have made it impossible */
export type Operations = Readonly<Record<string, (world: World) => Promise<boolean>>>;

/** Of administrators, who replace keys. */
export const password = 'the ferry leaves at noon';

/** The server gave an answer that is never permitted. */
export class BadOutcome extends Error {}

export class World {
  readonly random: SeededRandom;
  readonly organization: TestOrganization;
  /** Whose state is compared: an administrator, a member, a guest and a bot of the member's. */
  readonly readers: Readonly<Record<'administrator' | 'member' | 'guest' | 'bot', TestAccount>>;
  /** The accounts that make changes, in addition to the readers. */
  readonly helpers: Readonly<Record<'administrator' | 'member' | 'guest', TestAccount>>;
  readonly streams: KnownStream[] = [];
  readonly spares: Spare[] = [];
  readonly bots: Spare[] = [];
  readonly messageIds: number[] = [];
  readonly #cluster: Cluster;
  #names = 0;

  static async make(cluster: Cluster, random: SeededRandom): Promise<World> {
    const organization = await makeOrganization(cluster);
    const administrator = await organization.makeAccount('Ann Lee', {
      role: 'administrator',
      password,
    });
    const member = await organization.makeAccount('Max Ray');
    const readers = {
      administrator,
      member,
      guest: await organization.makeAccount('Gil Fox', { role: 'guest' }),
      bot: await organization.makeAccount('Tide Bot', { botType: 1, owner: member }),
    };
    const helpers = {
      administrator: await organization.makeAccount('Ada Bo', {
        role: 'administrator',
        password,
      }),
      member: await organization.makeAccount('Cat Moe'),
      guest: await organization.makeAccount('Gus Ito', { role: 'guest' }),
    };
    const world = new World(cluster, organization, readers, helpers, random);
    const spares = await organization.makeAccounts(['Sam One', 'Sue Two', 'Sid Three', 'Sol Four']);
    world.spares.push(...spares.map(({ id }) => ({ id, isActive: true, isOutgoing: false })));
    return world;
  }

  private constructor(
    cluster: Cluster,
    organization: TestOrganization,
    readers: World['readers'],
    helpers: World['helpers'],
    random: SeededRandom,
  ) {
    this.#cluster = cluster;
    this.organization = organization;
    this.readers = readers;
    this.helpers = helpers;
    this.random = random;
  }

  get everybody(): readonly TestAccount[] {
    return [...Object.values(this.readers), ...Object.values(this.helpers)];
  }

  /** Members and administrators, who may do what guests and bots may not. */
  get members(): readonly TestAccount[] {
    const { readers, helpers } = this;
    return [readers.administrator, readers.member, helpers.administrator, helpers.member];
  }

  get people(): readonly TestAccount[] {
    return this.everybody.filter(({ user }) => user.botType === null);
  }

  get anAdministrator(): TestAccount {
    return this.random.pick([this.readers.administrator, this.helpers.administrator]);
  }

  /** @returns a word that is used once */
  newName(kind: string): string {
    this.#names += 1;
    return `${kind} ${this.#names}`;
  }

  newWord(kind: string): string {
    return this.newName(kind).replaceAll(' ', '');
  }

  aStream(): KnownStream {
    return this.random.pick(this.streams);
  }

  aMessage(): number {
    return this.random.pick(this.messageIds.slice(-40));
  }

  /** The time of day of the system. */
  get nowMs(): number {
    return this.#cluster.settings.clock.nowMs();
  }

  async endOrganization(): Promise<void> {
    await this.organization.close();
  }

  /**
   * Requests a change. Others change the same things, so a refusal is also a valid outcome.
   *
   * @returns the answer, or undefined if it was refused
   * @throws BadOutcome for an answer that no request may get
   */
  async ask(
    who: TestAccount,
    method: Method,
    path: string,
    parameters: Readonly<Record<string, unknown>> = {},
  ): Promise<JsonObject | undefined> {
    const { status, body } = await who.client.request(method, path, parameters);
    // Busy stores fail now and then for a moment; the log shows whether the change was made.
    if (status >= 500 && status !== 503 && status !== 504) {
      const request = `${method} ${path} ${JSON.stringify(parameters)}`;
      throw new BadOutcome(`${request}: ${JSON.stringify(body)}\n${this.#logs()}`);
    }
    return body['result'] === 'success' ? body : undefined;
  }

  /** Requests a change. @returns whether it was made */
  async did(...request: Parameters<World['ask']>): Promise<boolean> {
    return (await this.ask(...request)) !== undefined;
  }

  /** The services' output, so that a failure shows its cause. */
  #logs(): string {
    return (['messages', 'subscriptions', 'people', 'presence', 'events'] as const)
      .flatMap((service) => this.#cluster.findProcesses(service))
      .map((running) => running.describeOutput())
      .join('\n');
  }

  /** The same with a picture. */
  async sendPicture(who: TestAccount, path: string, picture: Uint8Array): Promise<boolean> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(picture)]), 'picture.png');
    const basic = Buffer.from(`${who.email}:${who.apiKey}`).toString('base64');
    const answer = await fetch(new URL(`/api/v1/${path}`, this.#cluster.url), {
      method: 'POST',
      body: form,
      headers: { authorization: `Basic ${basic}` },
    });
    if (answer.status >= 500) throw new BadOutcome(`${path}: ${answer.status}`);
    return answer.ok;
  }
}
