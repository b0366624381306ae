export { ImportFault } from './import-fault.ts';
export { Ledger } from './ledger.ts';
export type { LedgerLine, NotImported, Place } from './ledger.ts';
export { importHistory, planHistoryImport } from './load/import-history.ts';
export type { HistoryImport, ImportedOrganization, ImportStep } from './load/import-history.ts';
export type { Source } from './records.ts';
export { openMattermost } from './sources/mattermost/open-mattermost.ts';
export { openSlack } from './sources/slack/open-slack.ts';
export { openZulip } from './sources/zulip/open-zulip.ts';
