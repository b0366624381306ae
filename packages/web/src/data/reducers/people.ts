import { ascending, partnersOf } from '../narrow.ts';
import type { Person, State, UserGroup } from '../state.ts';
import { changeIn, changeRest, putIn, removeFrom } from './change.ts';
import type { AppliedEvent, Kept, Reducers } from './reducer.ts';

type PersonEvent = Extract<AppliedEvent, { readonly type: 'realm_user' }>;
type PersonChange = Extract<PersonEvent, { readonly op: 'update' }>['person'];

/** Presence is known by address. */
function renamePresence({ reported }: State, from: string | undefined, to: string): void {
  const entry = from === undefined ? undefined : reported.peek().get(from);
  if (from === undefined || entry === undefined) return;
  removeFrom(reported, [from]);
  putIn(reported, [[to, entry]]);
}

function changeField(
  person: Person,
  field: { readonly id: number; readonly value: string | null },
) {
  if (person.is_bot) return person;
  const { [field.id]: _, ...others } = person.profile_data;
  const { value, ...rendered } = { rendered_value: undefined, ...field };
  const kept = value === null ? {} : { [field.id]: { value, ...rendered } };
  return { ...person, profile_data: { ...others, ...kept } } as Person;
}

function applyPersonChange({ state, lists }: Kept, change: PersonChange): void {
  const { user_id } = change;
  if ('custom_profile_field' in change) {
    changeIn(state.people, [user_id], (person) => changeField(person, change.custom_profile_field));
    return;
  }
  const { new_email, ...others } = { new_email: undefined, ...change };
  const members = new_email === undefined ? others : { ...others, email: new_email };
  if (new_email !== undefined)
    renamePresence(state, state.people.peek().get(user_id)?.email, new_email);
  changeIn(state.people, [user_id], (person) => ({ ...person, ...members }));
  if (user_id === state.self.peek().user_id) changeRest(state, members);
  const shown = {
    ...('full_name' in change && { sender_full_name: change.full_name }),
    ...('avatar_url' in change && { avatar_url: change.avatar_url }),
  };
  if (Object.keys(shown).length > 0)
    lists.store.updateWhere(
      ({ sender_id }) => sender_id === user_id,
      (message) => ({ ...message, ...shown }),
    );
}

/** Reducers of people, bots, groups, presence, status and typing. */
export const peopleReducers = {
  realm_user(kept, event) {
    const { state } = kept;
    if (event.op === 'update') applyPersonChange(kept, event.person);
    else if (event.op === 'add')
      putIn(state.people, [[event.person.user_id, { ...event.person, isActive: true }]]);
    else
      changeIn(state.people, [event.person.user_id], (person) => ({ ...person, isActive: false }));
  },
  realm_bot({ state }, event) {
    const bots = state.rest.peek().realm_bots;
    const { user_id } = event.bot;
    const others = bots.filter((bot) => bot.user_id !== user_id);
    if (event.op === 'delete') changeRest(state, { realm_bots: others });
    else if (event.op === 'add')
      changeRest(state, {
        realm_bots: [...others, { ...event.bot, owner: event.bot.owner ?? null }],
      });
    else {
      const change = event.op === 'remove' ? { is_active: false } : event.bot;
      changeRest(state, {
        realm_bots: bots.map((bot) => (bot.user_id === user_id ? { ...bot, ...change } : bot)),
      });
    }
  },
  user_group({ state }, event) {
    const groups = state.rest.peek().realm_user_groups;
    const change = (group: UserGroup): readonly UserGroup[] => {
      if (event.op === 'add' || group.id !== event.group_id) return [group];
      if (event.op === 'remove') return [];
      if (event.op === 'update') return [{ ...group, ...event.data }];
      const members = new Set(group.members);
      const changed = new Set(event.user_ids);
      const left =
        event.op === 'add_members' ? members.union(changed) : members.difference(changed);
      return [{ ...group, members: [...ascending(left)] }];
    };
    const added = event.op === 'add' ? [event.group] : [];
    changeRest(state, { realm_user_groups: [...groups.flatMap(change), ...added] });
  },
  presence({ state: { reported } }, { email, presence }) {
    const reports = [reported.peek().get(email), ...Object.values(presence)];
    const newest = reports
      .filter((report) => report !== undefined)
      .reduce((one, other) => (other.timestamp >= one.timestamp ? other : one));
    putIn(reported, [[email, newest]]);
  },
  user_status({ state: { statuses } }, { user_id, away, status_text }) {
    const known = { ...statuses.peek().get(user_id) };
    const isAway = away ?? known.away ?? false;
    const text = status_text ?? known.status_text ?? '';
    const status = {
      ...(isAway && { away: true as const }),
      ...(text !== '' && { status_text: text }),
    };
    putIn(statuses, [[user_id, status]]);
  },
  typing({ state, typing }, { op, sender, recipients }) {
    const everybody = recipients.map(({ user_id }) => user_id);
    const userIds = partnersOf(everybody, state.self.peek().user_id);
    typing.receive(op, { type: 'private', userIds }, sender.user_id);
  },
} satisfies Reducers;
