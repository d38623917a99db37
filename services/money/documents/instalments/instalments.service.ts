import { columns } from "../../../../core/database/model.ts";
import { queryOne } from "../../../../core/database/query.ts";
import { action } from "../../../../core/declare/action.ts";
import { notFound } from "../../../../core/errors/errors.ts";
import { job } from "../../../../core/jobs/jobs.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { service } from "../../../../mixins/resource.ts";
import { documentsInSelection } from "../document-columns.ts";
import { Quote, type QuoteRow } from "../models.ts";
import { lockQuote } from "../quotes/quote-rows.ts";
import { type DueTurn, TURN_JOB } from "./due-turns.ts";
import { InstalmentsRead, InstalmentsWrite } from "./instalment-schemas.ts";
import { billTurn, planOf, storePlan } from "./instalment-writes.ts";

const QUOTE = statement(`select ${columns(Quote, "t")} from quotes t where t.organisation_id = $1 and t.id = $2
  and ($3::uuid[] is null or ${documentsInSelection("$3::uuid[]")})`);

/** The quote as the caller sees it. @throws 404 */
async function seenQuote(id: string): Promise<QuoteRow> {
  const { organisation, principal } = request();
  const quote = await queryOne<QuoteRow>(QUOTE, [organisation.id, id, principal?.selection ?? null]);
  if (!quote) throw notFound();
  return quote;
}

export default service("invoicing.instalments", {
  actions: {
    get: action({
      rest: "GET /invoicing/quotes/:quote_id/instalments",
      summary: "Read the plan by which a quote is invoiced in turns",
      permission: "invoicing.quote.read",
      returns: InstalmentsRead,
      handler: async (ctx) => planOf(await seenQuote(ctx.params.quote_id)),
    }),

    update: action({
      rest: "PUT /invoicing/quotes/:quote_id/instalments",
      summary: "Plan by which turns a quote is invoiced",
      description:
        "Once the quote is accepted, the daily job makes a deposit of each turn whose day has come, and of the last one the invoice of the quote, which deducts them. Turns that have been invoiced stay, and are part of the plan that is sent.",
      permission: "invoicing.quote.write",
      also: ["invoicing.invoice.write"],
      body: InstalmentsWrite,
      example: {
        mode: "issue",
        instalments: [
          { due_on: "2026-03-02", percent: "30.00" },
          { due_on: "2026-04-01", percent: "40.00" },
          { due_on: "2026-05-01", percent: "30.00" },
        ],
      },
      returns: InstalmentsRead,
      errors: ["conflict errors.invoicing.wrong_status", "conflict errors.invoicing.locked"],
      async handler(ctx) {
        const quote = await lockQuote(ctx.params.quote_id);
        await storePlan(quote, ctx.params.body);
        return planOf(await seenQuote(quote.id));
      },
    }),
  },

  jobs: {
    [TURN_JOB]: job<DueTurn>({
      about: "Makes the invoice of a turn of a quote's plan",
      module: "invoicing",
      handler: (run) => run.write(() => billTurn(run.payload.instalment_id)),
    }),
  },
});
