import type { InsertOf } from "../../../../core/database/model.ts";
import { queueInsert } from "../../../../core/database/write.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { trail } from "../../../../core/trail/trail.ts";
import { type SentDiscount, sentDiscount } from "../../calculation/discount.ts";
import { type SentTerms, sentTerms } from "../../calculation/terms.ts";
import { totalsOf } from "../../calculation/totals.ts";
import { reconcileClaims } from "../claims/claims.ts";
import { type NewLine, requireStorable } from "../lines/line-values.ts";
import { storeLines, taxedLines } from "../lines/line-writes.ts";
import { Invoice, type InvoiceKind } from "../models.ts";
import { type DocumentDraft, type Making, newDocument } from "../new-document.ts";

/** A new invoice or credit note; defaults for missing or null fields follow money §2 "Create". */
export interface InvoiceDraft extends DocumentDraft {
  kind?: InvoiceKind | undefined;
  due_date?: string | null | undefined;
  payment_terms?: SentTerms | null | undefined;
  payment_discount?: SentDiscount | null | undefined;
  delivery_date?: string | null | undefined;
  /** The agreement or domain and the period that the whole document bills (money §9 "Consumer"). */
  subscription_id?: string | null | undefined;
  domain_id?: string | null | undefined;
  period_start?: string | null | undefined;
  period_end?: string | null | undefined;
  /** Whether the daily job mails it after issue. */
  auto_send?: boolean | undefined;
}

/**
 * Stores a draft with its lines, totals, claims and trail line. Creates every invoice and credit note: sent, from hours, from an agreement,
 * mirrored or converted.
 * @returns its id
 */
export async function storeDraft(
  values: Omit<InsertOf<typeof Invoice>, "subtotal" | "tax_total" | "total" | "tax_groups">,
  lines: readonly NewLine[],
): Promise<string> {
  const totals = requireStorable(totalsOf(lines, { ...values, prices_include_tax: values.prices_include_tax ?? false }));
  const id = queueInsert(Invoice, { ...values, ...totals });
  storeLines("invoice", id, lines);
  trail("invoice", id, "created");
  const { company_id, currency, kind = "invoice" } = values;
  emit("invoice.created", "invoice", id, { invoice_id: id, company_id, kind, total: totals.total, currency });
  await reconcileClaims({ id, company_id: values.company_id }, lines, true);
  return id;
}

/**
 * Creates a draft invoice or credit note (money §2 "Create"). A credit note bills no hours and no periods.
 * @returns its id
 * @throws 404 for a client the caller does not see; 400 `contact_id`, `template_id`, `lines` for unknown references; 409
 * `errors.invoicing.period_already_billed`; 422 for a broken rule
 */
export async function createDraft(draft: InvoiceDraft, making?: Making): Promise<string> {
  const { kind = "invoice", lines = [] } = draft;
  const values = await newDocument("invoice", draft, making);
  return storeDraft(
    {
      ...values,
      kind,
      due_date: draft.due_date,
      payment_terms: sentTerms(draft.payment_terms),
      payment_discount: sentDiscount(draft.payment_discount),
      delivery_date: draft.delivery_date,
      subscription_id: draft.subscription_id,
      domain_id: draft.domain_id,
      period_start: draft.period_start,
      period_end: draft.period_end,
      auto_send: draft.auto_send,
    },
    await taxedLines(lines, values, kind === "invoice"),
  );
}
