import { NO_DISCOUNT } from "../calculation/discount.ts";
import type { TaxCategory } from "../calculation/groups.ts";
import type { SellerDetails } from "../calculation/seller.ts";
import { lineAmount, totalsOf } from "../calculation/totals.ts";
import type { DocumentLineRow, LineKind } from "../documents/models.ts";
import type { Brand, DocumentRow } from "../rendering/document-rows.ts";
import type { TemplateConfig } from "../rendering/template-config.ts";
import { languageOf } from "../rendering/texts/formats.ts";

const NO_ID = "00000000-0000-7000-8000-000000000000";
/** A public token of realistic length that matches no document. */
export const SAMPLE_TOKEN = "voorbeeld-van-een-openbare-link-0123456789x";

const TEXTS = {
  nl: {
    client: "Atelier Zonneveld B.V.",
    attn: "Noor van den Berg",
    country: "NL",
    reference: "Website najaar",
    intro: "Hierbij ontvangt u onze factuur voor de werkzaamheden van de afgelopen maand.",
    notes: "Vragen over deze factuur? Wij horen het graag.",
    tax: ["Btw 21%", "Btw 9%"],
    unit: "uur",
    lines: [
      ["hours", "Ontwerp en bouw van de nieuwe productpagina's", "7.5", "84"],
      ["product", "Fotografie op locatie, dagdeel", "1", "249.95"],
      ["product", "Korting bij een tweede dagdeel", "1", "-75"],
      ["product", "Gedrukte kaarten, per 50", "3", "16.65"],
    ],
  },
  en: {
    client: "Sunfield Studio Ltd.",
    attn: "Nora Hill",
    country: "GB",
    reference: "Autumn website",
    intro: "Please find below the invoice for our work of the past month.",
    notes: "Questions about this invoice? We are glad to help.",
    tax: ["VAT 21%", "VAT 9%"],
    unit: "hour",
    lines: [
      ["hours", "Design and build of the new product pages", "7.5", "84"],
      ["product", "Photography on location, half a day", "1", "249.95"],
      ["product", "Discount for a second half day", "1", "-75"],
      ["product", "Printed cards, per 50", "3", "16.65"],
    ],
  },
} as const;

/** The organisation's data on the sample document. */
export type Issuer = Brand & { seller: SellerDetails; public_links: boolean };

/**
 * A sample open invoice for previewing a template: always the same, with the organisation's own seller and brand (money §14).
 * @param look the organisation's language and currency
 */
export function sampleInvoice(issuer: Issuer, template: TemplateConfig, look: { locale: string; currency: string }): DocumentRow {
  const texts = TEXTS[languageOf(look.locale) === "nl" ? "nl" : "en"];
  const stored: DocumentLineRow[] = texts.lines.map(([kind, description, quantity, price], position) => {
    const isReduced = position === 3;
    return {
      id: NO_ID,
      organisation_id: NO_ID,
      invoice_id: NO_ID,
      quote_id: null,
      position,
      description,
      line_kind: kind as LineKind,
      quantity,
      unit: kind === "hours" ? texts.unit : null,
      unit_price: price,
      amount: lineAmount(quantity, price, look.currency),
      tax_rate_id: null,
      tax_rate_pct: isReduced ? "9" : "21",
      tax_category: (isReduced ? "reduced" : "standard") as TaxCategory,
      tax_name: texts.tax[isReduced ? 1 : 0],
      deposit_id: null,
      tax_amount: null,
      time_entry_ids: [],
      subscription_id: null,
      domain_id: null,
      period_start: null,
      period_end: null,
      created_at: "2026-03-02T09:00:00Z",
    };
  });
  const { subtotal, tax_total, total, tax_groups } = totalsOf(stored, { prices_include_tax: false, currency: look.currency });
  return {
    ...issuer,
    document: "invoice",
    id: NO_ID,
    organisation_id: NO_ID,
    version: 1,
    created_at: "2026-03-02T09:00:00Z",
    updated_at: "2026-03-02T09:00:00Z",
    company_id: NO_ID,
    contact_id: null,
    number: "2026-0042",
    reference: texts.reference,
    currency: look.currency,
    exchange_rate: null,
    locale: look.locale,
    intro: texts.intro,
    notes: texts.notes,
    issue_date: "2026-03-02",
    due_date: "2026-03-16",
    payment_terms: { days: 14, basis: "invoice_date" },
    ...NO_DISCOUNT,
    is_discount: false,
    deposit_of: null,
    delivery_date: null,
    period_start: "2026-02-01",
    period_end: "2026-02-28",
    prices_include_tax: false,
    template_id: null,
    customer: {
      name: texts.client,
      trade_name: texts.client,
      address_line1: "Herengracht 101",
      address_line2: null,
      postal_code: "1015 BE",
      city: "Amsterdam",
      country: texts.country,
      vat_number: "NL004495445B01",
      coc_number: "68750110",
      client_number: "1042",
      email: "administratie@example.com",
      attn: texts.attn,
    },
    subtotal,
    tax_total,
    total,
    tax_groups,
    custom: {},
    sent_at: null,
    kind: "invoice",
    status: "open",
    paid_total: "0.00",
    credited_total: "0.00",
    applied_total: "0.00",
    withdrawn_total: "0.00",
    outstanding: total,
    credit_for_id: null,
    quote_id: null,
    subscription_id: null,
    domain_id: null,
    paid_at: null,
    cancelled_at: null,
    reminders_paused: false,
    reminder_count: 0,
    last_reminder_at: null,
    dunning_level: 0,
    auto_send: false,
    public_token: SAMPLE_TOKEN,
    lines: stored,
    pictures: {},
    transfer_code: true,
    seller_filled: {},
    left_at: null,
    template,
    online: true,
    credit_for_number: null,
  };
}
