import type { Reducers } from './reducer.ts';

/** Reducers of the person's own settings and lists. */
export const ownReducers = {
  alert_words({ state }, { alert_words }) {
    state.alertWords.value = alert_words;
  },
  update_display_settings({ state }, { setting_name, setting }) {
    state.rest.value = { ...state.rest.peek(), [setting_name]: setting };
  },
  update_global_notifications({ state }, { notification_name, setting }) {
    state.rest.value = { ...state.rest.peek(), [notification_name]: setting };
  },
  scheduled_messages({ state }, event) {
    const waiting = state.rest.peek().scheduled_messages;
    const scheduled_messages =
      event.op === 'add'
        ? [...waiting, ...event.scheduled_messages]
        : waiting.filter(
            ({ scheduled_message_id }) => scheduled_message_id !== event.scheduled_message_id,
          );
    state.rest.value = { ...state.rest.peek(), scheduled_messages };
  },
} satisfies Reducers;
