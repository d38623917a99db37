import { demoId } from "../../../../core/values/demo-ids.ts";

/** The kind of record that a field names, wherever it stands; other names depend on the path. */
const KINDS: Readonly<Record<string, string>> = {
  assignee_contact_id: "contacts",
  company_id: "companies",
  contact_id: "contacts",
  contact_type_id: "contacts/types",
  dns_provider_id: "providers",
  domain_id: "domains",
  entity_id: "companies",
  hosting_id: "hosting",
  ids: "invoicing/invoices",
  instance_id: "uptime/instances",
  interaction_id: "interactions",
  invoice_id: "invoicing/invoices",
  label_id: "tasks/labels",
  leave_type_id: "leave/types",
  membership_id: "members",
  monitor_id: "uptime/monitors",
  product_id: "invoicing/products",
  project_id: "projects",
  provider_id: "providers",
  quote_id: "invoicing/quotes",
  registrar_provider_id: "providers",
  role_id: "roles",
  subscription_type_id: "subscriptions/types",
  task_id: "tasks",
  tax_rate_id: "invoicing/tax-rates",
  website_id: "websites",
  zone_id: "edge/zones",
};

/** Names that stand for a person. */
const PERSON = /(^|_)(user|actor|account)_ids?$|^actor$/;
/** Kinds by the name of a parameter and its path, and by the name of a field that is no part of a path. */
const SAME: Readonly<Record<string, string>> = {
  "id /users": "users",
  "subject_id /portal/logins": "contacts",
  "client_pk /oauth/connections": "oauth/connections",
  link_id: "marketing/links",
};

/** The fixed part of a path before a parameter, such as `tasks/checklists` of `/tasks/:task_id/checklists/:checklist_id`. */
const collectionOf = (urlPath: string, name: string): string => {
  const [before = ""] = urlPath.split(new RegExp(`:${name}(?![a-z_])`));
  return before
    .split("/")
    .filter((part) => part !== "" && !part.startsWith(":"))
    .join("/");
};

/** The kind of record that a field or parameter names, as `demoId` takes it. @param urlPath path of the operation; empty for a field */
export function kindOf(name: string, urlPath = ""): string {
  const isIn = new RegExp(`:${name}(?![a-z_])`).test(urlPath);
  const collection = isIn ? collectionOf(urlPath, name) : "";
  const known = KINDS[name] ?? SAME[isIn ? `${name} /${collection}` : name];
  if (known !== undefined) return known;
  // In a path an account is a connection, not a person.
  if (isIn && (name === "account_id" || !PERSON.test(name))) return collection;
  return PERSON.test(name) ? "users" : name.replace(/_ids?$/, "");
}

/** Kinds of which another record than the first is meant: the first client's figures of visits come with the eighth link. */
const NTH: Readonly<Record<string, number>> = { "marketing/links": 7 };

/** The id in examples of the record that a field or parameter names. */
export function exampleId(name: string, urlPath = ""): string {
  const kind = kindOf(name, urlPath);
  return demoId(kind, NTH[kind]);
}
