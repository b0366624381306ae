/** Pull requests of GitHub, and texts about them (reference facts, people 17.2). */
import { writeLink } from '@parley/markdown';
import { linkTo, sentence, itemChangeText } from './git-wording.ts';
import { numberedItem, inTopicOf } from './github-events.ts';
import type { GithubReaders, PullRequest } from './github-events.ts';
import { UnexpectedCase, ignored } from './integration.ts';

const ignoredActions = new Set(['labeled', 'unlabeled', 'review_request_removed']);

/** The words for each action. */
const changes = new Map([
  ['opened', 'opened'],
  ['reopened', 'reopened'],
  ['edited', 'edited'],
  ['synchronize', 'updated'],
]);

/** All assignees of a pull request, or else the one in the event. */
function allOrOne<Item>(
  all: readonly Item[] = [],
  one: Item | null | undefined = null,
): readonly Item[] {
  return all.length > 0 || one === null ? all : [one];
}

/** Names with commas, also before the "and" of two. */
function joinReviewers(links: readonly string[]): string {
  return links.length < 2
    ? links.join('')
    : `${links.slice(0, -1).join(', ')}, and ${links.at(-1)}`;
}

const reviewActions = new Set(['submitted', 'edited', 'dismissed']);

/** A review, or a comment in one; with the pull request's number and title if the topic does not contain them. */
function reviewText(review: {
  readonly done: string;
  readonly what: string;
  /** The word between it and the pull request. */
  readonly of: string;
  readonly reviewed: PullRequest;
  readonly url: string;
  readonly topic: string | undefined;
  readonly quoted?: string | undefined;
}): string {
  const { done, what, of, reviewed, url, topic, quoted } = review;
  const { number, title } = reviewed;
  const label = topic === undefined ? what : `${what} ${of} #${number} ${title}`;
  return sentence(
    `${done} ${writeLink(label, url)}`,
    quoted,
    topic === undefined ? undefined : title,
  );
}

export const pullRequestEvents = {
  pull_request: (payload, { topic }) => {
    const { action, pull_request: changed, repository } = payload;
    const user = payload.sender.login;
    const item = numberedItem('PR', changed);
    const tell = (content: string): ReturnType<typeof inTopicOf> =>
      inTopicOf(repository, item, content);
    const change = changes.get(action);
    if (change !== undefined) {
      const branches = { head: changed.head.ref, base: changed.base.ref };
      const assignee = changed.assignee?.login;
      const quoted = changed.body;
      return tell(
        itemChangeText({ user, action: change, item, assignee, branches, quoted, topic }),
      );
    }
    if (action === 'closed') {
      const how = changed.merged === true ? 'merged' : 'closed without merge';
      return tell(itemChangeText({ user, action: how, item, topic }));
    }
    if (action === 'assigned' || action === 'unassigned') {
      // The event names the person who was added or removed; a removed person is not the current assignee.
      const came = action === 'assigned' ? payload.assignee?.login : undefined;
      const assignee = came ?? changed.assignee?.login;
      return tell(
        assignee === undefined
          ? itemChangeText({ user, action, item, topic })
          : `${user} ${action} ${linkTo(item, topic)} to ${assignee}.`,
      );
    }
    if (action === 'review_requested') {
      const people = allOrOne(changed.requested_reviewers, payload.requested_reviewer);
      const teams = allOrOne(changed.requested_teams, payload.requested_team);
      const links = [
        ...people.map(({ login: name, html_url: url }) => writeLink(name, url)),
        ...teams.map(({ name, html_url: url = item.url }) => writeLink(name, url)),
      ];
      const reviewers = links.length === 0 ? 'somebody' : joinReviewers(links);
      return tell(`**${user}** requested ${reviewers} for a review on ${linkTo(item, topic)}.`);
    }
    if (ignoredActions.has(action)) return ignored;
    throw new UnexpectedCase(`pull_request:${action}`);
  },

  pull_request_review: (
    { sender, repository, action = 'submitted', pull_request: reviewed, review },
    { topic },
  ) => {
    if (!reviewActions.has(action)) throw new UnexpectedCase(`pull_request_review:${action}`);
    return inTopicOf(
      repository,
      numberedItem('PR', reviewed),
      reviewText({
        done: `${sender.login} ${action}`,
        what: 'PR Review',
        of: 'for',
        reviewed,
        url: review.html_url,
        topic,
      }),
    );
  },

  pull_request_review_comment: (
    { sender, repository, action, pull_request: reviewed, comment },
    { topic },
  ) =>
    inTopicOf(
      repository,
      numberedItem('PR', reviewed),
      reviewText({
        done: `${sender.login} ${action}`,
        what: 'PR Review Comment',
        of: 'on',
        reviewed,
        url: comment.html_url,
        topic,
        quoted: action === 'created' ? comment.body : undefined,
      }),
    ),

  issues: ({ sender, repository, action, issue }, { topic }) => {
    const item = numberedItem('Issue', issue);
    return inTopicOf(
      repository,
      item,
      itemChangeText({
        user: sender.login,
        action,
        item,
        assignee: issue.assignee?.login,
        quoted: issue.body,
        topic,
      }),
    );
  },

  issue_comment: ({ sender, repository, action, issue, comment }, { topic }) => {
    const item = numberedItem(issue.pull_request ? 'PR' : 'Issue', issue);
    const done =
      action === 'created'
        ? `${writeLink('commented', comment.html_url)} on`
        : `${action} a ${writeLink('comment', comment.html_url)} on`;
    return inTopicOf(
      repository,
      item,
      itemChangeText({ user: sender.login, action: done, item, quoted: comment.body, topic }),
    );
  },
} satisfies Partial<GithubReaders>;
