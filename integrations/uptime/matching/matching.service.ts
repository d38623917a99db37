import { columns } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { request } from "../../../core/request/context.ts";
import { answer, choice, field, input, integer, list, nullable, optional, Type, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trailEach } from "../../../core/trail/trail.ts";
import { service } from "../../../mixins/resource.ts";
import { UptimeMonitor, type UptimeMonitorRow } from "../models.ts";
import { ANCHORS, LINK_STATUSES } from "../monitors/monitor-schemas.ts";
import { KIND } from "../monitors/monitor-writes.ts";
import { proposals } from "./proposals.ts";

/** Most monitors matched at once. */
const MOST = 10_000;

const UptimeCandidate = answer("UptimeCandidate", {
  entity_type: choice(ANCHORS, { description: "Kind of the record: a website or a domain" }),
  entity_id: uuid(),
  entity_name: Type.String({ description: "Name of the domain, or of the domain of the website" }),
  company_id: nullable(field(uuid(), "Client of the record")),
  company_name: nullable(Type.String()),
});
const UptimeProposal = answer(
  "UptimeProposal",
  {
    monitor_id: uuid(),
    name: Type.String(),
    target: nullable(Type.String({ description: "Address or host that the monitor checks" })),
    link_status: choice(
      LINK_STATUSES.filter((status) => status !== "linked"),
      { description: "`matched`: one candidate; `ambiguous`: several; `unmatched`: none" },
    ),
    candidates: list(UptimeCandidate),
  },
  {
    monitor_id: "The monitor",
    name: "Its name",
    candidates: "Records that its host matches; a single one can be confirmed",
  },
);
const UptimeLinksApply = input("UptimeLinksApply", {
  monitor_ids: optional(
    nullable(
      Type.Array(uuid(), {
        maxItems: 200,
        description: "The monitors to link; absent or null links all unlinked ones",
      }),
    ),
  ),
});
const UptimeLinksApplied = answer("UptimeLinksApplied", {
  linked: Type.Integer({ description: "Monitors that had one candidate and are linked to it now" }),
  skipped: Type.Integer({
    description: "Monitors with several candidates or none, already linked ones, and unknown ids",
  }),
});

const LOCK = statement(`select ${columns(UptimeMonitor)} from uptime_monitors where organisation_id = $1 and id = any($2::uuid[])
  and num_nonnulls(website_id, domain_id, hosting_id) = 0 order by id for update`);
const LINK = statement(`update uptime_monitors m set website_id = r.website_id, domain_id = r.domain_id, version = version + 1,
    updated_at = statement_timestamp()
  from jsonb_to_recordset($2::jsonb) r (id uuid, website_id uuid, domain_id uuid) where m.organisation_id = $1 and m.id = r.id`);

/** Matches monitors to records (workspace-reporting §5, "Matching"). */
export default service("uptime.matching", {
  actions: {
    proposals: action({
      rest: "GET /uptime/links/proposals",
      summary: "Propose records for unlinked monitors",
      description:
        "By the host of the target, an apex and its `www` being the same: a website of exactly that host comes before the domains that contain the host. Links nothing. Omits monitors whose target has no host name.",
      permission: "uptime.monitor.write",
      query: {
        limit: optional(
          integer(1, 1_000, { default: 200, description: "Largest number of monitors in the answer, which are sorted by name" }),
        ),
      },
      returns: list(UptimeProposal),
      handler: (ctx) => proposals(null, ctx.params.limit ?? 200),
    }),

    apply: action({
      rest: "POST /uptime/links/apply",
      summary: "Link the monitors that match exactly one record",
      description: "Monitors with several matches or none count as skipped.",
      permission: "uptime.monitor.write",
      body: UptimeLinksApply,
      returns: UptimeLinksApplied,
      status: 200,
      async handler(ctx) {
        const { organisation } = request();
        const ids = ctx.params.body.monitor_ids ?? null;
        const found = await proposals(ids && [...new Set(ids.map((id) => id.toLowerCase()))], MOST);
        const single = new Map(
          found.flatMap(({ monitor_id, candidates: [only, other] }) => (only && !other ? [[monitor_id, only] as const] : [])),
        );
        const rows = await query<UptimeMonitorRow>(LOCK, [organisation.id, [...single.keys()]]);
        const links = rows.flatMap(({ id }) => {
          const { entity_type, entity_id } = single.get(id) ?? {};
          return entity_type && entity_id ? [{ id, [`${entity_type}_id`]: entity_id }] : [];
        });
        if (links.length > 0) {
          enqueue(LINK, [organisation.id, JSON.stringify(links)]);
          trailEach(
            KIND,
            "updated",
            links.map(({ id, ...link }) => ({
              entityId: id as string,
              payload: { changes: Object.fromEntries(Object.entries(link).map(([field, to]) => [field, { from: null, to }])) },
            })),
          );
        }
        const asked = ids === null ? found.length : new Set(ids.map((id) => id.toLowerCase())).size;
        return { linked: links.length, skipped: asked - links.length };
      },
    }),
  },
});
