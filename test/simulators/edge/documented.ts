/** An answer that tells a part of what is documented; null is what the provider has nothing for. */
export type PartOf<T> = T extends readonly (infer One)[]
  ? readonly PartOf<One>[]
  : T extends object
    ? { readonly [Field in keyof T]?: PartOf<T[Field]> | null }
    : T;

/** Fields of any of several documented shapes. */
type FieldOf<T> = T extends unknown ? keyof T : never;

/**
 * Holds an answer of a simulator against a type of the provider's official client: a field that is not documented, or has another type there, does
 * not compile. The answer itself is given back as it is.
 */
export const told =
  <Documented>() =>
  <Answer extends PartOf<Documented>>(
    answer: Answer & { [Field in Exclude<keyof Answer, FieldOf<Documented>>]: never },
  ): Answer =>
    answer;
