/** Issues, merge requests, comments and wiki pages of GitLab (reference facts, people 17.3). */
import { joinNames, quoteBlock, repositoryTopics, shortSha, thingText } from './git-wording.ts';
import type { NumberedThing } from './git-wording.ts';
import { UnexpectedCase, event } from './integration.ts';
import type { EventReader, WebhookMessage } from './integration.ts';
import { integer, listOf, orNull, record, text, textOrNull } from './payload-schema.ts';

const user = record({ name: text });
const project = record({ name: text });
const projectWithAddress = record({ name: text, web_url: text });

const assignable = {
  assignee: orNull(record({}, { name: text })),
  assignees: listOf(record({ name: text })),
};

function assigneeOf(payload: {
  readonly assignee?: { readonly name?: string } | null;
  readonly assignees?: readonly { readonly name: string }[];
}): string | undefined {
  const names = payload.assignees?.map(({ name }) => name) ?? [];
  return names.length > 0 ? joinNames(names) : payload.assignee?.name;
}

// Templates hide their instructions in these. A comment that is not closed hides nothing.
const commentBegin = '<!--';
const commentEnd = '-->';

/** @returns the text without hidden HTML comments */
export function withoutHiddenComments(text: string): string {
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
  thing: NumberedThing,
  content: string,
): readonly WebhookMessage[] {
  return [{ topic: repositoryTopics.thing(name, thing), content }];
}

const issueActions = new Map([
  ['open', 'created'],
  ['close', 'closed'],
  ['reopen', 'reopened'],
  ['update', 'updated'],
]);

/** @param kind what the header says: confidential issues come under a name of their own */
export function issueChanged(kind: string): EventReader {
  return event(
    record(
      {
        user,
        project,
        object_attributes: record(
          { iid: integer, title: text, url: text, action: text },
          { description: textOrNull },
        ),
      },
      assignable,
    ),
    (payload, { topic }) => {
      const { iid: number, title, url, action, description } = payload.object_attributes;
      const done = issueActions.get(action);
      if (done === undefined) throw new UnexpectedCase(`${kind} ${action}`);
      const thing: NumberedThing = { kind: 'Issue', number, title, url };
      const added =
        action === 'open'
          ? { quoted: quotedDescription(description), assignee: assigneeOf(payload) }
          : {};
      return inTopicOf(
        payload.project,
        thing,
        thingText({ user: payload.user.name, action: done, thing, topic, ...added }),
      );
    },
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

export const mergeRequestChanged = event(
  record(
    {
      user,
      project,
      object_attributes: record(
        {
          iid: integer,
          title: text,
          url: text,
          action: text,
          source_branch: text,
          target_branch: text,
        },
        { description: textOrNull, oldrev: textOrNull },
      ),
    },
    assignable,
  ),
  (payload, { topic }) => {
    const { object_attributes: request } = payload;
    const { iid: number, title, url, action } = request;
    const done = mergeRequestActions.get(action);
    if (done === undefined) throw new UnexpectedCase(`Merge Request Hook ${action}`);
    const thing: NumberedThing = { kind: 'MR', number, title, url };
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
      thing,
      thingText({ user: payload.user.name, action: what, thing, topic, ...added }),
    );
  },
);

const note = record({ note: text, url: text });
const noted = { user, project: projectWithAddress, object_attributes: note } as const;
const numbered = record({ iid: integer, title: text });

type Noted = {
  readonly user: { readonly name: string };
  readonly project: { readonly name: string };
  readonly object_attributes: { readonly note: string; readonly url: string };
};

function noteText(
  { user: { name }, project: of, object_attributes: { note: said, url } }: Noted,
  thing: NumberedThing,
  topic: string | undefined,
): readonly WebhookMessage[] {
  const action = `[commented](${url}) on`;
  return inTopicOf(of, thing, thingText({ user: name, action, thing, topic, quoted: said }));
}

const commitNoted = event(
  record({ ...noted, commit: record({ id: text, url: text }) }),
  ({ user: { name }, project: of, object_attributes: { note: said, url }, commit }) => [
    {
      topic: of.name,
      content: `${name} [commented](${url}) on [${shortSha(commit.id)}](${commit.url}):\n${quoteBlock(said)}`,
    },
  ],
);

const mergeRequestNoted = event(
  record({ ...noted, merge_request: numbered }),
  (payload, { topic }) => {
    const { iid: number, title } = payload.merge_request;
    const url = `${payload.project.web_url}/merge_requests/${number}`;
    return noteText(payload, { kind: 'MR', number, title, url }, topic);
  },
);

const issueNoted = event(record({ ...noted, issue: numbered }), (payload, { topic }) => {
  const { iid: number, title } = payload.issue;
  const url = `${payload.project.web_url}/issues/${number}`;
  return noteText(payload, { kind: 'Issue', number, title, url }, topic);
});

const snippetNoted = event(
  record({ ...noted, snippet: record({ id: integer, title: text }) }),
  (payload, { topic }) => {
    const { id: number, title } = payload.snippet;
    const url = `${payload.project.web_url}/snippets/${number}`;
    return noteText(payload, { kind: 'Snippet', number, title, url }, topic);
  },
);

const noteReaders = new Map<string, EventReader>([
  ['Commit', commitNoted],
  ['MergeRequest', mergeRequestNoted],
  ['Issue', issueNoted],
  ['Snippet', snippetNoted],
]);

export const commented = event(
  record({ object_attributes: record({ noteable_type: text }) }),
  (payload, request) => {
    const type = payload.object_attributes.noteable_type;
    const reader = noteReaders.get(type);
    if (reader === undefined) throw new UnexpectedCase(`Note Hook ${type}`);
    return reader(payload, request);
  },
);

const wikiActions = new Map([
  ['create', 'created'],
  ['update', 'updated'],
]);

export const wikiChanged = event(
  record({ user, project, object_attributes: record({ title: text, url: text, action: text }) }),
  ({ user: { name }, project: of, object_attributes: { title, url, action } }) => {
    const done = wikiActions.get(action);
    if (done === undefined) throw new UnexpectedCase(`Wiki Page Hook ${action}`);
    return [{ topic: of.name, content: `${name} ${done} [Wiki Page "${title}"](${url}).` }];
  },
);

export const configured = event(record({ project }), ({ project: of }) => [
  {
    topic: of.name,
    content: `Webhook for **${of.name}** has been configured successfully! :tada:`,
  },
]);
