/** Issues, merge requests, comments and wiki pages of GitLab (reference facts, people 17.3). */
import { writeLink } from '@parley/markdown';
import { gitlabNotePayloads } from '@parley/api/webhooks';

import {
  joinNames,
  quoteBlock,
  repositoryTopics,
  shortSha,
  itemChangeText,
} from './git-wording.ts';
import type { NumberedItem } from './git-wording.ts';
import type { GitlabPayload, GitlabReaders } from './gitlab-events.ts';
import { UnexpectedCase, readersByKind } from './integration.ts';
import type { WebhookMessage, WebhookOutcome } from './integration.ts';

function assigneeOf(payload: {
  readonly assignee?: { readonly name?: string; readonly username?: string } | null;
  readonly assignees?: readonly { readonly name: string; readonly username?: string }[];
}): string | undefined {
  const names = payload.assignees?.map(({ name, username = name }) => username) ?? [];
  return names.length > 0
    ? joinNames(names)
    : (payload.assignee?.name ?? payload.assignee?.username);
}

// Templates contain instructions in hidden comments. A comment without an end hides nothing.
const commentBegin = '<!--';
const commentEnd = '-->';

/** @returns the text without hidden HTML comments */
function withoutHiddenComments(text: string): string {
  let kept = '';
  let at = 0;
  for (;;) {
    const begin = text.indexOf(commentBegin, at);
    const end = begin < 0 ? -1 : text.indexOf(commentEnd, begin + commentBegin.length);
    if (end < 0) return (kept + text.slice(at)).trim();
    kept += text.slice(at, begin);
    at = end + commentEnd.length;
  }
}

function quotedDescription(description: string | null | undefined): string | undefined {
  return description === undefined || description === null
    ? undefined
    : withoutHiddenComments(description);
}

function inTopicOf(
  { name }: { readonly name: string },
  item: NumberedItem,
  content: string,
): readonly WebhookMessage[] {
  return [{ topic: repositoryTopics.item(name, item), content }];
}

/** The action of GitLab's own test of a webhook, which names none. */
const untold = 'open';

const issueActions = new Map([
  ['open', 'created'],
  ['close', 'closed'],
  ['reopen', 'reopened'],
  ['update', 'updated'],
]);

/** @param kind from the header, where confidential issues have a separate name */
function issueText(
  kind: string,
  payload: GitlabPayload<'Issue Hook'>,
  topic: string | undefined,
): WebhookOutcome {
  const { iid: number, title, url, action = untold, description } = payload.object_attributes;
  const done = issueActions.get(action);
  if (done === undefined) throw new UnexpectedCase(`${kind} ${action}`);
  const item: NumberedItem = { kind: 'Issue', number, title, url };
  const added =
    action === 'open'
      ? { quoted: quotedDescription(description), assignee: assigneeOf(payload) }
      : {};
  return inTopicOf(
    payload.project,
    item,
    itemChangeText({ user: payload.user.name, action: done, item, topic, ...added }),
  );
}

const mergeRequestActions = new Map([
  ['open', 'created'],
  ['update', 'updated'],
  ['approved', 'approved'],
  ['merge', 'merged'],
  ['close', 'closed'],
  ['reopen', 'reopened'],
]);

type NotePayload = {
  readonly user: { readonly name: string };
  readonly project: { readonly name: string };
  readonly object_attributes: { readonly note: string; readonly url: string };
};

function noteText(
  { user: { name }, project: of, object_attributes: { note: said, url } }: NotePayload,
  item: NumberedItem,
  topic: string | undefined,
): readonly WebhookMessage[] {
  const action = `${writeLink('commented', url)} on`;
  return inTopicOf(of, item, itemChangeText({ user: name, action, item, topic, quoted: said }));
}

const noteReaderOf = readersByKind(gitlabNotePayloads, {
  Commit: ({ user: { name }, project: of, object_attributes: { note: said, url }, commit }) => [
    {
      topic: of.name,
      content: `${name} ${writeLink('commented', url)} on ${writeLink(shortSha(commit.id), commit.url)}:\n${quoteBlock(said)}`,
    },
  ],

  MergeRequest: (payload, { topic }) => {
    const { iid: number, title } = payload.merge_request;
    const url = `${payload.project.web_url}/merge_requests/${number}`;
    return noteText(payload, { kind: 'MR', number, title, url }, topic);
  },

  Issue: (payload, { topic }) => {
    const { iid: number, title } = payload.issue;
    const url = `${payload.project.web_url}/issues/${number}`;
    return noteText(payload, { kind: 'Issue', number, title, url }, topic);
  },

  Snippet: (payload, { topic }) => {
    const { id: number, title } = payload.snippet;
    const url = `${payload.project.web_url}/snippets/${number}`;
    return noteText(payload, { kind: 'Snippet', number, title, url }, topic);
  },
});

const wikiActions = new Map([
  ['create', 'created'],
  ['update', 'updated'],
]);

export const discussionEvents = {
  'Issue Hook': (payload, { topic }) => issueText('Issue Hook', payload, topic),

  'Confidential Issue Hook': (payload, { topic }) =>
    issueText('Confidential Issue Hook', payload, topic),

  'Merge Request Hook': (payload, { topic }) => {
    const { object_attributes: request } = payload;
    const { iid: number, title, url, action = untold } = request;
    const done = mergeRequestActions.get(action);
    if (done === undefined) throw new UnexpectedCase(`Merge Request Hook ${action}`);
    const item: NumberedItem = { kind: 'MR', number, title, url };
    const hasNewCommits = action === 'update' && typeof request.oldrev === 'string';
    const isDescribed = action === 'open' || (action === 'update' && !hasNewCommits);
    const added = isDescribed
      ? {
          branches: { head: request.source_branch, base: request.target_branch },
          assignee: assigneeOf(payload),
          quoted: quotedDescription(request.description),
        }
      : {};
    const what = hasNewCommits ? 'added commit(s) to' : done;
    return inTopicOf(
      payload.project,
      item,
      itemChangeText({ user: payload.user.name, action: what, item, topic, ...added }),
    );
  },

  'Note Hook': (payload, request) => {
    const type = payload.object_attributes.noteable_type;
    const reader = noteReaderOf(type);
    if (reader === undefined) throw new UnexpectedCase(`Note Hook ${type}`);
    return reader(payload, request);
  },

  'Wiki Page Hook': ({
    user: { name },
    project: of,
    object_attributes: { title, url, action },
  }) => {
    const done = wikiActions.get(action);
    if (done === undefined) throw new UnexpectedCase(`Wiki Page Hook ${action}`);
    return [
      { topic: of.name, content: `${name} ${done} ${writeLink(`Wiki Page "${title}"`, url)}.` },
    ];
  },

  'Test Hook': ({ project: of }) => [
    {
      topic: of.name,
      content: `Webhook for **${of.name}** has been configured successfully! :tada:`,
    },
  ],
} satisfies Partial<GitlabReaders>;
