import type { Person, Registered, State, UserGroup } from '../state.ts';
import type { Reducers } from './reducer.ts';

function changePerson({ people }: State, id: number, change: (person: Person) => object): void {
  const person = people.peek().get(id);
  if (person !== undefined)
    people.value = new Map(people.peek()).set(id, { ...person, ...change(person) });
}

function changeGroup(state: State, id: number, change: (group: UserGroup) => UserGroup): void {
  state.groups.value = state.groups
    .peek()
    .map((group) => (group.id === id ? change(group) : group));
}

function withProfileValue(
  person: Person,
  { id, ...given }: { readonly id: number; readonly value: string | null },
): object {
  const { [String(id)]: _, ...others } = 'profile_data' in person ? person.profile_data : {};
  return { profile_data: given.value === null ? others : { ...others, [id]: given } };
}

function changeBots({ rest }: State, realm_bots: Registered['realm_bots']): void {
  rest.value = { ...rest.peek(), realm_bots };
}

/** Reducers of accounts, bots and groups. */
export const peopleReducers = {
  realm_user({ state }, event) {
    const { person } = event;
    const id = person.user_id;
    if (event.op === 'add')
      state.people.value = new Map(state.people.peek()).set(id, {
        ...event.person,
        isActive: true,
      });
    if (event.op === 'remove') changePerson(state, id, () => ({ isActive: false }));
    if (event.op !== 'update') return;
    if ('custom_profile_field' in person) {
      const { custom_profile_field } = person;
      changePerson(state, id, (before) => withProfileValue(before, custom_profile_field));
      return;
    }
    const change = 'new_email' in person ? { email: person.new_email } : person;
    changePerson(state, id, () => change);
    if (id === state.self.peek().user_id) state.self.value = { ...state.self.peek(), ...change };
  },
  realm_bot({ state }, event) {
    const bots = state.rest.peek().realm_bots;
    const { user_id } = event.bot;
    const others = bots.filter((bot) => bot.user_id !== user_id);
    if (event.op === 'add')
      changeBots(state, [...others, { ...event.bot, owner: event.bot.owner ?? null }]);
    else if (event.op === 'update')
      changeBots(
        state,
        bots.map((bot) => (bot.user_id === user_id ? { ...bot, ...event.bot } : bot)),
      );
    else changeBots(state, others);
  },
  user_group({ state }, event) {
    switch (event.op) {
      case 'add':
        state.groups.value = [...state.groups.peek(), event.group];
        break;
      case 'remove':
        state.groups.value = state.groups.peek().filter(({ id }) => id !== event.group_id);
        break;
      case 'update':
        changeGroup(state, event.group_id, (group) => ({ ...group, ...event.data }));
        break;
      default: {
        const ids = new Set(event.user_ids);
        changeGroup(state, event.group_id, (group) => {
          const members = new Set(group.members);
          const changed = event.op === 'add_members' ? members.union(ids) : members.difference(ids);
          return { ...group, members: [...changed] };
        });
      }
    }
  },
  user_status({ state: { statuses } }, { user_id, away, status_text }) {
    const before = statuses.peek().get(user_id);
    const isAway = away ?? before?.away ?? false;
    const text = status_text ?? before?.status_text ?? '';
    statuses.value = new Map(statuses.peek()).set(user_id, {
      ...(isAway && { away: true as const }),
      ...(text !== '' && { status_text: text }),
    });
  },
} satisfies Reducers;
