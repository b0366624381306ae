import fc from 'fast-check';

/** Any UTF-16 text, including lone surrogates and control characters. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(fc.nat(0xffff), fc.integer({ min: 0x20, max: 0x7e }), fc.constantFrom(0, 0x25, 0x26)),
    { maxLength: 40 },
  )
  .map((units) => String.fromCharCode(...units));
