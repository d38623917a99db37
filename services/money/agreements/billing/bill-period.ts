import { queryOne } from "../../../../core/database/query.ts";
import type { EventPayload } from "../../../../core/declare/events.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import type { SourceKind } from "../../../../core/values/recurring-source.ts";
import { shortened } from "../../../../core/values/stored-text.ts";
import { createDraft, issueAlone } from "../../documents/invoices/invoice-writes.ts";
import type { AutoInvoiceMode } from "../../settings/models.ts";
import { readSettings } from "../../settings/settings-rows.ts";
import { periodText, renewalText } from "./period-texts.ts";

/** Maximum length of a document's reference (money §2). */
const REFERENCE = 120;

const CLAIMED = statement(
  "select 1 from period_claims where organisation_id = $1 and source = $2 and source_id = $3 and period_end = $4",
);
/** Locks the agreement: of two concurrent deliveries, the second waits and then sees the first one's claim. */
const LOCK = statement("select company_id from subscriptions where organisation_id = $1 and id = $2 for no key update");

/** Prevents the domain's deletion until its document is written. */
const KEEP = statement("select company_id from domains where organisation_id = $1 and id = $2 for key share");

/** A due period of an agreement or a domain. */
interface Due {
  source: SourceKind;
  source_id: string;
  company_id: string;
  name: string;
  level: AutoInvoiceMode | null;
  currency: string;
  period_start: string;
  period_end: string;
  lines: readonly { description: string; quantity: string; unit_price: string }[];
}

/**
 * Creates the document of a due period, as far as the level allows: the record's own level, else the organisation's (money §9 "Consumer").
 * `off` leaves the period for manual billing; a period already billed is skipped.
 * @throws 409 `errors.invoicing.period_already_billed` when another document claims it meanwhile; the refusals of a draft
 */
async function billDue({ source, source_id, name, level: own, currency, lines, ...due }: Due): Promise<void> {
  const { period_start, period_end } = due;
  const level = own ?? (await readSettings()).auto_invoice_mode;
  if (level === "off") return;
  const { organisation } = request();
  if (await queryOne(CLAIMED, [organisation.id, source, source_id, period_end])) return;
  const claim = { [source === "subscription" ? "subscription_id" : "domain_id"]: source_id, period_start, period_end };
  const draft = {
    company_id: due.company_id,
    currency,
    reference: shortened(name, REFERENCE).trim(),
    lines: lines.map((line) => ({ ...line, line_kind: source, ...claim })),
    ...claim,
  };
  const id = await createDraft(draft, { withoutForm: true });
  if (level !== "draft") await issueAlone(id, level === "send");
}

/** Bills a due period to the agreement's current client; does nothing if the agreement was deleted. */
export async function billAgreement(due: EventPayload<"subscription.due">): Promise<void> {
  const { subscription_id, name, period_start, period_end, amount, lines, ...same } = due;
  const agreement = await queryOne<{ company_id: string }>(LOCK, [request().organisation.id, subscription_id]);
  if (!agreement) return;
  const whole = { description: `${name} (${periodText(period_start, period_end)})`, quantity: "1", unit_price: amount };
  await billDue({
    ...same,
    ...agreement,
    ...{ source: "subscription", source_id: subscription_id, name, period_start, period_end },
    lines: lines.length > 0 ? lines : [whole],
  });
}

/** Bills a due year to the domain's current client; does nothing if the domain was deleted. */
export async function billDomain(due: EventPayload<"domain.due">): Promise<void> {
  const { domain_id, name, auto_invoice_mode: level, currency, period_start, period_end, amount } = due;
  const domain = await queryOne<{ company_id: string }>(KEEP, [request().organisation.id, domain_id]);
  if (!domain) return;
  const description = renewalText(request().organisation.locale, name, period_start, period_end);
  await billDue({
    ...domain,
    ...{ source: "domain", source_id: domain_id, name, level, currency, period_start, period_end },
    lines: [{ description, quantity: "1", unit_price: amount }],
  });
}
