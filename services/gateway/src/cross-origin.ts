/** Headers on every answer, errors included: pages of other origins may call the interface (reference facts, people 2.8). */
export const crossOriginHeaders: readonly (readonly [name: string, value: string])[] = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Allow-Headers', 'Authorization'],
  ['Access-Control-Allow-Methods', 'GET, POST, DELETE, PUT, PATCH, HEAD'],
];
