import { query } from "../database/query.ts";
import { catalogue } from "../declare/catalogue/catalogue.ts";
import { invalid } from "../errors/errors.ts";
import { ByRevision } from "../request/by-revision.ts";
import { type RequestStore, request } from "../request/context.ts";
import { statement } from "../sql/statement.ts";
import {
  type CustomDefinition,
  type CustomEntityType,
  type CustomValues,
  checkCustomValues,
  missingCustomValues,
} from "./values.ts";

/** The record kinds with custom fields, sorted, including those of planned modules. */
export const customEntityTypes = (): string[] =>
  [...catalogue().records].flatMap(([kind, { custom }]) => (custom ? [kind] : [])).toSorted();

const ACTIVE = statement(`select key, data_type, required, options_json, config_json, label_i18n from custom_field_definitions
  where organisation_id = $1 and entity_type = $2 and active order by position, key`);

type Definitions = readonly CustomDefinition[];

/** Cached by entity type. If a definition was stale, the request that used it is rejected before it writes or answers. */
const kept = new ByRevision<Definitions>();
/** The definitions read by requests that prove no revision: imports from the command line, and the service's own work. */
const own = new WeakMap<RequestStore, Map<string, Definitions>>();

/** The active definitions of an entity type. One statement at the first use after a change of access or definitions, none afterwards. */
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
 * The custom values to store, or undefined if the write leaves them unchanged: an update without `custom` does not check them.
 * @param sent the complete set; undefined means "not sent", null means `{}`
 * @throws 422 listing every invalid custom field by its key
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
 * Requires all mandatory values, at the moment when a record created without a form must be complete.
 * @param stored its custom values
 * @throws 422 with `errors.required` by key for required fields without a value
 */
export async function requireCustomValues(entityType: CustomEntityType, stored: CustomValues): Promise<void> {
  const missing = missingCustomValues(stored, await activeDefinitions(entityType));
  if (Object.keys(missing).length > 0) throw invalid(missing);
}
