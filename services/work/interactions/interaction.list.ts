import { firstByParent, firstByPerson, personForOrder } from "../../../core/database/lists/first.ts";
import { keptCount } from "../../../core/database/lists/kept-counts.ts";
import { LIST_DEFAULTS, listing, type PageBound, pageBound } from "../../../core/database/lists/list.ts";
import { clauseOf, type OrderPart } from "../../../core/database/lists/order.ts";
import { joinedParts, type PageStatement, pageStatement } from "../../../core/database/lists/page-statements.ts";
import { conditionsBehind, formOf, type Position, valuesOf } from "../../../core/database/lists/position.ts";
import { columns } from "../../../core/database/model.ts";
import { isSeen, type NamedRecord, namedRecord } from "../../../core/database/named-record.ts";
import { NOBODY_RESTRICTED, type Projection, projection } from "../../../core/database/projection.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { textStatement } from "../../../core/sql/statement.ts";
import { namedClient } from "../../../mixins/named/named-clients.ts";
import { namedContact } from "../named-contacts.ts";
import { namedProject, namedTask } from "../named-records.ts";
import { projectsOfClient, throughTaskOfStaff } from "../visibility.ts";
import { InteractionRead } from "./interaction-schemas.ts";
import { Interaction } from "./models.ts";

/** Rows in the view of a restricted caller, on alias `t`: client logins see only rows with a client. */
export const inSelection = (clients: boolean, slot: string): string => (clients ? projectsOfClient : throughTaskOfStaff)(slot);
/** Only the mailbox owner sees a pending row: no permission opens it (contact moments §3, "Privacy"). */
export const isShown = (caller: string): string => `(t.status = 'logged' or t.owner_account_id = ${caller})`;

/** Joins for the records a contact moment refers to, as far as the caller sees them. @param sources SQL of the caller's selection */
function referred(clients: boolean, sources: string): string {
  const contact = namedContact(clients);
  return [
    namedRecord("company", namedClient, "t.company_id", sources),
    namedRecord("project", namedProject(clients), "t.project_id", sources),
    namedRecord("task", namedTask(clients), "t.task_id", sources),
    `left join lateral (
      select coalesce(json_agg(json_build_object('contact_id', ic.contact_id, 'name', r.name) order by ic.position)
               filter (where r.id is not null), '[]') as contacts,
             (array_agg(r.id order by ic.position))[1] as lead_id
        from (select t.organisation_id, o.contact_id, o.position from interaction_contacts o
               where o.organisation_id = t.organisation_id and o.interaction_id = t.id) ic
        ${namedRecord("r", contact, "ic.contact_id", sources, "ic")}) people on true`,
    participants(contact, sources),
  ].join(" ");
}

/** The participants of moment `t`; for a contact hidden from the caller, only the address remains. */
function participants(contact: NamedRecord, sources: string): string {
  if (sources === NOBODY_RESTRICTED) return "cross join lateral (select t.participants as list offset 0) took_part";
  return `cross join lateral (
    select case when ${sources} is null then t.participants else (
      select coalesce(jsonb_agg(case when e.one ->> 'contact_id' is null or exists (select 1 from contacts r
               where r.organisation_id = t.organisation_id and r.id = (e.one ->> 'contact_id')::uuid and ${isSeen(contact, "r", sources)})
             then e.one else e.one || '{"contact_id": null, "name": null}' end order by e.n), '[]')
        from jsonb_array_elements(t.participants) with ordinality e(one, n)) end as list offset 0) took_part`;
}

/** The number of messages in the conversation of moment `t` that the caller may open, itself included. */
function conversation(clients: boolean, sources: string): string {
  const isOpen = isSeen({ visible: (slot) => inSelection(clients, slot) }, "cv", sources);
  return `cross join lateral (select count(*)::int as messages from interactions cv
    where cv.organisation_id = t.organisation_id and cv.conversation_id = t.conversation_id
      and (cv.id = t.id or cv.status = 'logged' and ${isOpen}) offset 0) conversation`;
}

/** The select behind every response with a contact moment. @param clients for client logins */
const projected = (clients: boolean) =>
  projection({
    model: Interaction,
    schema: InteractionRead,
    columns: {
      company_id: "company.id",
      company_name: "company.name",
      project_id: "project.id",
      project_name: "project.name",
      task_id: "task.id",
      task_title: "task.name",
      contact_id: "people.lead_id",
      contacts: "people.contacts",
      participants: "took_part.list",
      // PostgreSQL may plan an `exists` as one scan of every task, whatever the page.
      closes_task: `coalesce((select true from tasks ct where ct.organisation_id = t.organisation_id and ct.closing_interaction_id = t.id
        limit 1), false)`,
      owner_user_id: "t.owner_account_id",
      owner_name: "ow.name",
      conversation_count: "conversation.messages",
    },
    joins: (sources) =>
      `${personForOrder("ow", "t.owner_account_id")} ${referred(clients, sources)} ${conversation(clients, sources)}`,
  });
