import { queryOne } from "../../../core/database/query.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import type { ReportRow } from "../models.ts";
import { pageOfReports, SEEN, seenBy } from "../reports/report.list.ts";
import { IS_SHOWN } from "../reports/revisions.ts";

/** Number of reports in a client's panel. */
const IN_PANEL = 5;

const NEWEST = statement(`select t.status, t.audience, t.period_end from reports t
  where t.organisation_id = $1 and t.company_id = $2 and ${SEEN} and ${IS_SHOWN} order by t.period_start desc, t.audience, t.id desc limit 1`);

/** Tone of the tile for each status, for colleagues. */
const TONES: Readonly<Record<ReportRow["status"], string>> = {
  draft: "neutral",
  generating: "neutral",
  ready: "warn",
  sent: "good",
  failed: "bad",
};

type Newest = Pick<ReportRow, "status" | "audience" | "period_end">;

/** A ready internal report is finished: it is never sent to a client. */
const toneOf = ({ status, audience }: Newest): string => (audience === "internal" && status === "ready" ? "good" : TONES[status]);

/** Reports on their client's page (clients §3.8, §3.9). */
export default service("reporting.company", {
  actions: {
    panel: internal({
      summary: "The newest reports of a client, and how many there are",
      permission: "reporting.report.read",
      contributes: { panel: { entity: "company", key: "reporting.reports", position: 55 } },
      async handler({ params: { company_id } }) {
        const found = await pageOfReports({ limit: IN_PANEL }, { company_id, shown: true });
        const { items, total } = found.parse() as { items: object[]; total: number };
        return { items, total };
      },
    }),

    tile: internal({
      summary: "The last day of a client's newest report, and how far it is",
      permission: "reporting.report.read",
      contributes: { tile: { entity: "company", key: "reporting.newest", position: 60 } },
      async handler({ params: { company_id } }) {
        const { organisation, principal } = request();
        const row = await queryOne<Newest>(NEWEST, [organisation.id, company_id, ...seenBy()]);
        if (!row) return null;
        const tile = { value: row.period_end, format: "date" };
        // The agency's progress is not shown to the client.
        if (principal?.isClientLogin) return { ...tile, tone: "neutral" };
        const hint_key = `summary.reporting.newest.${row.status}`;
        return { ...tile, tone: toneOf(row), hint_key, hint_params: { audience: row.audience } };
      },
    }),
  },
});
