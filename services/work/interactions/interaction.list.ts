import { LIST_DEFAULTS, listing } from "../../../core/database/lists/list.ts";
import { columns } from "../../../core/database/model.ts";
import { jsonArray, projection } from "../../../core/database/projection.ts";
import { type Statement, statement } from "../../../core/database/statement.ts";
import { refusal } from "../../../core/declare/errors.ts";
import { projectsOfClient, throughTaskOfStaff } from "../visibility.ts";
import { InteractionRead } from "./interaction-schemas.ts";
import { Interaction } from "./models.ts";

/** Rows in the view of a restricted caller, on alias `t`: client logins see nothing that is no client's. */
export const inSelection = (clients: boolean, slot: string): string => (clients ? projectsOfClient : throughTaskOfStaff)(slot);
/** A pending row is its mailbox owner's alone: no permission opens it (contact moments §3, "Privacy"). */
export const isShown = (caller: string): string => `(t.status = 'logged' or t.owner_account_id = ${caller})`;

const NAME = "coalesce(nullif(trim(concat_ws(' ', c.first_name, c.last_name)), ''), c.email)";

/** What a record is called that a column of `t` refers to. */
const named = (table: string, name: string, id: string) =>
  `(select r.${name} from ${table} r where r.organisation_id = t.organisation_id and r.id = t.${id})`;

/** The one select behind every answer that shows a contact moment. */
export const interactionProjection = projection({
  model: Interaction,
  schema: InteractionRead,
  columns: {
    company_name: named("companies", "name", "company_id"),
    project_name: named("projects", "name", "project_id"),
    task_title: named("tasks", "title", "task_id"),
    contact_id: "people.lead_id",
    contacts: "people.contacts",
    // An `exists` may be planned as a look at every task at once, whatever the page.
    closes_task: `coalesce((select true from tasks ct where ct.organisation_id = t.organisation_id and ct.closing_interaction_id = t.id
      limit 1), false)`,
    owner_user_id: "t.owner_account_id",
    owner_name: "coalesce(nullif(ow.full_name, ''), ow.email)",
    conversation_count: `(select count(*)::int from interactions cv
      where cv.organisation_id = t.organisation_id and cv.conversation_id = t.conversation_id)`,
  },
  joins: `left join accounts ow on ow.id = t.owner_account_id
    left join lateral (
      select coalesce(json_agg(json_build_object('contact_id', ic.contact_id, 'name', ${NAME}) order by ic.position), '[]') as contacts,
             (array_agg(ic.contact_id order by ic.position))[1] as lead_id
        from interaction_contacts ic join contacts c on c.organisation_id = ic.organisation_id and c.id = ic.contact_id
       where ic.organisation_id = t.organisation_id and ic.interaction_id = t.id) people on true`,
});

/** The search in subject, snippet and body. The page itself folds conversations, which no plain list does (`interactionPage`). */
export const interactionListing = listing(
  { table: "interactions", searchable: true, order: "-occurred_at", sorts: { occurred_at: { by: "t.occurred_at" } } },
  interactionProjection,
);
const SEARCH = interactionListing.functions.find(({ name }) => name.includes("_search_")) as { name: string };
/** The most hits of a search that are looked at. */
const MOST_HITS = 10_000;

/** What a caller asks of the list; undefined is not filtered. */
export interface InteractionFilters {
  company_id?: string | undefined;
  project_id?: string | undefined;
  /** The project's tasks as well. */
  project_tasks?: string | undefined;
  task_id?: string | undefined;
  contact_id?: string | undefined;
  kind?: string | undefined;
  status?: string | undefined;
  owner?: string | undefined;
  /** Instants, the second exclusive. */
  from?: string | undefined;
  until?: string | undefined;
  q?: string | undefined;
  updated_since?: string | undefined;
}

const CONDITIONS: Record<keyof InteractionFilters, (slot: string) => string> = {
  company_id: (slot) => `t.company_id = ${slot}::uuid`,
  project_id: (slot) => `t.project_id = ${slot}::uuid`,
  project_tasks: (slot) => `(t.project_id = ${slot}::uuid or t.task_id in (
    select pt.id from tasks pt where pt.organisation_id = $1 and pt.project_id = ${slot}::uuid))`,
  task_id: (slot) => `t.task_id = ${slot}::uuid`,
  contact_id: (slot) => `exists (select 1 from interaction_contacts fc where fc.organisation_id = $1 and fc.interaction_id = t.id
    and fc.contact_id = ${slot}::uuid)`,
  kind: (slot) => `t.kind = ${slot}::text`,
  status: (slot) => `t.status = ${slot}::text`,
  owner: (slot) => `t.owner_account_id = ${slot}::uuid`,
  from: (slot) => `t.occurred_at >= ${slot}::timestamptz`,
  until: (slot) => `t.occurred_at < ${slot}::timestamptz`,
  q: (slot) => `t.id in (select ${SEARCH.name}(${slot}::text, null::uuid[], null::timestamptz, '-occurred_at', ${MOST_HITS}, 0))`,
  updated_since: (slot) => `t.updated_at >= ${slot}::timestamptz`,
};

