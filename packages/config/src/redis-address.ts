/**
 * The forms of `REDIS_URL`: one server, a set of servers watched by sentinels, or a cluster. Faults never repeat a part of the text,
 * because an unencoded password may be anywhere in it.
 */

export type RedisHost = { readonly host: string; readonly port: number };

export type RedisAddress = {
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly tls: boolean;
  /** The name that certificates must have, instead of the connected host's name. */
  readonly servername: string | undefined;
} & (
  | {
      readonly kind: 'single';
      readonly server: RedisHost;
      readonly db: number;
      /** 4 or 6 if only addresses of one kind may be used. */
      readonly family: number | undefined;
    }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly RedisHost[];
      /** The sentinels' name for the set. */
      readonly setName: string;
      readonly db: number;
      readonly sentinelUser: string | undefined;
      readonly sentinelPassword: string | undefined;
      readonly sentinelTls: boolean;
    }
  | { readonly kind: 'cluster'; readonly nodes: readonly RedisHost[] }
);

const forms =
  'redis://HOST, redis+sentinel://HOST,HOST,HOST/NAME or redis+cluster://HOST,HOST,HOST, with rediss for TLS';
const wholePattern =
  /^redis(s?)(?:\+(sentinel|cluster))?:\/\/(?:([^/?#]*)@)?([^/?#@]+)(?:\/([^/?#]*))?(?:\?([^#]*))?$/i;
const hostPattern = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i;
const serverPort = 6379;
const sentinelPort = 26_379;
const portMax = 65_535;

const optionsOfKind = {
  single: ['db', 'family', 'servername', 'tls'],
  sentinel: ['db', 'sentinel_password', 'sentinel_tls', 'sentinel_user', 'servername', 'tls'],
  cluster: ['servername', 'tls'],
} as const;

function decode(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('must have its user and password percent-encoded');
  }
}

function parseHosts(text: string, defaultPort: number): RedisHost[] {
  return text.split(',').map((part) => {
    const match = hostPattern.exec(part);
    const port = match?.[3] === undefined ? defaultPort : Number(match[3]);
    const host = match?.[1] ?? match?.[2];
    if (host === undefined || port < 1 || port > portMax)
      throw new Error('must have hosts as HOST or HOST:PORT, separated by commas');
    return { host, port };
  });
}

function parseOptions(
  text: string | undefined,
  kind: keyof typeof optionsOfKind,
): ReadonlyMap<string, string> {
  const known: readonly string[] = optionsOfKind[kind];
  const options = new Map(new URLSearchParams(text ?? ''));
  if (options.keys().some((name) => !known.includes(name)))
    throw new Error(`may have no other options than ${known.join(', ')} in this form`);
  return options;
}

function parseSwitch(text: string | undefined, name: string): boolean | undefined {
  if (text === undefined) return undefined;
  if (['on', 'true', '1'].includes(text)) return true;
  if (['off', 'false', '0'].includes(text)) return false;
  throw new Error(`must have on or off as its ${name}`);
}

/** @param texts the places where the number may be; several must agree */
function parseDb(...texts: readonly (string | undefined)[]): number {
  const given = [...new Set(texts.filter((text) => text !== undefined && text !== ''))];
  const [text = '0'] = given;
  if (given.length > 1 || !/^\d{1,5}$/.test(text))
    throw new Error('must have a whole number as its database');
  return Number(text);
}

function parseFamily(text: string | undefined): number | undefined {
  if (text === undefined || text === '0') return undefined;
  if (text !== '4' && text !== '6') throw new Error('must have 4 or 6 as its family');
  return Number(text);
}

/**
 * Parses the text of `REDIS_URL`.
 *
 * @throws Error whose message completes "REDIS_URL ..." and contains nothing of the text
 */
export function parseRedisAddress(text: string): RedisAddress {
  const match = wholePattern.exec(text);
  if (match === null) throw new Error(`must be ${forms}`);
  const [, secure = '', form, userInfo, hosts = '', path = '', query] = match;
  const kind = form === undefined ? 'single' : (form.toLowerCase() as 'sentinel' | 'cluster');
  const options = parseOptions(query, kind);
  const colon = userInfo?.indexOf(':') ?? -1;
  const tls = parseSwitch(options.get('tls'), 'tls');
  if (tls === false && secure !== '') throw new Error('must not be rediss with tls=off');
  const access = {
    user: decode(colon < 0 ? userInfo : userInfo?.slice(0, colon)),
    password: decode(colon < 0 ? undefined : userInfo?.slice(colon + 1)),
    tls: secure !== '' || tls === true,
    servername: options.get('servername'),
  };
  switch (kind) {
    case 'single': {
      const [server, ...others] = parseHosts(hosts, serverPort);
      if (server === undefined || others.length > 0)
        throw new Error(`must name one host, or be ${forms}`);
      const family = parseFamily(options.get('family'));
      return { ...access, kind, server, db: parseDb(path, options.get('db')), family };
    }
    case 'sentinel': {
      const setName = decode(path);
      if (setName === undefined)
        throw new Error('must end with the name of the set: redis+sentinel://HOST,HOST,HOST/NAME');
      return {
        ...access,
        kind,
        sentinels: parseHosts(hosts, sentinelPort),
        setName,
        db: parseDb(options.get('db')),
        sentinelUser: options.get('sentinel_user'),
        sentinelPassword: options.get('sentinel_password'),
        sentinelTls: parseSwitch(options.get('sentinel_tls'), 'sentinel_tls') ?? access.tls,
      };
    }
    case 'cluster':
      if (path !== '' && path !== '0')
        throw new Error('must not name a database: a cluster has only one');
      return { ...access, kind, nodes: parseHosts(hosts, serverPort) };
  }
}
