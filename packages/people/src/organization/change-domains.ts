import { lockAdministrator } from '@parley/store/access';
import { limits, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import type { ApiEvent } from '@parley/api/events';
import type { Client } from '@parley/database';
import { realmDomainJson } from '@parley/store/objects';
import {
  deleteDomain,
  insertDomain,
  listDomains,
  lockRealmForChange,
  updateDomain,
  updateRealm,
} from '@parley/store';
import type { Realm } from '@parley/store';

import { entryForEveryone, toEveryone } from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';
import { checkDomain, canonicalDomain } from './domain-rules.ts';

/** Changes of the organization's domains, with events for everybody (reference facts, people 14.2; events 14.2). */

async function change<Result>(
  context: PeopleContext,
  caller: Caller,
  work: (
    client: Client,
    realm: Realm,
  ) => Promise<{ readonly result: Result; readonly events: readonly ApiEvent[] }>,
): Promise<Result> {
  return context.eventLog.transaction(async (client) => {
    const realm = await lockRealmForChange(client);
    await lockAdministrator(client, caller);
    const { result, events } = await work(client, realm);
    return { result, append: { entries: [entryForEveryone(events.map(toEveryone))] } };
  });
}

function noEntry(domain: string): Error {
  return withoutCode(`No entry found for domain ${domain}.`);
}

/**
 * @returns id and name of the new domain
 * @throws ApiError without a code for an invalid or existing domain
 */
export async function addDomain(
  context: PeopleContext,
  caller: Caller,
  given: { readonly domain: string; readonly allowSubdomains: boolean },
): Promise<readonly [id: number, domain: string]> {
  const name = checkDomain(given.domain);
  return change(context, caller, async (client) => {
    if ((await listDomains(client)).length >= limits.realmDomainsMax)
      throw withoutCode(`There may be at most ${limits.realmDomainsMax} domains.`);
    const domain = await insertDomain(client, { ...given, domain: name });
    if (domain === undefined)
      throw withoutCode(`The domain ${name} is already a part of your organization.`);
    return {
      result: [domain.id, domain.domain] as const,
      events: [{ type: 'realm_domains', op: 'add', realm_domain: realmDomainJson(domain) }],
    };
  });
}

/** @throws ApiError without code when there is no such domain */
export async function changeDomain(
  context: PeopleContext,
  caller: Caller,
  given: { readonly domain: string; readonly allowSubdomains: boolean },
): Promise<void> {
  await change(context, caller, async (client) => {
    const domain = await updateDomain(client, { ...given, domain: canonicalDomain(given.domain) });
    if (domain === undefined) throw noEntry(given.domain);
    return {
      result: undefined,
      events: [{ type: 'realm_domains', op: 'change', realm_domain: realmDomainJson(domain) }],
    };
  });
}

/**
 * Removes a domain. Without any, the restriction to domains would admit nobody, so it ends with the last one.
 *
 * @throws ApiError without code when there is no such domain
 */
export async function removeDomain(
  context: PeopleContext,
  caller: Caller,
  written: string,
): Promise<void> {
  const domain = canonicalDomain(written);
  await change(context, caller, async (client, realm) => {
    if (!(await deleteDomain(client, domain))) throw noEntry(written);
    const removed: ApiEvent = { type: 'realm_domains', op: 'remove', domain };
    const isLast = (await listDomains(client)).length === 0;
    if (!isLast || !realm.settings.emails_restricted_to_domains)
      return { result: undefined, events: [removed] };
    await updateRealm(client, { settings: { emails_restricted_to_domains: false } });
    const unrestricted: ApiEvent = {
      type: 'realm',
      op: 'update',
      property: 'emails_restricted_to_domains',
      value: false,
    };
    return { result: undefined, events: [unrestricted, removed] };
  });
}
