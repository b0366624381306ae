/**
 * The form of `PARLEY_OIDC_PROVIDERS`: a JSON list of OpenID providers. Faults name the provider and the member, and never repeat a value,
 * because one of them is a secret.
 */
import { Secret } from './secret.ts';

/** A role that groups at a provider give. */
export type ProvidedRole = 'administrator' | 'member' | 'guest';

export type IdentityProviderConfig = {
  /** In addresses, and in the database; it must stay the same. */
  readonly id: string;
  /** What people read on the button. */
  readonly name: string;
  readonly icon: string | undefined;
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: Secret | undefined;
  /** Separated by spaces. */
  readonly scopes: string;
  /** Whether its word about addresses is believed: it finds accounts by them, and makes accounts. */
  readonly isTrusted: boolean;
  /** The claim by which it says that an address is verified. */
  readonly emailVerifiedClaim: string;
  /** Whether it makes accounts although the organization requires invitations. */
  readonly makesAccounts: boolean;
  /** Undefined if groups at the provider mean nothing here. */
  readonly groupsClaim: string | undefined;
  /** The roles of groups; empty without `groupsClaim`. */
  readonly roles: Readonly<Record<string, ProvidedRole>>;
};

const providersMax = 20;
const rolesMax = 200;
const textMaxLength = 500;

const roleNames: readonly ProvidedRole[] = ['administrator', 'member', 'guest'];

type Members = Readonly<Record<string, unknown>>;

const knownMembers = new Set([
  'id',
  'name',
  'icon',
  'issuer',
  'client_id',
  'client_secret',
  'scopes',
  'trusted',
  'email_verified_claim',
  'makes_accounts',
  'groups_claim',
  'roles',
]);

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the members of one provider. */
class ProviderReader {
  readonly #members: Members;
  readonly #label: string;

  constructor(members: Members, label: string) {
    this.#members = members;
    this.#label = label;
  }

  fault(member: string, rule: string): Error {
    return new Error(`must have in ${this.#label} ${member} ${rule}`);
  }

  optionalText(member: string): string | undefined {
    const value = this.#members[member];
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value.trim() === '' || value.length > textMaxLength)
      throw this.fault(member, `as a text of 1 to ${textMaxLength} characters`);
    if (/\p{Cc}/u.test(value)) throw this.fault(member, 'without control characters');
    return value;
  }

  text(member: string): string {
    const value = this.optionalText(member);
    if (value === undefined) throw this.fault(member, `as a text`);
    return value;
  }

  flag(member: string): boolean {
    const value = this.#members[member] ?? false;
    if (typeof value !== 'boolean') throw this.fault(member, 'as true or false');
    return value;
  }

  roles(): Readonly<Record<string, ProvidedRole>> {
    const given = this.#members['roles'] ?? {};
    if (!isObject(given) || Object.keys(given).length > rolesMax)
      throw this.fault('roles', `as an object of at most ${rolesMax} groups`);
    return Object.fromEntries(
      Object.entries(given).map(([group, role]) => {
        const known = roleNames.find((each) => each === role);
        if (known === undefined)
          throw this.fault('roles', `with one of ${roleNames.join(', ')} for each group`);
        return [group, known];
      }),
    );
  }
}

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The issuer is the beginning of the address where the provider describes itself (OpenID Connect Discovery 1.0, 4). */
function checkIssuer(reader: ProviderReader): string {
  const issuer = reader.text('issuer');
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isSecure =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackHosts.has(url.hostname));
  if (url === undefined || !isSecure || url.search + url.hash + url.username + url.password !== '')
    throw reader.fault('issuer', 'as an https address without query (http only on this machine)');
  return issuer;
}

function readProvider(members: unknown, number: number): IdentityProviderConfig {
  if (!isObject(members)) throw new Error('must be a JSON list of objects');
  const reader = new ProviderReader(members, `provider ${number}`);
  const unknown = Object.keys(members).find((member) => !knownMembers.has(member));
  if (unknown !== undefined)
    throw new Error(
      `must not have in provider ${number} other members than ${[...knownMembers].join(', ')}`,
    );
  const id = reader.text('id');
  if (!/^[a-z][a-z0-9-]{0,29}$/.test(id))
    throw reader.fault('id', 'of 1 to 30 small letters, digits and -, with a letter first');
  const icon = reader.optionalText('icon');
  if (icon !== undefined && !(URL.canParse(icon) && new URL(icon).protocol === 'https:'))
    throw reader.fault('icon', 'as an https address');
  const secret = reader.optionalText('client_secret');
  const scopes = reader.optionalText('scopes') ?? 'openid email profile';
  if (!scopes.split(' ').includes('openid')) throw reader.fault('scopes', 'with openid among them');
  const groupsClaim = reader.optionalText('groups_claim');
  const roles = reader.roles();
  if ((groupsClaim === undefined) !== (Object.keys(roles).length === 0))
    throw reader.fault('groups_claim', 'and roles together, or neither');
  return {
    id,
    name: reader.text('name'),
    icon,
    issuer: checkIssuer(reader),
    clientId: reader.text('client_id'),
    clientSecret: secret === undefined ? undefined : new Secret(secret),
    scopes,
    isTrusted: reader.flag('trusted'),
    emailVerifiedClaim: reader.optionalText('email_verified_claim') ?? 'email_verified',
    makesAccounts: reader.flag('makes_accounts'),
    groupsClaim,
    roles,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The fault of the parser quotes the text.
    throw new Error('must be a JSON list');
  }
}

/**
 * Parses the text of `PARLEY_OIDC_PROVIDERS`.
 *
 * @throws Error whose message completes "PARLEY_OIDC_PROVIDERS ..." and contains no value of the text
 */
export function parseIdentityProviders(text: string): readonly IdentityProviderConfig[] {
  const given = parseJson(text);
  if (!Array.isArray(given) || given.length > providersMax)
    throw new Error(`must be a JSON list of at most ${providersMax} providers`);
  const providers = given.map((members, index) => readProvider(members, index + 1));
  for (const member of ['id', 'issuer'] as const)
    if (new Set(providers.map((provider) => provider[member])).size < providers.length)
      throw new Error(`must have another ${member} in each provider`);
  return providers;
}
