/** Pull requests of GitHub, and what is said about them (reference facts, people 17.2). */
import { linkTo, quoteBlock, thingText } from './git-wording.ts';
import { asThing, common, inTopicOf, login, person, pullRequest } from './github-events.ts';
import { UnexpectedCase, event, ignored } from './integration.ts';
import { orNull, record, text, textOrNull } from './payload-schema.ts';

const ignoredActions = new Set(['labeled', 'unlabeled', 'review_request_removed']);

/** What each action is called. */
const changes = new Map([
  ['opened', 'opened'],
  ['reopened', 'reopened'],
  ['edited', 'edited'],
  ['synchronize', 'updated'],
]);

const described = record(
  {
    ...pullRequest.properties,
    head: record({ ref: text }),
    base: record({ ref: text }),
  },
  { body: textOrNull, assignee: orNull(login), merged: { type: ['boolean', 'null'] } },
);

const reviewer = { requested_reviewer: orNull(person) };
const team = { requested_team: orNull(record({ name: text }, { html_url: text })) };

export const pullRequestChanged = event(
  record(
    { ...common, action: text, pull_request: described },
    { assignee: orNull(login), ...reviewer, ...team },
  ),
  (payload, { topic }) => {
    const { action, pull_request: changed, repository } = payload;
    const user = payload.sender.login;
    const thing = asThing('PR', changed);
    const tell = (content: string): ReturnType<typeof inTopicOf> =>
      inTopicOf(repository, thing, content);
    const change = changes.get(action);
    if (change !== undefined) {
      const branches = { head: changed.head.ref, base: changed.base.ref };
      const assignee = changed.assignee?.login;
      const quoted = changed.body;
      return tell(thingText({ user, action: change, thing, assignee, branches, quoted, topic }));
    }
    if (action === 'closed') {
      const how = changed.merged === true ? 'merged' : 'closed without merge';
      return tell(thingText({ user, action: how, thing, topic }));
    }
    if (action === 'assigned' || action === 'unassigned') {
      const assignee = payload.assignee?.login ?? changed.assignee?.login;
      const said = `${user} ${action} ${linkTo(thing, topic)}`;
      return tell(assignee === undefined ? `${said}.` : `${said} to ${assignee}.`);
    }
    if (action === 'review_requested') {
      const { requested_reviewer: asked, requested_team: askedTeam } = payload;
      const name = asked?.login ?? askedTeam?.name ?? 'somebody';
      const url = asked?.html_url ?? askedTeam?.html_url ?? changed.html_url;
      return tell(
        `**${user}** requested [${name}](${url}) for a review on ${linkTo(thing, topic)}.`,
      );
    }
    if (ignoredActions.has(action)) return ignored;
    throw new UnexpectedCase(`pull_request:${action}`);
  },
);

export const pullRequestReviewed = event(
  record({ ...common, pull_request: pullRequest, review: record({ html_url: text }) }),
  ({ sender, repository, pull_request: reviewed, review }) =>
    inTopicOf(
      repository,
      asThing('PR', reviewed),
      `${sender.login} submitted [PR Review](${review.html_url}).`,
    ),
);

export const reviewCommented = event(
  record({
    ...common,
    action: text,
    pull_request: pullRequest,
    comment: record({ html_url: text, body: text }),
  }),
  ({ sender, repository, action, pull_request: reviewed, comment }) =>
    inTopicOf(
      repository,
      asThing('PR', reviewed),
      commentText(
        `${sender.login} ${action} [PR Review Comment](${comment.html_url})`,
        action === 'created' ? comment.body : undefined,
      ),
    ),
);

function commentText(said: string, quoted: string | undefined): string {
  return quoted === undefined || quoted.trim() === ''
    ? `${said}.`
    : `${said}:\n\n${quoteBlock(quoted)}`;
}

export const issueChanged = event(
  record({
    ...common,
    action: text,
    issue: record(pullRequest.properties, { body: textOrNull, assignee: orNull(login) }),
  }),
  ({ sender, repository, action, issue }, { topic }) => {
    const thing = asThing('Issue', issue);
    return inTopicOf(
      repository,
      thing,
      thingText({
        user: sender.login,
        action,
        thing,
        assignee: issue.assignee?.login,
        quoted: issue.body,
        topic,
      }),
    );
  },
);

export const issueCommented = event(
  record({
    ...common,
    action: text,
    issue: pullRequest,
    comment: record({ html_url: text, body: text }),
  }),
  ({ sender, repository, action, issue, comment }, { topic }) => {
    const thing = asThing('Issue', issue);
    const done =
      action === 'created'
        ? `[commented](${comment.html_url}) on`
        : `${action} a [comment](${comment.html_url}) on`;
    return inTopicOf(
      repository,
      thing,
      thingText({ user: sender.login, action: done, thing, quoted: comment.body, topic }),
    );
  },
);
