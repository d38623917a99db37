/** A response with a part of the documented fields; null where the provider has no value. */
export type PartOf<T> = T extends readonly (infer One)[]
  ? readonly PartOf<One>[]
  : T extends object
    ? { readonly [Field in keyof T]?: PartOf<T[Field]> | null }
    : T;

/** Fields of any of several documented shapes. */
type FieldOf<T> = T extends unknown ? keyof T : never;

/**
 * Checks a simulator's response against a type of the provider's official client at compile time: an undocumented field or one with another
 * type does not compile. Returns the response unchanged.
 */
export const reported =
  <Documented>() =>
  <Answer extends PartOf<Documented>>(
    answer: Answer & { [Field in Exclude<keyof Answer, FieldOf<Documented>>]: never },
  ): Answer =>
    answer;
