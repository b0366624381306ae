/** What is said of a person in lists and on the card. */
import { findName, presenceOfPerson } from '../../data/people-names.ts';
import type { Person, Presence, State } from '../../data/state.ts';
import { texts } from '../../texts.ts';

const t = texts.people;

export function roleOf({ is_admin, is_guest }: Person): 'administrator' | 'member' | 'guest' {
  if (is_admin) return 'administrator';
  return is_guest ? 'guest' : 'member';
}

/** @returns the name of a person who is perhaps no longer known */
export function nameOfPerson(id: number | null, state: State): string {
  return (id === null ? undefined : findName(state, id)) ?? texts.compose.unknownPerson;
}

/** @returns what a bot is, or the role of a person */
export function describeKind(person: Person, state: State): string {
  if (!person.isActive) return t.deactivated;
  if (!person.is_bot) return t[roleOf(person)];
  const owner = 'bot_owner_id' in person ? person.bot_owner_id : null;
  return owner === null ? t.bot : t.botOf(nameOfPerson(owner, state));
}

/** @returns the real address, if it may be seen; of others the one that the organization shows */
export function addressOfPerson(person: Person): string {
  return ('delivery_email' in person ? person.delivery_email : undefined) ?? person.email;
}

/** @returns the value of a custom profile field as the server has it; empty without one */
export function profileValueOf(fieldId: number, person: Person | undefined): string {
  if (person === undefined || !('profile_data' in person)) return '';
  return person.profile_data[String(fieldId)]?.value ?? '';
}

/** Away is what people say of themselves; the rest is what their clients report. */
export type Availability = Presence['status'] | 'away';

export function availabilityOf(person: Person, state: State): Availability {
  if (state.statuses.value.get(person.user_id)?.away === true) return 'away';
  return presenceOfPerson(state, person.user_id);
}

export function describePresence(person: Person, state: State): string {
  const availability = availabilityOf(person, state);
  const seen = state.presences.value.get(person.email)?.timestamp;
  return availability === 'offline' && seen !== undefined
    ? t.lastSeen(new Date(seen * 1000).toLocaleString())
    : { ...texts.presence, away: t.away }[availability];
}
