import { changeStreamEndpoint, deleteStreamEndpoint } from '@parley/api/streams';
import { implement } from '@parley/server';

import type { SubscriptionsContext } from '../context.ts';
import { changeStream } from '../streams/change-stream.ts';
import { deleteStream } from '../streams/delete-stream.ts';

export const changeStreamHandler = implement(
  changeStreamEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) => {
    await changeStream(context, caller, parameters.stream_id, {
      description: parameters.description,
      newName: parameters.new_name,
      isAnnouncementOnly: parameters.is_announcement_only,
      isPrivate: parameters.is_private,
      historyPublicToSubscribers: parameters.history_public_to_subscribers,
    });
    return {};
  },
);

export const deleteStreamHandler = implement(
  deleteStreamEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) => {
    await deleteStream(context, caller, parameters.stream_id);
    return {};
  },
);
