import type { ServiceName } from '@parley/api';
import type { EndpointNameOf } from '@parley/api/endpoints';

import type { Implementation } from './implement.ts';

/** A type that no list of modules has: its member names the endpoint whose handler is missing or superfluous. */
type Fault<What extends string, Names> = [Names] extends [never]
  ? unknown
  : { readonly [Key in What]: Names };

type HandlerName = `${string}Handler` | `${string}Handlers`;
type OneOf<Handlers> = Handlers extends readonly (infer Handler)[] ? Handler : Handlers;
type HandlerIn<Modules extends readonly object[]> = {
  [Index in keyof Modules]: OneOf<Modules[Index][keyof Modules[Index] & HandlerName]>;
}[number];
type NameIn<Modules extends readonly object[]> =
  HandlerIn<Modules> extends { readonly endpoint: { readonly name: infer Name } } ? Name : never;

/**
 * Returns the handlers of a service: what its modules export under names that end with `Handler`, and the lists `…Handlers`. It does not
 * compile unless they are exactly those of the endpoints declared for the service.
 *
 * @param _service only for the compiler
 * @param modules as `import * as` has them
 */
export function everyHandlerOf<
  Service extends ServiceName,
  const Modules extends readonly object[],
>(
  _service: Service,
  modules: Modules &
    Fault<'an endpoint without a handler', Exclude<EndpointNameOf<Service>, NameIn<Modules>>> &
    Fault<'a handler of no endpoint here', Exclude<NameIn<Modules>, EndpointNameOf<Service>>>,
): readonly Extract<HandlerIn<Modules>, Implementation<never>>[] {
  return modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, exported]) =>
      /Handlers?$/.test(name) ? (exported as HandlerIn<Modules>) : [],
    ),
  ) as Extract<HandlerIn<Modules>, Implementation<never>>[];
}
