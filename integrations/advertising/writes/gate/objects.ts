import { refusing } from "../../../../mixins/google-ads/failure.ts";
import { type AdsAccess, searchAds } from "../../../../mixins/google-ads/transport.ts";
import type { Collection, Planned } from "../requests/operation.ts";
import {
  isNamed,
  kindOf,
  labelOf,
  namedQuery,
  nameOf,
  objectIn,
  type ProviderRow,
  type Values,
} from "../requests/provider-objects.ts";

/** Some objects as the provider has them, by resource name; without those that it does not know. @throws AdsFailure */
export async function objectsOf(
  access: AdsAccess,
  collection: Collection,
  names: readonly string[],
): Promise<Map<string, Values>> {
  if (names.length === 0) return new Map();
  const found = searchAds<ProviderRow>(access, namedQuery(collection, names), { operation: "writes.current" });
  const objects = (await refusing(found)).map((row) => objectIn(row[kindOf(collection).key]));
  return new Map(objects.map((object) => [nameOf(object), object]));
}

const targetOf = ({ operation: { update, remove } }: Planned): string | undefined =>
  remove ?? (update && String(update["resourceName"]));

/** The operation with what the provider had: its decision is about the object's name, and settling compares the former values. */
function withObject(collection: Collection, one: Planned, object: Values | undefined): Planned {
  if (!object) return one;
  const fields = Object.keys(one.operation.update ?? {}).filter((field) => field !== "resourceName");
  const subject = labelOf(collection, object) ?? one.decision.subject;
  return {
    ...one,
    decision: { ...one.decision, subject },
    before: Object.fromEntries(fields.flatMap((field) => (object[field] === undefined ? [] : [[field, object[field]]]))),
  };
}

/**
 * Reads the objects that operations change, and those that they remove if objects of the collection have names, unless they were read
 * before.
 * @throws AdsFailure
 */
export async function withObjects(access: AdsAccess, collection: Collection, planned: readonly Planned[]): Promise<Planned[]> {
  const areNamed = isNamed(collection);
  const isUnread = ({ before, operation }: Planned) => !before && (areNamed || operation.update !== undefined);
  const names = planned.filter(isUnread).flatMap((one) => targetOf(one) ?? []);
  const objects = await objectsOf(access, collection, names);
  return planned.map((one) => (one.before ? one : withObject(collection, one, objects.get(targetOf(one) ?? ""))));
}
