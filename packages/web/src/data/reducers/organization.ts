import type { Registered, State } from '../state.ts';
import type { Reducers } from './reducer.ts';

function changeRest(state: State, change: Partial<Registered>): void {
  state.rest.value = { ...state.rest.peek(), ...change };
}

/** The organization's properties have a prefix in the state, and none in events. */
function changeRealm({ realm }: State, change: object): void {
  const named = Object.entries(change).map(([name, value]) => [`realm_${name}`, value] as const);
  realm.value = { ...realm.peek(), ...Object.fromEntries(named) };
}

/** Reducers of the organization and of the person's own settings. */
export const organizationReducers = {
  realm({ state }, event) {
    if (event.op === 'update') changeRealm(state, { [event.property]: event.value });
    if (event.op === 'update_dict') changeRealm(state, event.data);
  },
  realm_emoji({ state }, { realm_emoji }) {
    changeRest(state, { realm_emoji });
  },
  realm_filters({ state }, { realm_filters }) {
    changeRest(state, { realm_filters });
  },
  realm_domains({ state }, event) {
    const name = event.op === 'remove' ? event.domain : event.realm_domain.domain;
    const others = state.rest.peek().realm_domains.filter(({ domain }) => domain !== name);
    const changed = event.op === 'remove' ? [] : [event.realm_domain];
    changeRest(state, { realm_domains: [...others, ...changed] });
  },
  custom_profile_fields({ state }, { fields }) {
    changeRest(state, { custom_profile_fields: fields });
  },
  default_streams({ state }, { default_streams }) {
    changeRest(state, { realm_default_streams: default_streams });
  },
  alert_words({ state }, { alert_words }) {
    state.alertWords.value = alert_words;
  },
  update_display_settings({ state: { settings } }, { setting_name, setting }) {
    settings.value = { ...settings.peek(), [setting_name]: setting };
  },
  update_global_notifications({ state: { settings } }, { notification_name, setting }) {
    settings.value = { ...settings.peek(), [notification_name]: setting };
  },
} satisfies Reducers;
