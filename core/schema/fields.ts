import type { TProperties, TSchema } from "typebox";

/** Descriptions by property or parameter name. */
export type Texts = Readonly<Record<string, string>>;

/** The meaning of a field wherever it occurs, unless its schema says otherwise. A nullable field adds `NULL`. */
const FIELDS: Texts = {
  id: "Id of the record. It never changes and is never used again",
  org_id: "The organisation the record belongs to",
  created_at: "When it was added, UTC",
  updated_at: "When it was last changed, UTC; `updated_since` of a list compares this instant",
  custom: "Values of the fields that the organisation defined for such records, by the `key` of the definition",
  position: "Position in the order: lower numbers come first",
  label_i18n: "Name by language, such as `nl` and `en`",
  name_i18n: "Name by language, such as `nl` and `en`",
  description_i18n: "Description by language, such as `nl` and `en`",
  company_id: "The client",
  company_name: "Name of the client",
  project_id: "The project",
  project_name: "Name of the project",
  task_id: "The task",
  task_title: "Title of the task",
  contact_id: "The contact",
  subscription_id: "The subscription",
  user_id: "The account of the person",
  user_name: "Full name of the person",
  entity_type: "Kind of the record, such as `company` or `task`",
  entity_id: "Id of the record of that kind",
  actor_name: "Full name of the account that acted",
  actor_deleted: "Whether that account no longer exists",
  impersonator_name: "Full name of the member who acted in the login of a client",
  recipients: "Accounts the event is for. Webhooks send the event without this field",
};
const NULL = "; null if none";

type Plain = TSchema & { description?: string; type?: string | string[]; anyOf?: { type?: string }[] };

const mayBeNull = ({ type, anyOf = [] }: Plain): boolean =>
  [type].flat().includes("null") || anyOf.some((part) => part.type === "null");

/** A copy with a description. It copies property descriptors, because a spread would lose TypeBox's marks of optional properties. */
function withText(schema: TSchema, description: string): TSchema {
  const value = { value: description, enumerable: true, configurable: true, writable: true };
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(schema), description: value }) as TSchema;
}

/**
 * The same properties with descriptions: each its own, otherwise the one in `texts`, otherwise the shared one for its name. A property that
 * none of them describes stays without.
 */
export function described<P extends TProperties>(properties: P, texts: Texts = {}): P {
  const one = ([name, schema]: [string, Plain]): [string, TSchema] => {
    if (schema.description !== undefined) return [name, schema];
    const shared = FIELDS[name];
    const text = texts[name] ?? (shared && mayBeNull(schema) ? `${shared}${NULL}` : shared);
    return [name, text === undefined ? schema : withText(schema, text)];
  };
  return Object.fromEntries(Object.entries(properties).map((entry) => one(entry as [string, Plain]))) as P;
}