const PROJECTIONS = { staff: projected(false), client: projected(true) };
/** How responses show a contact moment. @param clients for client logins */
export const interactionProjection = (clients: boolean): Projection => PROJECTIONS[clients ? "client" : "staff"];

/** Searches subject, snippet and body. The page itself folds conversations, which a plain list cannot do (`interactionPage`). */
export const interactionListing = listing(
  { table: "interactions", searchable: true, order: "-occurred_at", sorts: { occurred_at: { by: "t.occurred_at" } } },
  PROJECTIONS.staff,
);
const SEARCH = interactionListing.functions.find(({ name }) => name.includes("_search_")) as { name: string };
/** All hits of a search, found once and shared by the page, the folding and the total. */
const hits = (slot: string): string => `with hits as materialized (
  select ${SEARCH.name}(${slot}::text[], null::uuid[], null::timestamptz, '-occurred_at', null, 0) as id)`;

/** Filters of the list; undefined ones do not apply. */
export interface InteractionFilters {
  company_id?: string | undefined;
  project_id?: string | undefined;
  /** Includes moments of the project's tasks. */
  project_tasks?: string | undefined;
  task_id?: string | undefined;
  contact_id?: string | undefined;
  kind?: string | undefined;
  status?: string | undefined;
  owner?: string | undefined;
  /** Instants, the second exclusive. */
  from?: string | undefined;
  until?: string | undefined;
  /** Words that must occur. */
  q?: string[] | undefined;
  updated_since?: string | undefined;
}

/** Whether the caller sees a record named by a filter: a hidden one finds nothing (conventions §5). */
const named = (record: NamedRecord, slot: string, sources: string): string =>
  sources === NOBODY_RESTRICTED
    ? ""
    : ` and exists (select 1 from ${record.table} r where r.organisation_id = $1 and r.id = ${slot}::uuid and ${isSeen(record, "r", sources)})`;

/** SQL of the ids of the moments that link to another record: no plan then walks all moments to find those of few. */
const LINKED: Partial<Record<keyof InteractionFilters, (slot: string) => string>> = {
  contact_id: (slot) =>
    `select fc.interaction_id from interaction_contacts fc where fc.organisation_id = $1 and fc.contact_id = ${slot}::uuid`,
  project_tasks: (slot) => `select pm.id from interactions pm where pm.organisation_id = $1 and pm.project_id = ${slot}::uuid
    union select pm.id from interactions pm where pm.organisation_id = $1 and pm.task_id = any(array(
      select pt.id from tasks pt where pt.organisation_id = $1 and pt.project_id = ${slot}::uuid))`,
};

type Condition = (slot: string, sources: string, clients: boolean) => string;
const CONDITIONS: Record<keyof InteractionFilters, Condition> = {
  company_id: (slot) => `t.company_id = ${slot}::uuid`,
  project_id: (slot, sources, clients) => `t.project_id = ${slot}::uuid${named(namedProject(clients), slot, sources)}`,
  project_tasks: (slot, sources, clients) => `(t.project_id = ${slot}::uuid or t.task_id in (
    select pt.id from tasks pt where pt.organisation_id = $1 and pt.project_id = ${slot}::uuid))${named(namedProject(clients), slot, sources)}`,
  task_id: (slot, sources, clients) => `t.task_id = ${slot}::uuid${named(namedTask(clients), slot, sources)}`,
  contact_id: (slot, sources, clients) => `exists (select 1 from interaction_contacts fc where fc.organisation_id = $1
    and fc.interaction_id = t.id and fc.contact_id = ${slot}::uuid)${named(namedContact(clients), slot, sources)}`,
  kind: (slot) => `t.kind = ${slot}::text`,
  status: (slot) => `t.status = ${slot}::text`,
  owner: (slot) => `t.owner_account_id = ${slot}::uuid`,
  from: (slot) => `t.occurred_at >= ${slot}::timestamptz`,
  until: (slot) => `t.occurred_at < ${slot}::timestamptz`,
  q: () => "t.id in (select h.id from hits h)",
  updated_since: (slot) => `t.updated_at >= ${slot}::timestamptz`,
};

