import { userSettings } from './user-settings.ts';
import type { User } from './users.ts';

/** The tips of the tour that clients show to new people (reference facts, events 4, 14.3 and 15.6). */

type Tip = { readonly name: string; readonly title: string; readonly description: string };

/** In the order of display. */
const tips: readonly Tip[] = [
  { name: 'intro_reply', title: 'Reply', description: 'Click on a message to answer it.' },
  {
    name: 'intro_streams',
    title: 'Streams',
    description: 'All subscribers of a stream get what is sent to it. Choose one to catch up.',
  },
  {
    name: 'intro_topics',
    title: 'Topics',
    description:
      'Each message in a stream has a topic, so that conversations stay apart and you can join one later.',
  },
  {
    name: 'intro_gear',
    title: 'Settings',
    description: 'Choose here how you are notified and how things look.',
  },
  {
    name: 'intro_compose',
    title: 'Compose',
    description: 'Begin a conversation here, with a topic of two or three words.',
  },
];

/** The time for which clients wait before they show a tip. */
const delaySecs = 0.5;

export type Hotspot = Tip & { readonly delay: number };

/** @returns whether there is a tip with this name */
export function isHotspot(name: string): boolean {
  return tips.some((tip) => tip.name === name);
}

/** @returns a list of the next tip that an account has not seen; empty after the last, and for bots */
export function nextHotspots(user: Pick<User, 'botType' | 'settings'>): Hotspot[] {
  if (user.botType !== null) return [];
  const { seen_hotspots: seen } = userSettings(user);
  const next = tips.find(({ name }) => !seen.includes(name));
  return next === undefined ? [] : [{ ...next, delay: delaySecs }];
}
