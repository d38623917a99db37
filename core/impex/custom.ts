import { isDeepStrictEqual } from "node:util";
import { type CustomDefinition, type CustomValues, readCustomValues } from "../custom-fields/values.ts";

/**
 * The complete set of custom values an update has to send so that those of the file are stored and the others stay; undefined when the
 * file says nothing new. Values of fields that are no longer active cannot be sent and go, as with any other write of the set.
 */
export function mergedCustom(
  stored: CustomValues,
  given: CustomValues | undefined,
  definitions: readonly CustomDefinition[],
): CustomValues | undefined {
  if (given === undefined) return undefined;
  const asked = definitions.filter(({ key }) => Object.hasOwn(given, key));
  const { values, refused } = readCustomValues(given, asked);
  const isNew = asked.some(({ key }) => Object.hasOwn(refused, key) || !isDeepStrictEqual(values[key], stored[key]));
  if (!isNew) return undefined;
  const kept = definitions.flatMap(({ key }) => (Object.hasOwn(stored, key) ? [[key, stored[key]] as const] : []));
  return Object.fromEntries([...kept, ...Object.entries(given)]);
}
