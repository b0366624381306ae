import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { withoutCode } from '@parley/api';
import type { RealmSettings } from '@parley/api/organization';
import type { Queryable } from '@parley/database';
import { listDomains } from '@parley/store';

/** The permitted addresses of accounts (reference facts, people 7.3). */

// One at sign, something before it, and a domain with a dot or a bare host name such as localhost.
const emailShape = /^[^\s@"<>(),:;[\]\\]+@[^\s@"<>(),:;[\]\\.]+(?:\.[^\s@"<>(),:;[\]\\.]+)*$/;

/** Control and similar characters, and the replacement for undecodable bytes. */
const notAText = /[\p{C}\uFFFD]/u;

/** RFC 5321: a path of 256 characters holds an address of 254; longer ones do not fit an index either. */
const emailMaxLength = 254;

/** @returns whether a text is shaped like an address that mail could go to */
export function isEmailShaped(email: string): boolean {
  return email.length <= emailMaxLength && !notAText.test(email) && emailShape.test(email);
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

/** A domain whose addresses an organization admits. */
export type AdmittedDomain = { readonly domain: string; readonly allowSubdomains: boolean };

function isAdmitted(domain: string, admitted: readonly AdmittedDomain[]): boolean {
  return admitted.some(
    (entry) =>
      domain === entry.domain.toLowerCase() ||
      (entry.allowSubdomains && domain.endsWith(`.${entry.domain.toLowerCase()}`)),
  );
}

let disposable: ReadonlySet<string> | undefined;

/** Some hundred thousand domains, so they are read only when the first account is created. */
function disposableDomains(): ReadonlySet<string> {
  disposable ??= new Set(
    JSON.parse(
      readFileSync(createRequire(import.meta.url).resolve('disposable-email-domains'), 'utf8'),
    ) as string[],
  );
  return disposable;
}

/** Reads the list of disposable domains. It takes long, so whoever judges an address in a transaction calls this before. */
export function prepareEmailRules(): void {
  disposableDomains();
}

/** Why an organization does not admit an address. */
export type EmailFault = 'outside domain' | 'plus' | 'disposable';

type EmailSettings = Pick<
  RealmSettings,
  'emails_restricted_to_domains' | 'disallow_disposable_email_addresses'
>;

/**
 * Finds out whether the organization admits an address.
 *
 * @param admitted domains, when the organization is restricted to some
 * @returns the first fault in the order of the reference facts, people 7.3
 */
export function findEmailFault(
  email: string,
  settings: EmailSettings,
  admitted: readonly AdmittedDomain[],
): EmailFault | undefined {
  const domain = domainOf(email);
  if (settings.emails_restricted_to_domains) {
    if (!isAdmitted(domain, admitted)) return 'outside domain';
    return email.includes('+') ? 'plus' : undefined;
  }
  const isRefused = settings.disallow_disposable_email_addresses && disposableDomains().has(domain);
  return isRefused ? 'disposable' : undefined;
}

/** @returns the domains to which addresses are restricted; none if they are not */
export async function listAdmittedDomains(
  db: Queryable,
  settings: EmailSettings,
): Promise<AdmittedDomain[]> {
  return settings.emails_restricted_to_domains ? listDomains(db) : [];
}

/**
 * Refuses addresses of new people that the organization does not admit.
 *
 * @throws ApiError without code (reference facts, people 7.3)
 */
export function checkAdmitted(
  email: string,
  settings: EmailSettings,
  admitted: readonly AdmittedDomain[],
): void {
  const fault = findEmailFault(email, settings, admitted);
  if (fault === 'outside domain')
    throw withoutCode(`Email '${email}' not allowed in this organization`);
  if (fault === 'plus') throw withoutCode('Email addresses containing + are not allowed.');
  if (fault === 'disposable')
    throw withoutCode('Disposable email addresses are not allowed in this organization');
}