const NEWEST = "t.occurred_at desc, t.id";
/** The first contact of moment `t`, as the caller sees it. */
const contactName = (contact: NamedRecord, sources: string) =>
  `left join lateral (select ${contact.name} as name from (select o.contact_id from interaction_contacts o
      where o.organisation_id = t.organisation_id and o.interaction_id = t.id order by o.position, o.contact_id limit 1) si
    join contacts r on r.organisation_id = t.organisation_id and r.id = si.contact_id and ${isSeen(contact, "r", sources)} limit 1) sc on true`;

/** A sort: the SQL to order by, its join, and a shortcut to the first rows of an unfiltered list. */
interface MomentSort {
  by: string;
  /** Only an order without a `nulls` clause can walk its index. */
  neverEmpty?: true;
  join?: (clients: boolean, sources: string) => string;
  first?: (descending: boolean) => string;
}

/** The moments of the plain list, on alias `t`: the newest of each conversation. `$4` is the caller. */
const LEADING = `t.leads and ${isShown("$4::uuid")}`;
const CONTACT = `${(namedContact(false).name as string).replaceAll("r.", "c.")}`;
const SORTS: Record<string, MomentSort> = {
  occurred_at: { by: "t.occurred_at", neverEmpty: true },
  subject: { by: "t.subject collate kantoor_text" },
  kind: { by: "t.kind", neverEmpty: true },
  contact: {
    by: "sc.name collate kantoor_text",
    join: (clients, sources) => contactName(namedContact(clients), sources),
    first: firstByParent({
      table: "interactions",
      parent: "contacts",
      by: [`${CONTACT} collate kantoor_text`],
      named: `${CONTACT} is not null`,
      // An array, so that no plan scans all moments to find those of one contact.
      rows: `from interactions t where t.organisation_id = $1 and t.id = any(array(select ic.interaction_id from interaction_contacts ic
        where ic.organisation_id = $1 and ic.contact_id = c.id
          and not exists (select 1 from interaction_contacts e where e.organisation_id = $1 and e.interaction_id = ic.interaction_id
            and (e.position, e.contact_id) < (ic.position, ic.contact_id))))`,
      join: `left join lateral (select o.contact_id from interaction_contacts o
          where o.organisation_id = t.organisation_id and o.interaction_id = t.id order by o.position, o.contact_id limit 1) si on true
        left join contacts c on c.organisation_id = t.organisation_id and c.id = si.contact_id`,
      where: LEADING,
      ties: NEWEST,
    }),
  },
  owner: {
    by: "so.name collate kantoor_text",
    join: () => personForOrder("so", "t.owner_account_id"),
    first: firstByPerson({ table: "interactions", column: "owner_account_id", where: LEADING, ties: NEWEST }),
  },
};
export const interactionSorts = SORTS;

/** Parameters of a page other than filters. */
export interface InteractionAsked {
  limit?: number | undefined;
  offset?: number | undefined;
  sort?: string | undefined;
  count?: boolean | undefined;
  with_body?: boolean | undefined;
  after?: Position | undefined;
}

const statements = new Map<string, PageStatement>();

/** Deepest row for which a sort's shortcut is used. */
const FIRST = 10_000;

function sortOf(sort: string): MomentSort {
  const found = SORTS[sort.replace(/^-/, "")];
  if (found === undefined) throw refusal("invalid_sort", "errors.invalid_sort", { fields: { sort: "errors.invalid_sort" } });
  return found;
}

/** The order of a page: rows changed since an instant are in the order of their change, whatever `sort` says. */
function orderOf(sort: string, isOfChanges: boolean): OrderPart[] {
  const { by, neverEmpty = false } = sortOf(sort);
  const part = (sql: string, descending: boolean, mayBeEmpty = false) => ({ sql, descending, mayBeEmpty });
  const ties = [part("t.occurred_at", true), part("t.id", false)];
  if (isOfChanges) return [part("t.updated_at", false), part("t.id", false)];
  const key = part(by, sort.startsWith("-"), !neverEmpty);
  return by === "t.occurred_at" ? [key, ...ties.slice(1)] : [key, ...ties];
}

/** The parameters a page is compiled for. */
interface PageShape {
  sort: string;
  /** The filters that are present. */
  names: readonly (keyof InteractionFilters)[];
  restricted: boolean;
  clients: boolean;
  /** Whether the page ends before row `FIRST`. */
  isNear: boolean;
  count: boolean;
  with_body: boolean | undefined;
  /** The position that it begins behind. */
  after: Position;
}

