import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate, withoutNulls } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { forbidden, notFound } from "../../../core/errors/errors.ts";
import { forStaffAndClients } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { list, optional, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { AiReport } from "../models.ts";
import { ReportCreate, ReportRead, ReportUpdate } from "./schemas.ts";

/** Reports on alias `t` visible to a caller with a selection. They are the agency's drafts, hidden from client logins (conventions §6). */
const visible = (clients: boolean) => (slot: string) =>
  `${clients ? "false and " : ""}t.company_id in (select selected_companies(${slot}))`;
const shown = projection({ model: AiReport, schema: ReportRead });
const reports = forStaffAndClients((clients) =>
  rowsOf({
    model: AiReport,
    projection: shown,
    visible: visible(clients),
    whole: { order: "t.period desc, t.created_at desc, t.id desc", by: { company_id: "uuid" } },
  }),
);

const IN_SIGHT = statement(`select c.id from companies c where c.organisation_id = $1 and c.id = $2
  and ($3::uuid[] is null or c.id in (select selected_companies($3::uuid[])))`);

/** Requires that the caller sees a client. @throws 404 */
async function requireCompany(companyId: string): Promise<void> {
  const { organisation, principal } = request();
  if (!(await queryOne(IN_SIGHT, [organisation.id, companyId, principal?.selection ?? null]))) throw notFound();
}

export default resource("ai.reports", {
  model: AiReport,
  actions: {
    list: action({
      rest: "GET /ai/reports",
      summary: "List the stored reports, the latest month first",
      description: "For staff only: the list is empty for client logins, who get 404 for each report.",
      permission: "ai.use",
      query: { company_id: optional(uuid()), ...sinceQuery },
      returns: list(ReportRead),
      handler: ({ params: { company_id, updated_since } }) => reports().all({ company_id, updated_since }),
    }),

    create: action({
      rest: "POST /ai/reports",
      summary: "Keep a report on a client's month",
      description: "For staff alone: 403 for client logins.",
      permission: "ai.use",
      body: ReportCreate,
      example: {
        company_id: "975df61c-0c1e-4a5b-8d2f-975df61c0001",
        period: "2026-02",
        language: "nl",
        title: "Februari 2026",
        content: "In februari is de nieuwe webshop opgeleverd.",
      },
      returns: ReportRead,
      errors: ["not_found"],
      async handler(ctx) {
        const { content = "", language = "nl", ...given } = ctx.params.body;
        await requireCompany(given.company_id);
        if (ctx.meta.principal?.isClientLogin) throw forbidden();
        const created_by_name = request().principal?.name ?? null;
        const id = queueInsert(AiReport, { ...given, content, language, created_by_name });
        trail("ai_report", id, "created");
        return reports().answerWith(id);
      },
    }),

    get: action({
      rest: "GET /ai/reports/:report_id",
      summary: "Read one report",
      permission: "ai.use",
      returns: ReportRead,
      handler: (ctx) => reports().one(ctx.params.report_id),
    }),

    update: action({
      rest: "PUT /ai/reports/:report_id",
      summary: "Change title or text of a report; omitted fields stay unchanged",
      permission: "ai.use",
      body: ReportUpdate,
      example: { title: "Februari 2026: de webshop staat" },
      returns: ReportRead,
      async handler(ctx) {
        const before = await reports().forWrite(ctx.params.report_id);
        const values = withoutNulls(ctx.params.body);
        const differs = differences(before, values);
        if (differs) {
          queueUpdate(AiReport, before.id, values);
          const changes = changesOf(AiReport.tracked, before, values);
          if (differs.title !== undefined) trail("ai_report", before.id, "updated", { changes });
          if (differs.content !== undefined) trail("ai_report", before.id, "content_edited");
        }
        return reports().answerWith(before.id);
      },
    }),

    remove: action({
      rest: "DELETE /ai/reports/:report_id",
      summary: "Delete a report",
      permission: "ai.use",
      async handler(ctx) {
        const { id } = await reports().forWrite(ctx.params.report_id);
        queueRemove(AiReport, id);
        trail("ai_report", id, "deleted");
      },
    }),
  },
});
