export { SideEffectRunner } from './side-effect-runner.ts';
export type { SideEffectHandlers, SideEffectRun } from './side-effect-runner.ts';
export { takeSideEffects } from './take-side-effects.ts';
