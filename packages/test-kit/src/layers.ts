/** Packages of one layer, each with the packages of the same layer, or of closed ones, that it may import beside all other lower layers. */
export type Layer = {
  readonly name: string;
  readonly packages: Readonly<Record<string, readonly string[]>>;
};

/**
 * The table of which package may import which, from the lowest layer up (architecture, Layers). No package imports a higher layer, and only
 * `tests/` and the command that runs them import services: services communicate through links, the database and the event log.
 */
export const layers: readonly Layer[] = [
  {
    name: 'what stands alone',
    packages: {
      api: [],
      clock: [],
      config: [],
      client: ['api'],
      'notification-rules': ['api'],
      'local-stores': ['clock'],
    },
  },
  {
    name: 'mechanisms',
    packages: {
      logging: [],
      tracing: [],
      compression: [],
      identity: [],
      secrets: [],
      scim: [],
      markdown: [],
      images: [],
      files: [],
      mail: ['secrets'],
      openid: [],
      redis: ['logging'],
      links: ['identity'],
      database: ['tracing'],
      launcher: [],
    },
  },
  {
    name: 'the log, and processes that serve',
    packages: { 'event-log': [], placement: [], server: ['event-log', 'placement'] },
  },
  {
    name: 'what is stored, and who may do what',
    packages: {
      outgoing: [],
      store: [],
      access: ['store'],
      jobs: ['store', 'outgoing'],
      'presence-state': ['store'],
      objects: ['store'],
    },
  },
  {
    name: 'operations that services and the command share',
    packages: { composing: [], people: ['composing'], 'history-import': ['composing', 'people'] },
  },
  {
    name: 'services',
    packages: {
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
    packages: {
      // `parley serve` runs them.
      command: ['gateway', 'messages', 'subscriptions', 'people-service', 'presence', 'events'],
      demo: [],
      'test-kit': ['demo'],
      web: [],
    },
  },
];

/** Layers that only `tests/` imports, and who names their packages. */
export const closedLayers: readonly string[] = ['services'];

/** Libraries that only these packages declare. */
export const libraryHomes: Readonly<Record<string, readonly string[]>> = {
  express: ['gateway', 'server'],
  ioredis: ['redis'],
  nodemailer: ['mail'],
  'openid-client': ['openid'],
  'web-push': ['jobs'],
};
