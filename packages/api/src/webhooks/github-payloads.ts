/** The used parts of GitHub's payloads, by the event in the header (reference facts, people 17.2). */
import {
  boolean,
  booleanOrNull,
  integer,
  listOf,
  nullable,
  optional,
  text,
  textOrNull,
} from '../declare/schema.ts';
import { record } from './payload-schema.ts';

const login = record({ login: text });
const person = record({ login: text, html_url: text });

/** The members of almost every payload: the actor and the repository. */
const common = { sender: login, repository: record({ name: text, html_url: text }) };

const numberedMembers = { number: integer, title: text, html_url: text };
const numbered = record(numberedMembers);
const comment = record({ html_url: text, body: text });
const named = record({ name: text });
const reviewingTeam = record({ name: text, ...optional({ html_url: text }) });

const pullRequestEvents = {
  pull_request: record({
    ...common,
    action: text,
    pull_request: record({
      ...numberedMembers,
      head: record({ ref: text }),
      base: record({ ref: text }),
      ...optional({
        body: textOrNull,
        assignee: nullable(login),
        merged: booleanOrNull,
        requested_reviewers: listOf(person),
        requested_teams: listOf(reviewingTeam),
      }),
    }),
    ...optional({
      assignee: nullable(login),
      requested_reviewer: nullable(person),
      requested_team: nullable(reviewingTeam),
    }),
  }),
  pull_request_review: record({
    ...common,
    pull_request: numbered,
    review: record({ html_url: text }),
    ...optional({ action: text }),
  }),
  pull_request_review_comment: record({ ...common, action: text, pull_request: numbered, comment }),
  issues: record({
    ...common,
    action: text,
    issue: record({
      ...numberedMembers,
      ...optional({ body: textOrNull, assignee: nullable(login) }),
    }),
  }),
  issue_comment: record({
    ...common,
    action: text,
    // A pull request is an issue too, and only this member tells them apart.
    issue: record({ ...numberedMembers, ...optional({ pull_request: nullable(record({})) }) }),
    comment,
  }),
};

const ref = record({ ...common, ref: text, ref_type: text });
const deployment = record({ environment: text });

const repositoryEvents = {
  commit_comment: record({
    ...common,
    comment: record({ html_url: text, commit_id: text, body: text }),
  }),
  create: ref,
  delete: ref,
  fork: record({ ...common, forkee: record({ name: text, html_url: text }) }),
  watch: record(common),
  star: record({ ...common, action: text }),
  release: record({
    ...common,
    action: text,
    release: record({ tag_name: text, html_url: text }),
  }),
  public: record(common),
  repository: record({ ...common, action: text }),
  status: record({
    ...common,
    state: text,
    commit: record({ sha: text, html_url: text }),
    ...optional({ target_url: textOrNull }),
  }),
  page_build: record({
    ...common,
    build: record({
      status: textOrNull,
      pusher: login,
      ...optional({ error: nullable(record(optional({ message: textOrNull }))) }),
    }),
  }),
  deployment: record({ ...common, deployment }),
  deployment_status: record({
    ...common,
    deployment,
    deployment_status: record({ state: text }),
  }),
  check_run: record({
    ...common,
    check_run: record({
      name: text,
      html_url: text,
      status: text,
      head_sha: text,
      ...optional({ conclusion: textOrNull }),
    }),
  }),
  gollum: record({
    ...common,
    pages: listOf(record({ action: text, title: text, html_url: text })),
  }),
  member: record({ ...common, action: text, member: person }),
  membership: record({
    sender: login,
    action: text,
    member: person,
    team: named,
    organization: login,
  }),
  team_add: record({ ...common, team: named }),
  // Webhooks of an organization have no repository.
  ping: record({
    sender: login,
    ...optional({ repository: nullable(named), organization: nullable(login) }),
  }),
};

export const githubPayloads = {
  push: record({
    ...common,
    ref: text,
    compare: text,
    commits: listOf(
      record({
        id: text,
        url: text,
        message: text,
        author: record({ name: text, ...optional({ username: textOrNull }) }),
      }),
    ),
    ...optional({ deleted: boolean, created: boolean }),
  }),
  ...pullRequestEvents,
  ...repositoryEvents,
};
