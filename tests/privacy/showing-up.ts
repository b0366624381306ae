/** Actions that everybody can see: presence and custom emoji. */
import { drawDefaultAvatar } from '@parley/files/images';

import { makeMark } from './marks.ts';
import type { SeededRandom } from './seeded-random.ts';
import { isRefused } from './world.ts';
import type { Person, World } from './world.ts';

const emojiMakers = 3;

/** Everybody who may reports presence, including people who are deactivated later. */
export async function reportPresences(world: World): Promise<void> {
  for (const { client } of world.people.filter((one) => one.botType === null && !isRefused(one)))
    await client.post('users/me/presence', { status: 'active' });
}

async function addEmoji({ client }: Person, name: string): Promise<void> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(await drawDefaultAvatar(64))]), 'emoji.png');
  const credentials = Buffer.from(`${client.email}:${client.apiKey}`).toString('base64');
  const answer = await fetch(`${client.urls[0]}/api/v1/realm/emoji/${name}`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: form,
  });
  if (!answer.ok) throw new Error(`an emoji was refused: ${await answer.text()}`);
}

/** Members add emoji, which are announced to everybody with their authors. */
export async function addSomeEmoji(world: World, random: SeededRandom): Promise<void> {
  const members = world.people.filter(
    (one) => one.role === 'member' && one.botType === null && one.isActive,
  );
  for (const member of random.sample(members, emojiMakers))
    await addEmoji(member, makeMark(random));
}
