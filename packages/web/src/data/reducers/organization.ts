import type { Rest, State } from '../state.ts';
import { changeRest } from './change.ts';
import type { Reducers } from './reducer.ts';

/** @param data properties under their names in events, without the prefix of those in `register`, whose values have the same types */
function changeRealm(state: State, data: object): void {
  const named = Object.entries(data).map(([name, value]: [string, unknown]) => [
    `realm_${name}`,
    value,
  ]);
  changeRest(state, Object.fromEntries(named) as Partial<Rest>);
}

function noteListChange({ listsVersion }: State): void {
  listsVersion.value += 1;
}

/** Reducers of the organization's properties and lists, and of the person's own. */
export const organizationReducers = {
  realm({ state }, event) {
    if (event.op === 'update') changeRealm(state, { [event.property]: event.value });
    else if (event.op === 'update_dict') changeRealm(state, event.data);
  },
  realm_emoji: ({ state }, { realm_emoji }) => changeRest(state, { realm_emoji }),
  realm_filters: ({ state }, { realm_filters }) => changeRest(state, { realm_filters }),
  realm_domains({ state }, event) {
    const changed = event.op === 'remove' ? event.domain : event.realm_domain.domain;
    const others = state.rest.peek().realm_domains.filter(({ domain }) => domain !== changed);
    changeRest(state, {
      realm_domains: event.op === 'remove' ? others : [...others, event.realm_domain],
    });
  },
  custom_profile_fields: ({ state }, { fields }) =>
    changeRest(state, { custom_profile_fields: fields }),
  default_streams: ({ state }, { default_streams }) =>
    changeRest(state, { realm_default_streams: default_streams }),
  default_stream_groups: ({ state }, { default_stream_groups }) =>
    changeRest(state, { realm_default_stream_groups: default_stream_groups }),
  invites_changed: ({ state }) => noteListChange(state),
  realm_export: ({ state }) => noteListChange(state),
  alert_words: ({ state }, { alert_words }) => changeRest(state, { alert_words }),
  update_display_settings: ({ state }, { setting_name, setting }) =>
    changeRest(state, { [setting_name]: setting }),
  update_global_notifications: ({ state }, { notification_name, setting }) =>
    changeRest(state, { [notification_name]: setting }),
  drafts({ state }, event) {
    const { drafts } = state.rest.peek();
    const changed = event.op === 'add' ? event.drafts : event.op === 'update' ? [event.draft] : [];
    const ids = new Set(event.op === 'remove' ? [event.draft_id] : changed.map(({ id }) => id));
    changeRest(state, { drafts: [...drafts.filter(({ id }) => !ids.has(id)), ...changed] });
  },
  scheduled_messages({ state }, event) {
    const waiting = state.rest.peek().scheduled_messages;
    changeRest(state, {
      scheduled_messages:
        event.op === 'add'
          ? [...waiting, ...event.scheduled_messages]
          : waiting.filter((each) => each.scheduled_message_id !== event.scheduled_message_id),
    });
  },
} satisfies Reducers;
