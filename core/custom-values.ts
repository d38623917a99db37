import { invalid } from "./errors.ts";

/** A custom field as defined for one entity type. */
export interface CustomDefinition {
  key: string;
}

/**
 * Checks the complete set of custom values of a record against the definitions of its entity type.
 * @throws 422 with one key per offending field; a key nobody defined is `customfields.errors.unknown_field`
 */
export function checkCustomValues(
  values: Record<string, unknown>,
  definitions: readonly CustomDefinition[],
): Record<string, unknown> {
  const unknown = Object.keys(values).filter((key) => !definitions.some((definition) => definition.key === key));
  if (unknown.length > 0) throw invalid(Object.fromEntries(unknown.map((key) => [key, "customfields.errors.unknown_field"])));
  return values;
}
