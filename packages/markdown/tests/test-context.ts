import type { RenderContext, RenderSettings } from '../src/render-context.ts';

const users = [
  { id: 11, fullName: 'Mara Quist', email: 'mara@chat.example.com' },
  { id: 12, fullName: 'Oleg Tarn', email: 'oleg@chat.example.com' },
  { id: 13, fullName: "Zoë O'Dell", email: 'zoe@chat.example.com' },
  { id: 14, fullName: 'Pat Lee', email: 'pat14@chat.example.com' },
  { id: 15, fullName: 'Pat Lee', email: 'pat15@chat.example.com' },
];
const groups = [
  { id: 5, name: 'night crew' },
  { id: 6, name: 'Ops' },
];
const streams = [
  { id: 21, name: 'garden' },
  { id: 22, name: 'Release Notes' },
  { id: 23, name: 'v1.5 (beta)' },
  { id: 24, name: '日誌' },
];
const emoji = new Map([
  ['party_newt', { id: '3', url: '/user_avatars/1/emoji/images/3.png' }],
  ['rocket', { id: '4', url: '/user_avatars/1/emoji/images/4.gif' }],
]);
const linkifiers = [
  {
    id: 1,
    pattern: String.raw`TKT-(?P<num>\d+)`,
    urlFormat: 'https://bugs.example.org/t/%(num)s',
  },
  {
    id: 2,
    pattern: String.raw`(?P<org>[a-z]+)/(?P<repo>[a-z]+)#(?P<n>\d+)`,
    urlFormat: 'https://git.example.org/%(org)s/%(repo)s/issues/%(n)s',
  },
];

/** The context of the reference cases (reference facts, markdown 19). For tests only. */
export function createTestContext(
  settings: Partial<RenderSettings> = {},
  overrides: Partial<RenderContext> = {},
): RenderContext {
  return {
    realmUri: 'https://chat.example.com',
    usersByName: (name) =>
      users.filter(({ fullName }) => fullName.toLowerCase() === name.toLowerCase()),
    userById: (id) => users.find((user) => user.id === id),
    userByEmail: (email) => users.find((user) => user.email === email),
    hasWildcards: true,
    groupByName: (name) => groups.find((group) => group.name === name),
    streamByName: (name) => streams.find((stream) => stream.name === name),
    realmEmoji: (name) => emoji.get(name),
    linkifiers,
    settings: { inlineImagePreview: true, fileLinks: true, ...settings },
    ...overrides,
  };
}
