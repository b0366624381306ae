export type { RunAgain, SideEffectRun } from './effect-lane.ts';
export { SideEffectRunner } from './side-effect-runner.ts';
export type { SideEffectHandlers } from './side-effect-runner.ts';
export { takeSideEffects } from './take-side-effects.ts';
