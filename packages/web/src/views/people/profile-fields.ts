/** What the data of custom profile fields mean, which are JSON texts. */
import type { Person, Registered, State } from '../../data/state.ts';

export type ProfileField = Registered['custom_profile_fields'][number];

/** Of the types of a field, those that are treated apart. */
export const fieldTypes = { longText: 2, choice: 3, date: 4, link: 5, people: 6, account: 7 };

type Options = Readonly<Record<string, { readonly text: string; readonly order: string }>>;
type Account = { readonly subtype: string; readonly url_pattern?: string };

/** @returns values and texts of a list of options, in their order */
export function optionsOf({ type, field_data }: ProfileField): readonly [string, string][] {
  if (type !== fieldTypes.choice) return [];
  return Object.entries(JSON.parse(field_data) as Options)
    .toSorted(([, one], [, other]) => Number(one.order) - Number(other.order))
    .map(([value, { text }]) => [value, text]);
}

/** @returns the account elsewhere that a field is about */
export function accountOf({ type, field_data }: ProfileField): Account | undefined {
  return type === fieldTypes.account ? (JSON.parse(field_data) as Account) : undefined;
}

/** @returns the ids of the people that a field's value names */
export function idsIn(value: string): readonly number[] {
  return value === '' ? [] : (JSON.parse(value) as readonly number[]);
}

/** @returns the value of a custom profile field as the server has it; empty without one */
export function profileValueOf(fieldId: number, person: Person | undefined): string {
  if (person === undefined || !('profile_data' in person)) return '';
  return person.profile_data[String(fieldId)]?.value ?? '';
}

/** @returns where a value leads, if its field is a link or an account elsewhere */
export function addressIn(field: ProfileField, value: string, state: State): string | undefined {
  const account = accountOf(field);
  const known = account && state.rest.value.realm_default_external_accounts[account.subtype];
  const address = (account?.url_pattern ?? known?.url_pattern)?.replace(
    '%(username)s',
    encodeURIComponent(value),
  );
  const found = field.type === fieldTypes.link ? value : address;
  return found !== undefined && /^https?:\/\//i.test(found) ? found : undefined;
}
