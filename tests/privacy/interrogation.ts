import { makeAsker } from './asker.ts';
import type { Ask, Asker } from './asker.ts';
import { openEndpoints } from './endpoint-names.ts';
import type { EventReader } from './event-reader.ts';
import type { Judge, Shown } from './judge.ts';
import { asksOf } from './plans.ts';
import { SeededRandom } from './seeded-random.ts';
import { isRefused } from './world.ts';
import type { Person, World } from './world.ts';

// Two cores serve the cluster and the test; more concurrent requesters would only wait.
const askersAtOnce = 6;

const askersOfEachKind = 4;

// A caller that is always refused need not make every request.
const refusalsOfEachEndpoint = 5;

type Found = {
  readonly faults: string[];
  /** The words in each person's requests, which may return to that person in events. */
  readonly said: Map<Person, string[]>;
  requests: number;
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Compares the answers about hidden objects with those about objects that do not exist. */
class Likenesses {
  readonly #first = new Map<string, string>();

  /** @returns whether the answer equals the first of its group, except for the requested id or name */
  isAlike({ group, text }: NonNullable<Ask['alike']>, shown: Shown, body: string): boolean {
    // An id is blanked only as a whole, not within a longer number.
    const named = new RegExp(`(?<![A-Za-z0-9])${RegExp.escape(text)}(?![A-Za-z0-9])`, 'g');
    const blank = `${shown.status} ${body.replaceAll(named, '#')}`;
    const first = this.#first.get(group);
    if (first === undefined) this.#first.set(group, blank);
    return first === undefined || first === blank;
  }
}

/** @returns whether the request must succeed; undefined if it may or may not */
function expectedSuccess(
  me: Person,
  endpoint: string,
  succeeds: boolean | undefined,
): boolean | undefined {
  if (openEndpoints.has(endpoint)) return succeeds;
  const isSend = endpoint === 'POST messages' || endpoint.startsWith('POST external/');
  if (isRefused(me)) return isSend && me.isActive ? undefined : false;
  // An outgoing-webhook bot gets messages but holds none.
  return me.botType === 3 && succeeds === true ? undefined : succeeds;
}

async function askEverything(asker: Asker, judge: Judge, found: Found): Promise<void> {
  const { me } = asker;
  const likenesses = new Likenesses();
  const said: string[] = [];
  found.said.set(me, said);
  const times = new Map<string, number>();
  for (const { method, endpoint, path, parameters = {}, alike, succeeds } of asksOf(asker)) {
    const time = (times.get(endpoint) ?? 0) + 1;
    times.set(endpoint, time);
    if (isRefused(me) && time > refusalsOfEachEndpoint) continue;
    judge.noteSaid(me, JSON.stringify(parameters));
    const answer = await me.client.withoutChecks(method, path, parameters);
    const shown: Shown = {
      status: answer.status,
      text: `${JSON.stringify(answer.headers)} ${answer.text}`,
      json: parsed(answer.text),
    };
    const faults = judge.faultsOf(me, [path, parameters], shown);
    if (alike !== undefined && !likenesses.isAlike(alike, shown, answer.text))
      faults.push(`differs from what does not exist: ${answer.status} ${answer.text}`);
    const expected = expectedSuccess(me, endpoint, succeeds);
    if (expected !== undefined && expected !== (answer.status === 200))
      faults.push(`answers ${answer.status}: ${answer.text.slice(0, 200)}`);
    found.requests += 1;
    if (endpoint === 'POST messages' || endpoint.startsWith('PATCH '))
      said.push(JSON.stringify(parameters));
    const place = `${me.fullName}, ${method} ${path} ${JSON.stringify(parameters).slice(0, 200)}`;
    found.faults.push(...faults.map((fault) => `${place}: ${fault}`));
  }
}

/** @returns the people who ask, in random order: a few of each kind, since one asks what another of the same kind would */
function chooseAskers({ people }: World, random: SeededRandom): Person[] {
  const kinds = Map.groupBy(
    people,
    ({ role, botType, isActive }) => `${role} ${botType} ${isActive}`,
  );
  const askers = [...kinds.values()].flatMap((kind) => random.sample(kind, askersOfEachKind));
  return random.sample(askers, askers.length);
}

/** They request everything. The person determines only the requests; the judge is the same for all. */
export async function interrogate(
  world: World,
  judge: Judge,
  random: SeededRandom,
  readers: readonly EventReader[],
): Promise<Found> {
  // Requesters do not wait for each other, so each has its own random choices.
  const seed = random.below(2 ** 31);
  const found: Found = { faults: [], said: new Map(), requests: 0 };
  const waiting = chooseAskers(world, random);
  const work = async (): Promise<void> => {
    for (let me = waiting.pop(); me !== undefined; me = waiting.pop()) {
      const others = readers.filter(({ person }) => person !== me);
      const queueIds = others.map(({ queueId }) => queueId);
      await askEverything(
        makeAsker(me, world, new SeededRandom(seed + me.id), queueIds),
        judge,
        found,
      );
    }
  };
  await Promise.all(Array.from({ length: askersAtOnce }, work));
  return found;
}
