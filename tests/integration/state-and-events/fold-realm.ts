/** Events of the organization, and of a person's own settings. */
import type { ClientState, Fold } from './client-state.ts';
import type { Item } from './state-item.ts';

/** This person's permissions follow from the organization's settings (reference facts, events 4.4). */
function deriveRights(client: ClientState): void {
  const { state } = client;
  const self = client.findById('realm_users', 'user_id', client.reader.userId);
  const ageDays = (Date.now() - Date.parse(String(self?.['date_joined']))) / 86_400_000;
  const isLongHere = ageDays >= (state['realm_waiting_period_threshold'] as number);
  const allows = (policy: unknown): boolean => {
    if (client.isAdministrator) return true;
    if (client.isGuest) return false;
    return policy === 1 || (policy === 3 && isLongHere);
  };
  state['can_create_streams'] = allows(state['realm_create_stream_policy']);
  state['can_subscribe_other_users'] = allows(state['realm_invite_to_stream_policy']);
}

/** Administrators keep the addresses that were visible until now. */
function changeEmails(client: ClientState): void {
  client.unreported.emailVisibility = true;
  if (!client.isAdministrator) return;
  const isHiding = client.state['realm_email_address_visibility'] === 3;
  for (const person of [...client.items('realm_users'), ...client.items('realm_non_active_users')])
    if (!isHiding) Reflect.deleteProperty(person, 'delivery_email');
    else person['delivery_email'] ??= person['email'];
}

function set(client: ClientState, data: Item): void {
  for (const [name, value] of Object.entries(data)) client.state[`realm_${name}`] = value;
  if (data['authentication_methods'] !== undefined) {
    const isOn = (data['authentication_methods'] as Item)['Email'];
    client.state['realm_email_auth_enabled'] = isOn;
    client.state['realm_password_auth_enabled'] = isOn;
  }
  if (data['email_address_visibility'] !== undefined) changeEmails(client);
  deriveRights(client);
}

const realm: Fold = (client, event) => {
  if (event['op'] === 'update')
    return set(client, { [event['property'] as string]: event['value'] });
  if (event['op'] === 'update_dict') return set(client, event['data'] as Item);
  throw new Error(`an unknown event of the organization: ${JSON.stringify(event)}`);
};

const realmDomains: Fold = (client, event) => {
  if (event['op'] === 'remove') client.drop('realm_domains', 'domain', event['domain']);
  else client.put('realm_domains', 'domain', event['realm_domain'] as Item);
};

/** Removing a field removes its values. */
const profileFields: Fold = (client, event) => {
  const fields = event['fields'] as Item[];
  client.state['custom_profile_fields'] = fields;
  const ids = new Set(fields.map(({ id }) => String(id)));
  for (const person of [...client.items('realm_users'), ...client.items('realm_non_active_users')])
    if (person['profile_data'] !== undefined)
      person['profile_data'] = Object.fromEntries(
        Object.entries(person['profile_data'] as Item).filter(([id]) => ids.has(id)),
      );
};

const notificationSetting: Fold = (client, event) => {
  const name = event['notification_name'] as string;
  client.state[name] = event['setting'];
  const ofStreams = /^enable_stream_(.*)$/.exec(name)?.[1];
  if (ofStreams !== undefined) client.unreported.inheritedSettings.add(ofStreams);
};

export const realmFolds: Readonly<Record<string, Fold>> = {
  realm,
  realm_domains: realmDomains,
  custom_profile_fields: profileFields,
  realm_emoji: (client, event) => {
    client.state['realm_emoji'] = event['realm_emoji'];
  },
  realm_filters: (client, event) => {
    client.state['realm_filters'] = event['realm_filters'];
  },
  hotspots: (client, event) => {
    client.state['hotspots'] = event['hotspots'];
  },
  update_display_settings: (client, event) => {
    client.state[event['setting_name'] as string] = event['setting'];
  },
  update_global_notifications: notificationSetting,
};
