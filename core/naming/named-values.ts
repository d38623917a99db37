/** Marks an array with the name of its values; a symbol, so that no copy, comparison or JSON has it. */
const NAME = Symbol("name of values");

/**
 * The values of a field, with the name of their type: each `choice` of them is one schema of the document, whatever is optional, nullable or
 * described about it.
 * @param name in PascalCase, such as `CompanyStatus`
 */
export const namedValues = <const T extends readonly string[]>(name: string, values: T): T =>
  Object.defineProperty(values, NAME, { value: name });

/** The name of values, or undefined if they have none. */
export const nameOfValues = (values: readonly string[]): string | undefined =>
  (values as readonly string[] & { [NAME]?: string })[NAME];
