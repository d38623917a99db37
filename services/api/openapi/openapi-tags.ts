import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";

/** What a tag adds to its module's description, and the chapter of docs/rules behind it. */
type Area = readonly [tag: string, more: string, chapter: string, heading: number];

/** Tags in the order of a working day: clients, people, work, money, assets, figures, then operation and administration. */
const AREAS: readonly Area[] = [
  ["companies", "With their numbers, groups, assignees and details for invoices.", "clients", 3],
  ["contacts", "A contact may belong to several clients.", "clients", 4],
  ["interactions", "Imported mail can wait for its owner's review.", "workspace-reporting", 3],
  ["activity", "Visible to everyone who can read the record.", "clients", 5],
  ["hr", "Each dossier belongs to one member of the staff.", "people", 12],
  ["leave", "Leave is counted in hours, on days of the organisation.", "people", 6],
  ["projects", "A project belongs to a client or is internal, and has a roster.", "work", 2],
  ["tasks", "Tasks may belong to a project or a client, repeat, and be planned.", "work", 3],
  ["time", "Hours become work to bill and feed the budgets of projects.", "work", 4],
  ["invoicing", "An invoice is a draft until it is issued; after that a credit note corrects it.", "money", 4],
  ["subscriptions", "Each agreement is billed per period.", "money", 9],
  ["domains", "With renewal, registrar and the price of the extension.", "assets", 2],
  ["websites", "With hosting, provider and the monitors that watch them.", "assets", 4],
  ["hosting", "Packages carry websites and have a yearly or monthly price.", "assets", 4],
  ["providers", "Clients, domains and websites name the providers they use.", "assets", 1],
  ["registrar", "Domains are linked to the register here.", "assets", 10],
  ["edge", "Zones are linked to domains here.", "assets", 7],
  ["uptime", "Monitors are made on those servers and shown with the website.", "workspace-reporting", 5],
  ["marketing", "Figures are stored per day and compared by span.", "marketing-ads", 2],
  ["ads-platform", "Writes have limits and can be switched off.", "marketing-ads", 3],
  ["reporting", "A report presents figures of one client for two periods.", "workspace-reporting", 1],
  ["workspace", "Members connect their own account.", "workspace-reporting", 2],
  ["files", "Everyone who can see the record can see its files.", "conventions", 18],
  ["addresslookup", "Suggestions for address forms.", "clients", 6],
  ["custom-fields", "Values are in `custom` of the record.", "platform", 4],
  ["bulk", "Each record is checked like a single change.", "platform", 3],
  ["impex", "An import is a dry run by default; it writes all rows or none.", "conventions", 22],
  ["deleted", "A copy reads them after the rows that changed.", "conventions", 10],
  ["automation", "A rule has a trigger, conditions and actions.", "platform", 2],
  ["ai", "Each feature can be switched off, and budgets limit the spending.", "platform", 1],
  ["notifications", "Preferences decide which event goes to which channel.", "platform", 5],
  ["nav", "Each person has a menu of their own.", "platform", 6],
  ["prefs", "Any JSON, by key.", "platform", 6],
  ["auth", "Sessions are cookies; scripts use API keys instead.", "access", 1],
  ["users", "Everyone reads and changes their own.", "access", 3],
  ["members", "Administrators invite, deactivate and remove them.", "access", 4],
  ["roles", "System roles are fixed; copy one to change it.", "access", 5],
  ["permissions", "Roles and scopes of keys name its entries.", "access", 5],
  ["api-keys", "A key acts as its owner, within its scopes.", "access", 6],
  ["service-accounts", "They act for themselves, within the scopes of their keys.", "access", 7],
  ["oauth", "A person approves each application and its scopes.", "access", 8],
  ["portal", "A client login sees the records of its own clients only.", "access", 11],
  ["webhooks", "The section *Webhooks* of this document describes each event.", "platform", 5],
  ["settings", "They hold for every member.", "conventions", 22],
  ["meta", "One call after sign-in answers them.", "conventions", 22],
  ["system", "Only the operator reads and changes it.", "platform", 8],
  ["health", "For probes; no credential is needed.", "platform", 8],
  ["instance", "Served on the host `admin` below the base domain alone.", "platform", 8],
];

const places = new Map(AREAS.map(([tag], at) => [tag, at]));
const placeOf = (tag: string): number => places.get(tag) ?? AREAS.length;

/** The description of a tag: its module's sentence, the addition above, and its rules. */
function paragraphOf(tag: string): string | undefined {
  const about = catalogue().tags[tag];
  const area = AREAS[placeOf(tag)];
  if (!area) return about;
  const [, more, chapter, heading] = area;
  return [about, more, `Rules: \`docs/rules/${chapter}.md\`, chapter ${heading}.`].filter((part) => part !== undefined).join(" ");
}

/** The described tags of a document, in the order of a working day. Unlisted tags, such as those of a custom module, follow by name. */
export function tagsOf(names: Iterable<string>): { name: string; description?: string }[] {
  const ordered = [...new Set(names)].toSorted((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
  return ordered.map((name) => {
    const description = paragraphOf(name);
    return { name, ...(description === undefined ? {} : { description }) };
  });
}