/**
 * Compiles a page: the newest message of each conversation that passes the filters and the caller's view; `total` counts conversations. A
 * pending message joins its conversation only once approved. In an unfiltered list each row itself records whether it is the newest. Slots:
 * organisation, limit, offset, caller, selection, then the filters that are present.
 */
function compile({ sort, names, restricted, clients, isNear, count, with_body, after }: PageShape): PageStatement {
  const sources = restricted ? "$5::uuid[]" : NOBODY_RESTRICTED;
  const { join, first } = sortOf(sort);
  const parts = orderOf(sort, names.includes("updated_since"));
  const order = clauseOf(parts);
  const isPlain = !restricted && names.length === 0;
  const conditions = [
    "t.organisation_id = $1",
    isShown("$4::uuid"),
    ...(restricted ? [inSelection(clients, "$5::uuid[]")] : ["$5::uuid[] is null"]),
    ...names.map((name, index) => CONDITIONS[name](`$${index + 6}`, sources, clients)),
  ].join(" and ");
  const linked = names.flatMap((name, index) => {
    const ids = LINKED[name]?.(`$${index + 6}`);
    return ids === undefined ? [] : [`t.id = any(array(${ids}))`];
  });
  const found = [conditions, ...linked].join(" and ");
  const newer = conditions.replaceAll(/\bt\./g, "n.");
  const latest = isPlain
    ? "t.leads"
    : `not (t.status = 'logged' and exists (select 1 from interactions n where n.conversation_id = t.conversation_id
        and n.status = 'logged' and (n.occurred_at, n.id) > (t.occurred_at, t.id) and ${newer}))`;
  const joined = join?.(clients, sources) ?? "";
  const shown = [columns(Interaction, "t"), ...joinedParts(parts)].join(", ");
  const behind = conditionsBehind({ parts }, after, names.length + 6);
  const place = behind.length === 0 ? "" : ` and (${behind.map((condition) => `(${condition})`).join(" or ")})`;
  const all = `(select ${shown}, row_number() over (order by ${order}) as ordinal
    from interactions t ${joined} where ${found} and ${latest}${place} order by ${order} limit $2 offset $3)`;
  const near = `(select ${shown}, f.ordinal from unnest((${first?.(sort.startsWith("-"))})
    [($3::bigint + 1)::int : ($3::bigint + $2::bigint)::int]) with ordinality f(id, ordinal)
    join interactions t on t.organisation_id = $1 and t.id = f.id and $5::uuid[] is null ${joined})`;
  const total = isPlain
    ? keptCount("interactions", "k.key = any(array['', $4::uuid::text])")
    : `count(distinct case t.status when 'logged' then t.conversation_id else t.id end)::int from interactions t where ${found}`;
  const isFirst = isPlain && isNear && first !== undefined && after.length === 0;
  const projected = interactionProjection(clients);
  const page = pageStatement(projected, isFirst ? near : all, parts, sources, count ? total : null);
  const text = with_body ? page.statement.text : page.statement.text.replace("t.body_text as", "null::text as");
  const searched = names.includes("q") ? hits(`$${names.indexOf("q") + 6}`) : "";
  return { ...page, statement: textStatement(`${searched} ${text}`) };
}

/** A page. @throws 400 `invalid_sort` */
export function interactionPage(
  organisationId: string,
  caller: string,
  selection: string[] | null,
  clients: boolean,
  asked: InteractionAsked,
  filters: InteractionFilters,
): PageBound {
  const { limit = INTERACTION_PAGE, offset = LIST_DEFAULTS.offset, sort = "-occurred_at", with_body, after = [] } = asked;
  const { count = LIST_DEFAULTS.count } = asked;
  const names = (Object.keys(CONDITIONS) as (keyof InteractionFilters)[]).filter((name) => filters[name] !== undefined);
  const shape: PageShape = {
    sort,
    names,
    restricted: selection !== null,
    clients,
    isNear: limit + offset <= FIRST,
    count,
    with_body,
    after,
  };
  const key = Object.values({ ...shape, after: formOf(after) }).join(" ");
  const known = statements.get(key) ?? compile(shape);
  statements.set(key, known);
  const given = names.map((name) => filters[name]);
  const values = [organisationId, limit + 1, offset, caller, selection, ...given, ...valuesOf(after)];
  return pageBound(interactionProjection(clients), known, values, { limit, count });
}

/** Default page size, in conversations. */
export const INTERACTION_PAGE = 20;
