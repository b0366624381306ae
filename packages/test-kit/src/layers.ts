/**
 * What one layer consists of: packages, and folders of packages that have a place of their own, such as `auth/secrets`. Each is listed with
 * those of the same layer, or of closed ones, that it may import beside all lower layers.
 */
export type Layer = {
  readonly name: string;
  readonly rooms: Readonly<Record<string, readonly string[]>>;
};

/**
 * The table of what may import what, from the lowest layer up (architecture, Layers). A room is a package, or a folder of one; a package is
 * what no folder of it in this table has. Nothing imports a higher layer, and only `tests/` and the command that runs them import services:
 * services communicate through links, the database and the event log.
 */
export const layers: readonly Layer[] = [
  {
    name: 'what stands alone',
    rooms: {
      api: [],
      'api/notification-rules': ['api'],
      'api/scim-language': ['api'],
      clock: [],
      config: [],
      client: ['api'],
      'launcher/local-stores': ['clock'],
    },
  },
  {
    name: 'mechanisms',
    rooms: {
      'telemetry/logging': [],
      'telemetry/tracing': [],
      'auth/identity': [],
      'auth/secrets': [],
      'auth/openid': [],
      markdown: [],
      files: [],
      'files/images': [],
      'outgoing/mail': ['auth/secrets'],
      'cluster/redis': ['telemetry/logging'],
      'server/compression': [],
      'server/links': ['auth/identity'],
      database: ['telemetry/tracing'],
      launcher: [],
    },
  },
  {
    name: 'the log, and processes that serve',
    rooms: { 'event-log': [], 'cluster/placement': [], server: ['event-log', 'cluster/placement'] },
  },
  {
    name: 'what is stored, and who may do what',
    rooms: {
      outgoing: [],
      store: [],
      'store/access': ['store'],
      'store/objects': ['store'],
      'store/presence-state': ['store'],
      'outgoing/jobs': ['store', 'outgoing'],
    },
  },
  {
    name: 'operations that services and the command share',
    rooms: { composing: [], people: ['composing'], 'history-import': ['composing', 'people'] },
  },
  {
    name: 'services',
    rooms: {
      gateway: [],
      messages: [],
      subscriptions: [],
      'people-service': [],
      presence: [],
      events: [],
    },
  },
  {
    name: 'tools',
    rooms: {
      // `parley serve` runs them.
      command: ['gateway', 'messages', 'subscriptions', 'people-service', 'presence', 'events'],
      demo: [],
      'test-kit': ['demo'],
      web: [],
    },
  },
];

/** Layers that only `tests/` imports, and who names their rooms. */
export const closedLayers: readonly string[] = ['services'];

/** Libraries that only these rooms import. */
export const libraryHomes: Readonly<Record<string, readonly string[]>> = {
  express: ['gateway', 'server'],
  ioredis: ['cluster/redis'],
  nodemailer: ['outgoing/mail'],
  'openid-client': ['auth/openid'],
  'web-push': ['outgoing/jobs'],
};
