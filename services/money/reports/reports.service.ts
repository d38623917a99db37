import { action } from "../../../core/declare/action.ts";
import { report } from "../../../core/declare/makers/report.ts";
import { choice, date, integer, optional, uuid } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { InvoicingSummary, UNINVOICED_GROUPS, UnbilledRead, UninvoicedReport } from "./report-schemas.ts";
import { invoicingSummary } from "./summary.ts";
import { unbilledHours } from "./unbilled.ts";
import { uninvoicedHours } from "./uninvoiced.ts";

/** Maximum and default entries in the report of uninvoiced hours (money §8). */
const REPORTED = { most: 1000, usual: 500 };

export default service("invoicing.reports", {
  actions: {
    summary: report({
      rest: "GET /invoicing/summary",
      summary: "Read what is open, overdue, paid this year and quoted",
      description: "In the organisation's currency. A client login sees its own invoices without drafts, and no quotes.",
      permission: "invoicing.invoice.read",
      returns: InvoicingSummary,
      tool: {
        name: "money_summary",
        description: "What is open, overdue, paid this year and quoted.",
        inArea: true,
        takes: [],
      },
      handler: () => invoicingSummary(),
    }),

    unbilled: action({
      rest: "GET /invoicing/unbilled",
      summary: "Hours of a client that wait to be invoiced, oldest first",
      description: "Finished, billable, approved and on no document. Lists at most 500; the sums cover all of them.",
      permission: "invoicing.invoice.write",
      query: { company_id: uuid(), project_id: optional(uuid()), until: optional(date()) },
      returns: UnbilledRead,
      handler: ({ params: { company_id, project_id, until } }) => unbilledHours({ company_id, project_id, until }),
    }),

    uninvoiced: report({
      rest: "GET /invoicing/uninvoiced",
      summary: "List uninvoiced hours of all clients, in groups",
      description: "Groups and sums are over everything, however many entries are listed. Days are the organisation's.",
      permission: "invoicing.invoice.read:any",
      query: {
        group: optional(choice(UNINVOICED_GROUPS, { default: "company" })),
        limit: optional(integer(1, REPORTED.most, { default: REPORTED.usual })),
      },
      returns: UninvoicedReport,
      handler: ({ params: { group = "company", limit = REPORTED.usual } }) => uninvoicedHours(group, limit),
    }),
  },
});
