/** With hidden addresses, only administrators see another person's real address (reference facts, people 7.7). */
import { waitUntil } from '@parley/test-kit';

import { EventReader } from './event-reader.ts';
import type { SeededRandom } from './seeded-random.ts';
import { addSomeEmoji, reportPresences } from './showing-up.ts';
import { isRefused } from './world.ts';
import type { Person, World } from './world.ts';

/** Requests whose answers describe people. */
const paths = [
  'users',
  'users/me',
  'bots',
  'streams',
  'users/me/subscriptions?include_subscribers=true',
  'messages?anchor=newest&num_before=200&num_after=0',
  'attachments',
  'user_groups',
  'realm/emoji',
  'realm/presence',
];

export async function hideAddresses(world: World): Promise<void> {
  const admin = world.people.find(({ role }) => role === 'administrator');
  const member = world.people.find(({ fullName }) => fullName === 'Member 1');
  await admin?.client.patch('realm', { email_address_visibility: 3 });
  await waitUntil('addresses are hidden', async () => {
    const shown = await member?.client.get('users');
    return !JSON.stringify(shown).includes(`"${admin?.email}"`);
  });
}

/** @returns a sentence for each real address that the text reveals to somebody */
function addressFaults(world: World, reader: Person, place: string, text: string): string[] {
  const folded = text.toLowerCase();
  return world.people
    .filter((person) => person.botType === null && person !== reader)
    .filter(({ email }) => folded.includes(email.toLowerCase()))
    .map((person) => `${place} shows ${reader.fullName} the address of ${person.fullName}`);
}

/** Everybody except administrators reads all answers and events that describe people. @returns a sentence for each fault */
export async function lookForAddresses(world: World, random: SeededRandom): Promise<string[]> {
  const readers = world.people.filter((one) => !isRefused(one) && one.role !== 'administrator');
  const queues: EventReader[] = [];
  for (const person of readers) queues.push(await EventReader.open(person, 'hidden', {}));
  await reportPresences(world);
  await addSomeEmoji(world, random);
  const faults: string[] = [];
  for (const queue of queues) {
    const events = await queue.read();
    if (!events.some(({ type }) => type === 'realm_emoji'))
      faults.push(`${queue.person.fullName} got no event about emoji`);
    faults.push(...addressFaults(world, queue.person, 'an event', JSON.stringify(events)));
  }
  for (const person of readers) {
    for (const path of paths) {
      const { status, text } = await person.client.withoutChecks('GET', path);
      // Bots may not read about people, and guests not about bots.
      const isServed = person.botType === null && (path !== 'bots' || person.role !== 'guest');
      if (isServed && status !== 200) faults.push(`${path} answers ${status}`);
      faults.push(...addressFaults(world, person, path, text));
    }
    const { text } = await person.client.withoutChecks('POST', 'register', {});
    faults.push(...addressFaults(world, person, 'register', text));
  }
  return faults;
}
