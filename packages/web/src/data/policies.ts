/** What the organization's policies permit the person now: `register` says it of its own moment only, and no event follows. */
import { noTopic } from './message-actions.ts';
import type { State } from './state.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** @param policy 1 members, 2 administrators, 3 members who are no longer new */
export function isPermitted({ self, people, realm }: State, policy: number): boolean {
  const { is_admin, is_guest, user_id } = self.value;
  if (is_admin || is_guest || policy !== 3) return is_admin || (!is_guest && policy === 1);
  const ageMs = Date.now() - Date.parse(people.value.get(user_id)?.date_joined ?? '');
  return ageMs >= realm.value.realm_waiting_period_threshold * dayMs;
}

export function mayInvite({ self, realm }: State): boolean {
  const { is_admin, is_guest } = self.value;
  return is_admin || !(is_guest || realm.value.realm_invite_by_admins_only);
}

export function mayCreateStreams(state: State): boolean {
  return isPermitted(state, state.realm.value.realm_create_stream_policy);
}

export function maySubscribeOthers(state: State): boolean {
  return isPermitted(state, state.realm.value.realm_invite_to_stream_policy);
}

/** Whether the person may give messages of others in a topic another one, as long as they are not too old (reference facts, messages 12). */
export function mayRenameTopic({ self, realm }: State, topic: string): boolean {
  const { realm_allow_message_editing, realm_allow_community_topic_editing } = realm.value;
  return (
    realm_allow_message_editing &&
    (self.value.is_admin || realm_allow_community_topic_editing || topic === noTopic)
  );
}
