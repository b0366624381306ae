/** An organization with a user who has everything that the terminal client reads, and a user who has nothing. */
import type { ApiClient } from '@parley/test-kit';

import { sendForm } from '../api/send-form.ts';
import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';
import { PythonWire } from './python-wire.ts';

const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

export type TerminalOrganization = {
  readonly organization: SmallOrganization;
  /** Bob has everything. */
  readonly bob: PythonWire;
  readonly bobId: number;
  /** Has no streams, messages or emoji. */
  readonly nobody: PythonWire;
  /** The administrator, who makes the changes. */
  readonly ann: ApiClient;
  readonly annId: number;
  readonly streamId: number;
  /** Messages by Ann in the stream, unread by Bob. */
  readonly unreadIds: readonly number[];
  readonly stop: () => Promise<void>;
};

function terminalOf(
  organization: SmallOrganization,
  account: SmallOrganization['accounts']['bob'],
): PythonWire {
  return new PythonWire({
    url: organization.cluster.url,
    email: account.user.email,
    apiKey: account.apiKey,
    client: 'ZulipTerminal/0.7.0',
  });
}

/** Calls `beforeThereIsAnything` before anything exists that all people have, such as custom emoji. */
export async function startTerminalOrganization(
  beforeThereIsAnything: (nobody: PythonWire) => Promise<void>,
): Promise<TerminalOrganization> {
  const organization = await startSmallOrganization({ time: 'flows', events: 1, messages: 1 });
  const ann = organization.client('ann');
  const { person } = await organization.makePersonWithBot('nobody');
  const nobody = terminalOf(organization, person);
  await beforeThereIsAnything(nobody);
  await ann.post('users/me/subscriptions', {
    subscriptions: [{ name: 'general', description: 'All *of us*' }],
    principals: ['ann@example.com', 'bob@example.com', 'cat@example.com'],
  });
  const { stream_id } = await ann.get('get_stream_id', { stream: 'general' });
  const streamId = stream_id as number;
  const bobsOwn = organization.client('bob');
  await sendForm(organization, 'bob', 'realm/emoji/dot', [pixel]);
  await ann.post('realm/profile_fields', { name: 'Phone', hint: '', field_type: 1 });
  await ann.post('user_groups/create', {
    name: 'crew',
    description: 'x',
    members: [organization.id('bob')],
  });
  await ann.post('users/me/presence', { status: 'active' });
  await bobsOwn.patch('users/me/subscriptions/muted_topics', {
    stream: 'general',
    topic: 'noise',
    op: 'add',
  });
  const unreadIds = [
    await ann.sendToStream('general', 'lunch', 'one'),
    await ann.sendToStream('general', 'lunch', 'for @**Bob Ray**'),
    await ann.sendPrivately(['bob@example.com'], 'psst'),
    await ann.sendPrivately(['bob@example.com', 'cat@example.com'], 'psst, both'),
  ];
  await bobsOwn.post('messages/flags', {
    messages: [unreadIds[0]],
    op: 'add',
    flag: 'starred',
  });
  return {
    organization,
    bob: terminalOf(organization, organization.accounts.bob),
    bobId: organization.id('bob'),
    nobody,
    ann,
    annId: organization.id('ann'),
    streamId,
    unreadIds,
    stop: () => organization.stop(),
  };
}
