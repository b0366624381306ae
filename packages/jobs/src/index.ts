export type { RunAgain } from './job-lane.ts';
export { MailRunner } from './mail-runner.ts';
export type { SideEffectRun } from './run-effect.ts';
export { SideEffectRunner } from './side-effect-runner.ts';
export type { SideEffectHandlers } from './side-effect-runner.ts';
export { takeSideEffects } from './take-side-effects.ts';
