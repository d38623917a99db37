import { type AutomationEntity, closedConfig, type NamedTrigger, type SeenColumn } from "../../../core/declare/automation.ts";
import { automation, events } from "../../../core/declare/catalogue/catalogue.ts";
import { definitionsIn, plainSchema } from "../../../core/schema/plain-schema.ts";
import type { Static, TSchema } from "../../../core/schema/schema.ts";
import type { CatalogRead, FieldType } from "./catalog-schemas.ts";
import { ConditionTree } from "./condition-schemas.ts";
import { seenFields } from "./snapshots.ts";

type Catalog = Static<typeof CatalogRead>;
type Trigger = Catalog["triggers"][number];

/** `previous_status` as `Previous status`, `company_id` as `Company`. */
function labelOf(name: string): string {
  const words = name.replace(/(?<=.)_id$/, "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const FORMATS: Readonly<Record<string, FieldType>> = { uuid: "id", date: "date", "date-time": "instant" };
const JSON_TYPES: Readonly<Record<string, FieldType>> = {
  integer: "number",
  number: "number",
  boolean: "boolean",
  array: "list",
  object: "object",
};

/** The schema of an event's field, as far as the catalogue describes it. */
interface FieldSchema {
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: readonly unknown[];
}

function eventField(name: string, schema: TSchema | undefined): Trigger["fields"][number] {
  const { type = [], format = "", description = "", enum: values = [] } = (schema ?? {}) as FieldSchema;
  const types = [type].flat();
  const plain = types.find((one) => one !== "null") ?? "string";
  return {
    name,
    label: labelOf(name),
    type: FORMATS[format] ?? JSON_TYPES[plain] ?? "text",
    nullable: types.includes("null"),
    description,
    values: values.filter((value) => typeof value === "string"),
  };
}

/** PostgreSQL types that are not text in a rule's facts. */
const STORED: readonly [RegExp, FieldType][] = [
  [/\[\]$/, "list"],
  [/^uuid$/, "id"],
  [/^(integer|smallint|bigint|double precision|real|numeric)/, "number"],
  [/^boolean$/, "boolean"],
  [/^date$/, "date"],
  [/^timestamp/, "instant"],
  [/^jsonb?$/, "object"],
];

function recordField(name: string, column: SeenColumn | undefined): Trigger["record_fields"][number] {
  const { type, nullable } = column?.facts ?? { type: name.endsWith("_id") ? "uuid" : "text", nullable: true };
  return { name, label: labelOf(name), type: STORED.find(([shape]) => shape.test(type))?.[1] ?? "text", nullable };
}

function recordFields(entity: AutomationEntity, { payload }: NamedTrigger): Trigger["record_fields"] {
  return seenFields(entity)
    .filter((name) => !payload.includes(name))
    .map((name) => recordField(name, entity.model.columns[name]));
}

async function triggerInfo(trigger: NamedTrigger): Promise<Trigger> {
  const { event, entity_type, payload } = trigger;
  const kind = events()[event];
  const entity = await automation().entities.get(entity_type)?.();
  return {
    event,
    entity_type,
    // Rules have no use for the sentence about recipients.
    description: (kind?.about ?? "").replace(/ Recipients: .*$/, ""),
    fields: payload.map((name) => eventField(name, kind?.payload.properties[name])),
    record_fields: entity ? recordFields(entity, trigger) : [],
  };
}

async function catalogOf({ triggers, actions }: ReturnType<typeof automation>): Promise<Catalog> {
  return {
    triggers: await Promise.all([...triggers.values()].map(triggerInfo)),
    actions: [...actions.keys()],
    configs: [...actions.values()].map((action) => {
      const { description = "", example = {} } = action.config as { description?: string; example?: Record<string, unknown> };
      return { action_type: action.key, description, schema: plainSchema(closedConfig(action)), example };
    }),
    conditions: { ...plainSchema(ConditionTree), $defs: definitionsIn(ConditionTree) },
  };
}

const made = new WeakMap<object, Promise<Catalog>>();

/** The triggers, fields and actions of rules, from the modules' declarations (platform chapter §2.1). Built once. */
export function ruleCatalog(): Promise<Catalog> {
  const declared = automation();
  let catalog = made.get(declared);
  if (!catalog) {
    made.set(declared, (catalog = catalogOf(declared)));
    catalog.catch(() => made.delete(declared));
  }
  return catalog;
}
