import { enqueue, query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { badRequest } from "../refusals.ts";
import { visibleProject, visibleTask } from "./subscription.list.ts";

/** The projects and tasks linked to an agreement. */
export interface Links {
  project_ids: readonly string[];
  task_ids: readonly string[];
}
type Kind = keyof Links;

/** The links in a body: undefined keeps them, null removes them all. */
export type SentLinks = { readonly [K in Kind]?: readonly string[] | null | undefined };

const KINDS = {
  project_ids: { table: "subscription_projects", column: "project_id", of: "projects p", alias: "p", visible: visibleProject },
  task_ids: { table: "subscription_tasks", column: "task_id", of: "tasks k", alias: "k", visible: visibleTask },
} as const;

const look = (kind: Kind, slot: string) => {
  const { table, column, of, alias, visible } = KINDS[kind];
  return `select '${kind}' as kind, ${alias}.id, l.${column} is not null as is_linked,
      ($5::uuid[] is null or ${visible("$5::uuid[]")}) as is_visible
    from ${of} left join ${table} l on l.organisation_id = ${alias}.organisation_id and l.subscription_id = $2 and l.${column} = ${alias}.id
   where ${alias}.organisation_id = $1 and ${alias}.id in (select unnest(${slot}::uuid[])
     union select m.${column} from ${table} m where m.organisation_id = $1 and m.subscription_id = $2)`;
};
const LOOK = statement(`${look("project_ids", "$3")} union all ${look("task_ids", "$4")}`);

const STATEMENTS = {
  project_ids: {
    drop: statement(
      "delete from subscription_projects where organisation_id = $1 and subscription_id = $2 and not project_id = any($3::uuid[])",
    ),
    put: statement(`insert into subscription_projects (organisation_id, subscription_id, project_id)
      select $1, $2, unnest($3::uuid[]) on conflict do nothing`),
  },
  task_ids: {
    drop: statement(
      "delete from subscription_tasks where organisation_id = $1 and subscription_id = $2 and not task_id = any($3::uuid[])",
    ),
    put: statement(`insert into subscription_tasks (organisation_id, subscription_id, task_id)
      select $1, $2, unnest($3::uuid[]) on conflict do nothing`),
  },
};

interface FoundRecord {
  kind: Kind;
  id: string;
  is_linked: boolean;
  is_visible: boolean;
}

/** Links before and after a write, and the newly linked projects. */
export interface LinkChange {
  before: Links;
  after: Links;
  isChanged: boolean;
  addedProjects: readonly string[];
}

/**
 * Computes the links of an agreement after a write. Links that the caller does not see stay.
 * @returns null when the body contains no links
 * @throws 400 `fields.links` for a new link to a record the caller does not see (money §0)
 */
export async function linkChange(subscriptionId: string, sent: SentLinks): Promise<LinkChange | null> {
  if (sent.project_ids === undefined && sent.task_ids === undefined) return null;
  const asked = (kind: Kind) => sent[kind]?.map((id) => id.toLowerCase()) ?? [];
  const { organisation, principal } = request();
  const values = [organisation.id, subscriptionId, asked("project_ids"), asked("task_ids"), principal?.selection ?? null];
  const found = await query<FoundRecord>(LOOK, values);

  const linked = (kind: Kind) => found.filter((one) => one.kind === kind && one.is_linked);
  const ids = (some: readonly FoundRecord[]) => some.map(({ id }) => id).sort();
  const before = { project_ids: ids(linked("project_ids")), task_ids: ids(linked("task_ids")) };
  const next = (kind: Kind): string[] => {
    if (sent[kind] === undefined) return before[kind];
    const known = new Map(found.flatMap((one) => (one.kind === kind ? [[one.id, one] as const] : [])));
    for (const id of asked(kind)) {
      const one = known.get(id);
      if (!one?.is_visible && !one?.is_linked) throw badRequest({ links: "errors.not_found" });
    }
    const hidden = linked(kind).filter(({ is_visible }) => !is_visible);
    return [...new Set([...asked(kind), ...ids(hidden)])].sort();
  };
  const after = { project_ids: next("project_ids"), task_ids: next("task_ids") };
  return {
    before,
    after,
    isChanged: (["project_ids", "task_ids"] as const).some((kind) => before[kind].join() !== after[kind].join()),
    addedProjects: after.project_ids.filter((id) => !before.project_ids.includes(id)),
  };
}

/** Replaces all links of an agreement. */
export function storeLinks(subscriptionId: string, links: Links): void {
  for (const kind of ["project_ids", "task_ids"] as const) {
    const place = [request().organisation.id, subscriptionId, links[kind]];
    enqueue(STATEMENTS[kind].drop, place);
    if (links[kind].length > 0) enqueue(STATEMENTS[kind].put, place);
  }
}
