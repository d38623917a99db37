import { columns } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { invalid, notFound, refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { UptimeMonitor, type UptimeMonitorRow, UptimeProfile, type UptimeProfileRow } from "../models.ts";
import { visibleMonitor } from "./monitor-rows.ts";
import type { Anchor } from "./monitor-schemas.ts";

const SEES = (company: string) => `($3::uuid[] is null or ${company} in (select selected_companies($3::uuid[])))`;
const COMPANY = statement(
  `select 1 from companies t where t.organisation_id = $1 and t.id = $2 and ${SEES("t.id")} for key share`,
);
const ANCHORS: Record<Anchor, ReturnType<typeof statement>> = {
  website: statement(
    `select 1 from websites t where t.organisation_id = $1 and t.id = $2 and ${SEES("t.company_id")} for key share`,
  ),
  domain: statement(
    `select 1 from domains t where t.organisation_id = $1 and t.id = $2 and ${SEES("t.company_id")} for key share`,
  ),
  hosting: statement(`select 1 from hostings t where t.organisation_id = $1 and t.id = $2
    and (t.company_id is null or ${SEES("t.company_id")}) for key share`),
};
const PARENT = statement(`select ${columns(UptimeMonitor, "t")} from uptime_monitors t where t.organisation_id = $1 and t.id = $2
  and ($3::uuid[] is null or ${visibleMonitor("$3::uuid[]")}) for key share`);
/** A row if monitor `$3` is group `$2` or above it; `union` ends the walk where stored groups form a cycle. */
const ABOVE = statement(`with recursive above (id, parent_id) as (
    select id, parent_id from uptime_monitors where organisation_id = $1 and id = $2
    union select m.id, m.parent_id from above a join uptime_monitors m on m.organisation_id = $1 and m.id = a.parent_id)
  select 1 from above where id = $3`);
const PROFILE = statement(
  `select ${columns(UptimeProfile)} from uptime_profiles where organisation_id = $1 and id = $2 for key share`,
);
const CHILD = statement("select 1 from uptime_monitors where organisation_id = $1 and parent_id = $2 limit 1");

const find = <T>(text: ReturnType<typeof statement>, id: string): Promise<T | undefined> =>
  queryOne<T>(text, [request().organisation.id, id, request().principal?.selection ?? null]);

/** @throws 404 if the client does not exist or is not visible */
export async function requireCompany(id: string | null | undefined): Promise<void> {
  if (id && !(await find(COMPANY, id))) throw notFound();
}

/** The record that a monitor watches, as columns. */
export interface Anchored {
  website_id: string | null;
  domain_id: string | null;
  hosting_id: string | null;
}

/**
 * The columns of a linked record; all null without one.
 * @throws 422 `errors.uptime_link_incomplete` if only one part is sent, 404 if the record does not exist or is not visible
 */
export async function anchored(type: Anchor | null | undefined, id: string | null | undefined): Promise<Anchored> {
  const none: Anchored = { website_id: null, domain_id: null, hosting_id: null };
  if (!type && !id) return none;
  if (!type || !id) {
    const missing = type ? "entity_id" : "entity_type";
    throw refusal("validation", "errors.uptime_link_incomplete", { fields: { [missing]: "errors.uptime_link_incomplete" } });
  }
  if (!(await find(ANCHORS[type], id))) throw notFound();
  return { ...none, [`${type}_id`]: id.toLowerCase() };
}

/** A monitor's profile; null without an id. @throws 422 if it does not exist */
export async function requireProfile(id: string | null | undefined): Promise<UptimeProfileRow | null> {
  if (!id) return null;
  const found = await queryOne<UptimeProfileRow>(PROFILE, [request().organisation.id, id]);
  if (!found) throw invalid({ profile_id: "errors.not_found" });
  return found;
}

/**
 * A monitor's group; null without an id.
 * @param child the monitor itself, if it exists already
 * @throws 422 if it is not a group of the server, 409 if the group does not exist at the server yet
 */
export async function requireParent(
  id: string | null | undefined,
  instanceId: string,
  child?: UptimeMonitorRow,
): Promise<UptimeMonitorRow | null> {
  if (!id) return null;
  const found = await find<UptimeMonitorRow>(PARENT, id);
  if (!found) throw invalid({ parent_id: "errors.not_found" });
  const fits = found.instance_id === instanceId && found.monitor_type === "group";
  // The server allows nested groups, but a cycle would have no root.
  if (!fits || (child && (await queryOne(ABOVE, [request().organisation.id, found.id, child.id]))))
    throw invalid({ parent_id: "errors.validation" });
  if (found.remote_id === null) throw refusal("validation_error", "errors.uptime_not_pushed");
  return found;
}

/** @throws 409 `errors.uptime_group_has_children` */
export async function requireNoChildren(id: string): Promise<void> {
  if (await queryOne(CHILD, [request().organisation.id, id])) throw refusal("conflict", "errors.uptime_group_has_children");
}
