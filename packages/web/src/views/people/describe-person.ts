/** What is said of a person in lists and on the card. */
import { availabilityOf } from '../../data/presence.ts';
import type { Person, State } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { nameOf } from '../parts/names.ts';
import { formatLongMoment } from '../parts/time.ts';

const t = texts.people;

export function roleOf({ is_admin, is_guest }: Person): 'administrator' | 'member' | 'guest' {
  if (is_admin) return 'administrator';
  return is_guest ? 'guest' : 'member';
}

/** @returns what a bot is, or the role of a person */
export function describeKind(person: Person, state: State): string {
  if (!person.isActive) return t.deactivated;
  if (!person.is_bot) return t[roleOf(person)];
  const owner = 'bot_owner_id' in person ? person.bot_owner_id : null;
  return owner === null ? t.bot : t.botOf(nameOf(state, owner));
}

/** @returns the real address, if it may be seen; of others the one that the organization shows */
export function addressOfPerson(person: Person): string {
  return ('delivery_email' in person ? person.delivery_email : undefined) ?? person.email;
}

export function describePresence(person: Person, state: State): string {
  const availability = availabilityOf(state, person.user_id);
  const seen = state.reported.value.get(person.email)?.timestamp;
  return availability === 'offline' && seen !== undefined
    ? t.lastSeen(formatLongMoment(seen, state.settings.value))
    : texts.presence[availability];
}