const OWNER = "(select coalesce(nullif(so.full_name, ''), so.email) from accounts so where so.id = t.owner_account_id)";
const CONTACT = `(select ${NAME} from interaction_contacts si join contacts c on c.organisation_id = si.organisation_id and c.id = si.contact_id
  where si.organisation_id = t.organisation_id and si.interaction_id = t.id order by si.position limit 1)`;
const SORTS: Record<string, string> = {
  occurred_at: "t.occurred_at",
  subject: "t.subject collate kantoor_text",
  kind: "t.kind",
  contact: `${CONTACT} collate kantoor_text`,
  owner: `${OWNER} collate kantoor_text`,
};
/** The keys of `sort`. */
export const interactionSorts = SORTS;

/** What a caller asks of a page beside filters. */
export interface InteractionAsked {
  limit?: number | undefined;
  offset?: number | undefined;
  sort?: string | undefined;
  count?: boolean | undefined;
  with_body?: boolean | undefined;
}

const statements = new Map<string, Statement>();

function orderOf(sort: string): string {
  const by = SORTS[sort.replace(/^-/, "")];
  if (by === undefined) throw refusal("invalid_sort", "errors.invalid_sort", { fields: { sort: "errors.invalid_sort" } });
  const descending = sort.startsWith("-") ? " desc" : "";
  // A moment is never empty, and only an order without a word about that walks its index.
  if (by === SORTS["occurred_at"]) return `${by}${descending}, t.id`;
  return `${by}${descending} nulls last, t.occurred_at desc, t.id`;
}

/**
 * Compiles a page: of every conversation the newest message that the filters and the caller's view leave; `total` counts conversations.
 * Slots: organisation, limit, offset, caller, selection, then the filters that are present.
 */
function compile(
  sort: string,
  names: readonly (keyof InteractionFilters)[],
  restricted: boolean,
  clients: boolean,
  asked: InteractionAsked,
) {
  const conditions = [
    "t.organisation_id = $1",
    isShown("$4::uuid"),
    ...(restricted ? [inSelection(clients, "$5::uuid[]")] : ["$5::uuid[] is null"]),
    ...names.map((name, index) => CONDITIONS[name](`$${index + 6}`)),
  ].join(" and ");
  const newer = conditions.replaceAll(/\bt\./g, "n.");
  const latest = `not exists (select 1 from interactions n where n.conversation_id = t.conversation_id
    and (n.occurred_at, n.id) > (t.occurred_at, t.id) and ${newer})`;
  const chosen = `(select ${columns(Interaction, "t")} from interactions t where ${conditions} and ${latest} order by ${orderOf(sort)} limit $2 offset $3)`;
  const rows = interactionProjection.rows(chosen);
  const shown = asked.with_body ? rows : rows.replace("t.body_text as", "null::text as");
  const total =
    asked.count === false
      ? "null::int"
      : `(select count(distinct t.conversation_id)::int from interactions t where ${conditions})`;
  return statement(`select ${jsonArray(`${shown} order by ${orderOf(sort)}`)} as items, ${total} as total`);
}

/** The statement of a page with its values. @throws 400 `invalid_sort` */
export function interactionPage(
  organisationId: string,
  caller: string,
  selection: string[] | null,
  clients: boolean,
  asked: InteractionAsked,
  filters: InteractionFilters,
): [Statement, unknown[]] {
  const { limit = INTERACTION_PAGE, offset = LIST_DEFAULTS.offset, sort = "-occurred_at" } = asked;
  const names = (Object.keys(CONDITIONS) as (keyof InteractionFilters)[]).filter((name) => filters[name] !== undefined);
  const key = `${sort} ${names} ${selection !== null} ${clients} ${asked.count} ${asked.with_body}`;
  const known = statements.get(key) ?? compile(sort, names, selection !== null, clients, asked);
  statements.set(key, known);
  return [known, [organisationId, limit, offset, caller, selection, ...names.map((name) => filters[name])]];
}

/** Conversations on a page that names no limit. */
export const INTERACTION_PAGE = 20;
