import { domainToASCII } from 'node:url';

/** What `domainToASCII` reads as the end of the domain, or decodes, as if it were in the address of a page. */
const syntaxOfPages = /[/?#%]/;

function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  const localPart = email.slice(0, at).replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const ascii = syntaxOfPages.test(domain) ? '' : domainToASCII(domain);
  return `${localPart}@${ascii || domain}`;
}

/**
 * Whether mail to two addresses reaches the same person: their local parts differ in the case of ASCII letters at most, and their domains are
 * one in the form that is looked up. Two addresses that are equal for `foldName` need not be: only one of them may have an account, but nobody
 * proves to be its owner by the other (decision 0061).
 */
export function isSameMailbox(one: string, other: string): boolean {
  return one === other || mailboxOf(one) === mailboxOf(other);
}
