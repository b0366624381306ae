import type { Realm, State } from '../state.ts';
import type { Reducers } from './reducer.ts';

function changeRest({ rest }: State, change: Partial<State['rest']['value']>): void {
  rest.value = { ...rest.peek(), ...change };
}

/** @param data properties under their names in events, without the prefix of those in `register` */
function changeRealm({ rest }: State, data: object): void {
  const named = Object.entries(data).map(([name, value]: [string, unknown]) => [
    `realm_${name}`,
    value,
  ]);
  // Events name the properties that `register` gave, and give values of the same types.
  rest.value = { ...rest.peek(), ...(Object.fromEntries(named) as Partial<Realm>) };
}

/** Reducers of the organization's properties and lists. */
export const organizationReducers = {
  realm({ state }, event) {
    if (event.op === 'update') changeRealm(state, { [event.property]: event.value });
    else if (event.op === 'update_dict') changeRealm(state, event.data);
  },
  realm_emoji({ state }, { realm_emoji }) {
    changeRest(state, { realm_emoji });
  },
  realm_filters({ state }, { realm_filters }) {
    changeRest(state, { realm_filters });
  },
  realm_domains({ state }, event) {
    const changed = event.op === 'remove' ? event.domain : event.realm_domain.domain;
    const others = state.rest.peek().realm_domains.filter(({ domain }) => domain !== changed);
    changeRest(state, {
      realm_domains: event.op === 'remove' ? others : [...others, event.realm_domain],
    });
  },
  custom_profile_fields({ state }, { fields }) {
    changeRest(state, { custom_profile_fields: fields });
  },
} satisfies Reducers;
