import { botTypes } from '@parley/api';

import type { NewAccount, NewOrganizationStream } from './organization-maker.ts';

/**
 * The one organization that `npm start` shows, tests use and the load generator writes to. It is invented: a small workshop that builds and
 * repairs boats.
 */
export const demoRealm = {
  name: 'Harbour Workshop',
  stringId: 'parley',
  description: 'We build, mend and rent out small wooden boats.',
} as const;

export const people = {
  maren: 'maren@harbour.example',
  tobias: 'tobias@harbour.example',
  ines: 'ines@harbour.example',
  rahul: 'rahul@harbour.example',
  yuki: 'yuki@harbour.example',
  tide: 'tide-bot@harbour.example',
} as const;

export type PersonName = keyof typeof people;

/** An administrator, three members, a guest, and a bot that the administrator owns. */
export const demoAccounts: readonly NewAccount[] = [
  { email: people.maren, fullName: 'Maren Holt', role: 'administrator' },
  { email: people.tobias, fullName: 'Tobias Lind', role: 'member' },
  { email: people.ines, fullName: 'Inês Duarte', role: 'member' },
  { email: people.rahul, fullName: 'Rahul Menon', role: 'member' },
  { email: people.yuki, fullName: 'Yuki Sato', role: 'guest' },
  { email: people.tide, fullName: 'Tide Bot', botType: botTypes.generic, ownerEmail: people.maren },
];

export type DemoStream = NewOrganizationStream & {
  readonly name: string;
  readonly description: string;
  readonly members: readonly PersonName[];
};

const everybody: readonly PersonName[] = ['maren', 'tobias', 'ines', 'rahul', 'yuki', 'tide'];

export const demoStreams: readonly DemoStream[] = [
  {
    name: 'general',
    description: 'Everything that concerns all of us',
    isDefault: true,
    members: everybody,
  },
  {
    name: 'announcements',
    description: 'News from the office; only administrators write here',
    isAnnouncementOnly: true,
    isDefault: true,
    members: everybody,
  },
  {
    name: 'boatyard',
    description: 'Repairs, materials, who is on which boat',
    members: ['maren', 'tobias', 'ines', 'rahul', 'tide'],
  },
  {
    name: 'rentals',
    description: 'Bookings and customers',
    members: ['maren', 'ines', 'rahul', 'yuki'],
  },
  {
    name: 'kitchen',
    description: 'Lunch',
    members: ['tobias', 'ines', 'rahul'],
  },
  {
    name: 'bookkeeping',
    description: 'Invoices and salaries',
    inviteOnly: true,
    members: ['maren', 'ines'],
  },
];

/** The stream and topic for a first command. */
export const demoExample = { stream: 'general', topic: 'hello' } as const;
