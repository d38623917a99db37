import { isDeepStrictEqual } from "node:util";
import { type CustomDefinition, type CustomValues, readCustomValues } from "../custom-fields/values.ts";
import type { Values } from "../database/write.ts";
import { isCut } from "./files/cell.ts";

/**
 * What a row of a file says that its record does not say already. A text that an export has cut off says nothing; one that stands in the
 * record as it is needs no rule's leave to stay.
 */
export const newValues = (before: Values, given: Values): Values =>
  Object.fromEntries(Object.entries(given).filter(([field, value]) => !isCut(value) && before[field] !== value));

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
  const whole = Object.fromEntries(Object.entries(given).filter(([, value]) => !isCut(value)));
  const asked = definitions.filter(({ key }) => Object.hasOwn(whole, key));
  const { values, refused } = readCustomValues(whole, asked);
  const isNew = asked.some(({ key }) => Object.hasOwn(refused, key) || !isDeepStrictEqual(values[key], stored[key]));
  if (!isNew) return undefined;
  const kept = definitions.flatMap(({ key }) => (Object.hasOwn(stored, key) ? [[key, stored[key]] as const] : []));
  return Object.fromEntries([...kept, ...Object.entries(whole)]);
}
