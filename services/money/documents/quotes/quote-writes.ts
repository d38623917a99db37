import { addDaysWithin } from "../../../../core/calendar/calendar.ts";
import { customValues } from "../../../../core/custom-fields/definitions.ts";
import type { UpdateOf } from "../../../../core/database/model.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../../core/database/write.ts";
import { conflict } from "../../../../core/errors/errors.ts";
import { emit } from "../../../../core/jobs/outbox.ts";
import { reportLostReferences } from "../../../../core/trail/lost-references.ts";
import { reportChange } from "../../../../core/trail/record-changes.ts";
import { changesOf, trail, trailChanges } from "../../../../core/trail/trail.ts";
import { totalsOf } from "../../calculation/totals.ts";
import { deductions } from "../deposits/deductions.ts";
import { changedValues, requireSameClient, requireUnleft, rewrittenLines } from "../document-changes.ts";
import { reportWritten } from "../document-reports.ts";
import type { IssueDates } from "../document-schemas.ts";
import { storeDraft } from "../invoices/drafting.ts";
import { readyToIssue } from "../invoices/issuing.ts";
import { refreezeLook } from "../issued-looks.ts";
import { NO_CLAIM, requireStorable } from "../lines/line-values.ts";
import { linesOf, replaceLines, storeLines, taxedLines } from "../lines/line-writes.ts";
import { mintToken } from "../links.ts";
import { Quote, type QuoteRow, type QuoteStatus } from "../models.ts";
import { newDocument } from "../new-document.ts";
import { nextNumber } from "../numbers.ts";
import type { QuoteChange, QuoteDraft } from "./quote-schemas.ts";

/**
 * Creates a draft quote (money §2 "Create", §10). Its lines bill no hours and no periods.
 * @returns its id
 * @throws 404 for a client the caller does not see; 400 `contact_id`, `template_id`, `lines` for unknown references; 422 for a broken rule
 */
export async function createQuote(draft: QuoteDraft): Promise<string> {
  const values = await newDocument("quote", draft);
  const lines = await taxedLines(draft.lines ?? [], values, false);
  const totals = requireStorable(totalsOf(lines, values));
  const id = queueInsert(Quote, { ...values, ...totals, valid_until: draft.valid_until });
  storeLines("quote", id, lines);
  trail("quote", id, "created");
  return id;
}

/** The fields of an open quote that may change (money §2 "Update"). */
const WHILE_OPEN = new Set([
  "company_id",
  "contact_id",
  "reference",
  "intro",
  "notes",
  "template_id",
  "locale",
  "valid_until",
  "exchange_rate",
  "custom",
]);

/** @throws 409 `errors.invoicing.wrong_status` unless the quote has one of these statuses */
export function requireStatus({ status }: QuoteRow, ...allowed: readonly QuoteStatus[]): void {
  if (!allowed.includes(status)) throw conflict("errors.invoicing.wrong_status");
}

/**
 * Updates a quote that the caller has locked (money §2 "Update"). Fields that are not sent stay unchanged.
 * @throws 409 `errors.invoicing.wrong_status` unless it is a draft or open, `errors.invoicing.locked` for fields fixed once it is open; 400
 * `contact_id`, `template_id`, `lines` for unknown references; 422 for a broken rule
 */
export async function changeQuote(before: QuoteRow, body: QuoteChange): Promise<void> {
  requireStatus(before, "draft", "open");
  if (before.status === "open" && Object.keys(body).some((name) => !WHILE_OPEN.has(name)))
    throw conflict("errors.invoicing.locked");
  requireSameClient(before, body.company_id);
  const custom = await customValues("quote", body.custom, "update");
  const rewritten = await rewrittenLines("quote", before, body, false);
  const values: UpdateOf<typeof Quote> = {
    ...(await changedValues(before, body)),
    valid_until: body.valid_until,
    custom,
    ...rewritten.totals,
  };
  const changed = differences(before, values);
  if (!changed && !rewritten.lines) return;
  requireUnleft(before, changed);
  queueUpdate(Quote, before.id, changed ?? {});
  if (changed && "template_id" in changed) refreezeLook("quote", before.id);
  trailChanges("quote", before.id, changesOf(Quote.tracked, before, changed ?? {}), []);
  reportWritten("quote", before, changed ?? {}, rewritten.lines ? ["lines"] : []);
  if (rewritten.lines) replaceLines("quote", before.id, rewritten.lines);
}

/** Deletes a quote that the caller has locked. @throws 409 `errors.invoicing.wrong_status` unless it is a draft, rejected or expired */
export async function deleteQuote(quote: QuoteRow): Promise<void> {
  requireStatus(quote, "draft", "rejected", "expired");
  await reportLostReferences(Quote, [quote.id]);
  queueRemove(Quote, quote.id);
  reportChange("quote", [quote.id], "deleted");
}

/**
 * Issues a draft quote that the caller has locked (money §10): sets number, current bill-to party and last valid day.
 * @param dates `due_date` is the last day it is valid
 * @throws like `issue` of invoices, without the errors about credit notes
 */
export async function issueQuote(draft: QuoteRow, dates: IssueDates): Promise<void> {
  const { settings, customer, issue_date } = await readyToIssue("quote", draft, dates);
  const number = await nextNumber("quote", settings);
  const values = {
    number,
    status: "open" as const,
    customer,
    issue_date,
    valid_until: dates.due_date ?? draft.valid_until ?? addDaysWithin(issue_date, settings.quote_valid_days),
    public_token: draft.public_token ?? (settings.public_invoice_links ? mintToken() : null),
  };
  queueUpdate(Quote, draft.id, values);
  trail("quote", draft.id, "issued", { number });
  reportWritten("quote", draft, values);
}

/**
 * Accepts or rejects an open or expired quote that the caller has locked (money §10).
 * @param name the name that a visitor of the public link entered
 * @throws 409 `errors.invoicing.wrong_status`
 */
export function decideQuote(
  quote: QuoteRow,
  status: "accepted" | "rejected",
  note: string | null | undefined,
  name?: string | null,
): void {
  requireStatus(quote, "open", "expired");
  const decision_note = note?.trim() || null;
  const values = { status, decision_note, decided_at: new Date().toISOString() };
  queueUpdate(Quote, quote.id, values);
  trail("quote", quote.id, status, { note: decision_note, ...(name !== undefined && { name }) });
  reportWritten("quote", quote, values);
  const { id: quote_id, company_id, number, total, currency } = quote;
  emit(`quote.${status}`, "quote", quote_id, { quote_id, company_id, number: number as string, total, currency });
}

/**
 * Creates a draft invoice from an accepted quote that the caller has locked, with the quote's prices and tax (money §10).
 * @returns the invoice's id
 * @throws 409 `errors.invoicing.wrong_status` unless it is accepted, so also on a second call
 */
export async function convertQuote(quote: QuoteRow): Promise<string> {
  requireStatus(quote, "accepted");
  const { id, company_id, contact_id, customer, currency, exchange_rate, locale, reference, intro, notes } = quote;
  const lines = await linesOf("quote", id);
  const invoice_id = await storeDraft(
    {
      ...{ company_id, contact_id, customer, currency, exchange_rate, locale, reference, intro, notes },
      template_id: quote.template_id,
      prices_include_tax: quote.prices_include_tax,
      quote_id: id,
    },
    [...lines.map((line) => ({ ...line, ...NO_CLAIM })), ...(await deductions({ ...quote, quote_id: id }))],
  );
  queueUpdate(Quote, id, { status: "invoiced", invoice_id });
  trail("quote", id, "converted", { invoice_id });
  return invoice_id;
}
