import { text as textParameter } from '@parley/http';

import {
  issueChanged,
  issueCommented,
  pullRequestChanged,
  pullRequestReviewed,
  reviewCommented,
} from './github-pull-requests.ts';
import * as repository from './github-repository.ts';
import { eventIntegration } from './integration.ts';

/** GitHub (reference facts, people 17.2). */
export const github = eventIntegration({
  name: 'github',
  label: 'GitHub',
  about:
    'GitHub, with the content type `application/json`. `branches` lets through only pushes to branches whose names occur in it.',
  example: {
    event: 'watch',
    payload: {
      action: 'started',
      sender: { login: 'rina' },
      repository: { name: 'keel', html_url: 'https://git.example/rina/keel' },
    },
  },
  eventHeader: 'X-GitHub-Event',
  deliveryHeader: 'X-GitHub-Delivery',
  parameters: [
    textParameter('branches', { description: 'Branches whose pushes are sent; by default all' }),
  ],
  events: {
    push: repository.pushed,
    pull_request: pullRequestChanged,
    pull_request_review: pullRequestReviewed,
    pull_request_review_comment: reviewCommented,
    issues: issueChanged,
    issue_comment: issueCommented,
    commit_comment: repository.commitCommented,
    create: repository.refCreated,
    delete: repository.refDeleted,
    fork: repository.forked,
    watch: repository.watched,
    star: repository.starred,
    release: repository.released,
    public: repository.madePublic,
    repository: repository.repositoryChanged,
    status: repository.statusChanged,
    deployment: repository.deployed,
    deployment_status: repository.deploymentStatusChanged,
    check_run: repository.checkRun,
    gollum: repository.wikiChanged,
    member: repository.memberChanged,
    membership: repository.membershipChanged,
    team_add: repository.addedToTeam,
    ping: repository.pinged,
  },
  ignoredEvents: [
    'repository_vulnerability_alert',
    'project_card',
    'check_suite',
    'organization',
    'milestone',
    'meta',
  ],
});
