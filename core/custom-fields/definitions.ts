import { query } from "../database/query.ts";
import { statement } from "../database/statement.ts";
import { catalogue } from "../declare/catalogue/catalogue.ts";
import { invalid } from "../declare/errors.ts";
import { ByRevision } from "../request/by-revision.ts";
import { type RequestStore, request } from "../request/context.ts";
import { type CustomDefinition, type CustomValues, checkCustomValues, missingCustomValues } from "./values.ts";

/** Entity types of records with custom fields. A module whose records get a `custom` object adds its own: `interface CustomRecords { … }`. */
export interface CustomRecords {}
export type CustomEntityType = keyof CustomRecords & string;

/** The kinds of record that can have custom fields, sorted: also those of modules that are only awaited. */
export const customEntityTypes = (): string[] =>
  [...catalogue().records].flatMap(([kind, { custom }]) => (custom ? [kind] : [])).toSorted();

const ACTIVE = statement(`select key, data_type, required, options_json, config_json, label_i18n from custom_field_definitions
  where organisation_id = $1 and entity_type = $2 and active order by position, key`);

type Definitions = readonly CustomDefinition[];

/** By entity type. A request that decides by what stands here is refused when it was out of date, before anything is written or answered. */
const kept = new ByRevision<Definitions>();
/** What a request that proves no revision has read itself: the command line's imports, the service's own work. */
const own = new WeakMap<RequestStore, Map<string, Definitions>>();

/** The active definitions of an entity type. One statement at the first use after a change of access or definitions, then none. */
export async function activeDefinitions(entityType: CustomEntityType): Promise<Definitions> {
  const store = request();
  const read = () => query<CustomDefinition>(ACTIVE, [store.organisation.id, entityType]);
  if (store.guarded) {
    const found = kept.get(entityType) ?? (await read());
    kept.keep(found, entityType);
    return found;
  }
  const mine = own.get(store) ?? new Map<string, Definitions>();
  own.set(store, mine);
  const found = mine.get(entityType) ?? (await read());
  mine.set(entityType, found);
  return found;
}

/**
 * The custom values a write stores, or undefined when it leaves them alone: an update that sends none does not look at them.
 * @param sent the complete set as sent; undefined is "not sent", null is `{}`
 * @throws 422 with one key per offending custom field, all of them at once
 */
export async function customValues(
  entityType: CustomEntityType,
  sent: CustomValues | null | undefined,
  mode: "create" | "update",
): Promise<CustomValues | undefined> {
  if (sent === undefined && mode === "update") return undefined;
  return checkCustomValues(sent ?? {}, await activeDefinitions(entityType));
}

/**
 * For the moment at which a record that was made without a form has to be complete.
 * @param stored the custom values it has
 * @throws 422 with `errors.required` by key where a required field has no value
 */
export async function requireCustomValues(entityType: CustomEntityType, stored: CustomValues): Promise<void> {
  const missing = missingCustomValues(stored, await activeDefinitions(entityType));
  if (Object.keys(missing).length > 0) throw invalid(missing);
}
