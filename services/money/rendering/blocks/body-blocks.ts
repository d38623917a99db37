import { type DecimalInput, decimal } from "../../../../core/values/money.ts";
import { escapedHtml } from "../../../../core/values/text.ts";
import type { Palette } from "../../../../mixins/documents/colours.ts";
import { Markup } from "../../../../mixins/documents/engine.ts";
import { isPayable } from "../../../../mixins/payments/payable.ts";
import { epcPayload } from "../../calculation/epc.ts";
import { publicUrl } from "../../documents/links.ts";
import type { InvoiceRow } from "../../documents/models.ts";
import type { DocumentRow } from "../document-rows.ts";
import type { Prose } from "../prose.ts";
import type { PlacedBlock, PlacedField } from "../template-blocks.ts";
import { day, iban, money, plain } from "../texts/formats.ts";
import { inLanguage, type Words } from "../texts/words.ts";
import type { CodeColours } from "./code-colours.ts";
import { type ColumnView, columnsOf, type SectionView, sectionsOf } from "./line-sections.ts";
import { codeLook, qrSvg } from "./qr.ts";

/** A value with its label; either can be empty, and values can have several lines. */
export interface FieldView {
  key: string;
  label: string;
  value: string;
}

/**
 * Whether an amount is to be paid: `outstanding` of an invoice that is neither cancelled nor settled, never of a credit note (money §14).
 */
export const isToPay = (row: DocumentRow): boolean =>
  row.document === "invoice" && row.kind === "invoice" && row.status !== "cancelled" && decimal(row.outstanding).greaterThan(0);

/** The input of a document's blocks. */
export interface Drawn {
  row: DocumentRow;
  words: Words;
  palette: Palette;
  /** The template's own label of a field, else the built-in one. */
  worded(field: PlacedField, builtIn: string | undefined): string;
  /** A picture for the middle of the QR code. */
  onCode: string | null;
  /** The keys of the printed blocks. */
  keys: ReadonlySet<string>;
  /** Renders this document's markdown as HTML. */
  prose: Prose;
}

interface TotalView extends FieldView {
  is_strong: boolean;
}

/** A body block, with the content of its kind. */
export interface BodyBlock {
  key: string;
  /** For the blocks `intro`, `notes`, `payment` and `footer`. */
  html?: Markup;
  /** For `reverse_charge`, and below `lines`. */
  text?: string;
  /** For `payment_box`, `payment_link`, `tax_summary` and `totals`. */
  rows?: readonly (FieldView | TotalView)[];
  /** For `payment_qr` and `transfer_qr`. */
  code?: { address: string; caption: string };
  /** For `lines`. */
  columns?: ColumnView[];
  sections?: SectionView[];
  section_subtotal?: string;
  caption?: string;
  /** For `tax_summary`. */
  title?: string;
  headings?: { name: string; base: string; tax: string };
  groups?: { name: string; base: string; tax: string }[];
}

type InvoiceDocument = Extract<DocumentRow, { document: "invoice" }>;

const prose = (text: string | null, { prose: written }: Drawn): { html: Markup } | null =>
  text ? { html: new Markup(written(text)) } : null;
const isZero = (amount: DecimalInput): boolean => decimal(amount).isZero();

/** The name of a tax group: that of its rate, else its category or percentage. */
const groupName = (group: { name: string; rate_pct: string; category: string }, { row, words }: Drawn): string =>
  group.name || [words.totals["tax"], words.categories[group.category] ?? `${plain(group.rate_pct, row.locale)}%`].join(" ");

function totals(fields: readonly PlacedField[], drawn: Drawn): { rows: TotalView[] } {
  const { row, words, worded } = drawn;
  const amount = (value: DecimalInput) => money(value, row.currency, row.locale);
  const one = (field: PlacedField, value: DecimalInput, is_strong = false, builtIn = words.totals[field.key]): TotalView[] => [
    { key: field.key, label: worded(field, builtIn), value: amount(value), is_strong },
  ];
  // Quotes have no payments, credits or amount due.
  const settled = row.document === "invoice" ? row : null;
  const rows: Record<string, (field: PlacedField) => TotalView[]> = {
    subtotal: (field) => one(field, row.subtotal),
    tax_rows: (field) =>
      row.tax_groups.map((group) => ({
        key: field.key,
        label: `${groupName(group, drawn)} ${words.totals["over"]} ${amount(group.base)}`,
        value: amount(group.tax),
        is_strong: false,
      })),
    total: (field) => one(field, row.total, true),
    paid: (field) => (settled && !isZero(settled.paid_total) ? one(field, decimal(settled.paid_total).negated()) : []),
    credited: (field) => credited(settled, field, one, words),
    to_pay: (field) => (settled ? due(settled, field, one, words) : []),
  };
  return { rows: fields.flatMap((field) => rows[field.key]?.(field) ?? []) };
}

/**
 * The row of the amount due, none on a cancelled document. A negative one is printed as a refund on a document that pays money back, else
 * as an overpayment.
 */
function due(
  { outstanding, kind, status, total }: InvoiceDocument,
  field: PlacedField,
  one: (field: PlacedField, value: DecimalInput, isStrong?: boolean, builtIn?: string) => TotalView[],
  words: Words,
): TotalView[] {
  if (isZero(outstanding) || status === "cancelled") return [];
  if (decimal(outstanding).greaterThan(0)) return one(field, outstanding, true);
  // A template's own label for this row is a request to pay.
  const unlabelled = { ...field, labels: {} };
  const label = words.totals[kind === "credit_note" || decimal(total).isNegative() ? "refund" : "overpaid"];
  return one(unlabelled, decimal(outstanding).negated(), true, label);
}

/** The credit on an invoice, or the part of a credit note set off against its invoice (money §7). */
function credited(
  settled: InvoiceRow | null,
  field: PlacedField,
  one: (field: PlacedField, value: DecimalInput, isStrong?: boolean, builtIn?: string) => TotalView[],
  words: Words,
): TotalView[] {
  if (!settled) return [];
  if (!isZero(settled.credited_total)) return one(field, decimal(settled.credited_total).negated());
  return isZero(settled.applied_total) ? [] : one(field, settled.applied_total, false, words.totals["applied"]);
}

function paymentBox(fields: readonly PlacedField[], { row, words, worded }: Drawn): { rows: FieldView[] } | null {
  if (!isToPay(row)) return null;
  const values: Record<string, string | null | undefined> = {
    amount: money(row.outstanding, row.currency, row.locale),
    iban: row.seller.iban && iban(row.seller.iban),
    account_name: row.seller.iban && row.seller.name,
    description: row.number,
  };
  const rows = fields.flatMap((field) => {
    const value = values[field.key];
    return value ? [{ key: field.key, label: worded(field, words.payment_box[field.key]), value }] : [];
  });
  return { rows };
}

/** Whether an invoice can be paid now (money §14 "QR"). */
const isCollectable = (row: DocumentRow): boolean => row.document === "invoice" && isPayable(row);

/**
 * The content of an invoice's QR code: the public page; with links off a bank transfer if possible; else the page after sign-in. Never a
 * checkout (money §14 "QR", "EPC code").
 */
export function codePayload(row: DocumentRow): { payload: string; is: "link" | "page" | "transfer" } {
  const url = publicUrl(row, row.base);
  if (url !== "") return { payload: url, is: row.online ? "link" : "page" };
  const { currency, outstanding, number, seller } = row;
  const transfer = row.public_links ? null : epcPayload({ currency, outstanding, number: number ?? "", seller });
  return transfer === null ? { payload: `${row.base}/invoices/${row.id}`, is: "page" } : { payload: transfer, is: "transfer" };
}

type Code = Pick<BodyBlock, "code">;

function code(payload: string, colours: CodeColours, picture: string | null, caption: string): Code {
  const svg = qrSvg(payload, colours, picture, caption);
  return { code: { address: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`, caption } };
}

function paymentCode({ row, words, palette, onCode }: Drawn): Code | null {
  if (!isCollectable(row)) return null;
  const { payload, is } = codePayload(row);
  const template = row.template ?? {};
  const look = codeLook(template, palette.accent);
  const caption = inLanguage(template.qr_caption_i18n, row.locale) ?? words.code[is];
  return code(payload, look, is === "transfer" || look.logo === "none" ? null : onCode, caption);
}

/** The code that prefills the transfer of what is to be paid, unless `payment_qr` carries it already (money §14 "EPC code"). */
function transferCode({ row, words, palette, keys }: Drawn): Code | null {
  if (row.document !== "invoice" || !row.transfer_code || !isCollectable(row)) return null;
  if (keys.has("payment_qr") && codePayload(row).is === "transfer") return null;
  const { currency, outstanding, number, seller } = row;
  const payload = epcPayload({ currency, outstanding, number: number ?? "", seller });
  return payload === null ? null : code(payload, codeLook(row.template ?? {}, palette.accent), null, words.code.transfer);
}

function paymentLink(fields: readonly PlacedField[], { row, words, worded }: Drawn): { rows: FieldView[] } | null {
  const url = publicUrl(row, row.base);
  if (!isCollectable(row) || !row.online || url === "") return null;
  const named = fields.find(({ key }) => key === "label");
  const label = named ? worded(named, words.payment_link["label"]) : "";
  return { rows: [{ key: "url", label: label || url, value: url }] };
}

/** The amount a credit note returns; it never asks for payment (money §14). */
function refundText(row: InvoiceDocument, words: Words): { html: Markup } | null {
  const { status, outstanding, applied_total, total, currency, locale, credit_for_number } = row;
  if (status === "cancelled" || !decimal(total).isNegative()) return null;
  const amount = (value: DecimalInput) => money(value, currency, locale);
  const sentences =
    status === "draft"
      ? [words.gives_back(amount(decimal(total).negated()), credit_for_number)]
      : [
          !isZero(applied_total) && words.set_off(amount(applied_total), credit_for_number),
          decimal(outstanding).isNegative() && words.refund(amount(decimal(outstanding).negated())),
        ].filter((sentence) => sentence !== false);
  return sentences.length === 0
    ? null
    : { html: new Markup(sentences.map((one) => `<p>${escapedHtml(`${one}.`)}</p>`).join("\n")) };
}

/** The payment instructions: the template's own markdown, else the built-in sentence. */
function paymentText(drawn: Drawn): { html: Markup } | null {
  const { row, words } = drawn;
  if (row.document === "invoice" && row.kind === "credit_note") return refundText(row, words);
  if (!isToPay(row)) return null;
  const discount = discountHtml(row as InvoiceDocument, words);
  const own = inLanguage(row.template?.payment_i18n, row.locale);
  if (own !== null) return { html: new Markup(`${drawn.prose(own)}${discount}`) };
  const { seller, due_date: due } = row as DocumentRow & { document: "invoice" };
  const sentence = words.payment(
    money(row.outstanding, row.currency, row.locale),
    due && day(due),
    // Readers retype the number, so it must not break across lines.
    seller.iban ? iban(seller.iban).replaceAll(" ", "\u00a0") : null,
    seller.name ?? null,
    row.number,
  );
  return { html: new Markup(`<p>${escapedHtml(sentence.replace(/\.?$/, "."))}</p>${discount}`) };
}

/** The discount for early payment that is left, as a paragraph; empty without one. It does not depend on the day of printing (money §6.1). */
function discountHtml(row: InvoiceDocument, words: Words): string {
  const { discount_left, discount_until, payment_discount, outstanding, currency, locale } = row;
  const rest = decimal(outstanding).minus(decimal(discount_left));
  if (!discount_until || !payment_discount || isZero(discount_left) || !rest.greaterThan(0)) return "";
  const percent = `${plain(payment_discount.percent, locale)}%`;
  const amount = (value: DecimalInput) => money(value, currency, locale);
  return `<p>${escapedHtml(`${words.discount(day(discount_until), percent, amount(discount_left), amount(rest))}.`)}</p>`;
}

/** A printed body block, or null when it is empty. */
export function bodyBlock({ key, fields }: PlacedBlock, drawn: Drawn): BodyBlock | null {
  const { row, words, worded } = drawn;
  const of = (content: Omit<BodyBlock, "key"> | null): BodyBlock | null => (content ? { key, ...content } : null);
  const texts = row.template ?? {};
  switch (key) {
    case "payment_box":
      return of(paymentBox(fields, drawn));
    case "payment_qr":
      return of(paymentCode(drawn));
    case "transfer_qr":
      return of(transferCode(drawn));
    case "payment_link":
      return of(paymentLink(fields, drawn));
    case "intro":
      return of(prose(row.intro ?? inLanguage(texts.intro_i18n, row.locale), drawn));
    case "lines": {
      if (row.lines.length === 0) return null;
      const columns = columnsOf(fields, (field) => worded(field, words.lines[field.key]));
      const sections = sectionsOf(row.lines, columns, { currency: row.currency, locale: row.locale, words });
      const { section_subtotal, prices_include_tax: text } = words;
      const caption = words.lines["caption"] ?? "";
      return of({ columns, sections, section_subtotal, caption, ...(row.prices_include_tax && { text }) });
    }
    case "tax_summary": {
      const { title, ...headings } = words.tax_summary;
      const amount = (value: string) => money(value, row.currency, row.locale);
      const groups = row.tax_groups.map((group) => ({
        name: groupName(group, drawn),
        base: amount(group.base),
        tax: amount(group.tax),
      }));
      return groups.length === 0 ? null : of({ title, headings, groups });
    }
    case "totals":
      return of(totals(fields, drawn));
    case "reverse_charge":
      return row.lines.some(({ tax_category }) => tax_category === "reverse_charge") ? of({ text: words.reverse_charge }) : null;
    case "notes":
      return of(prose(row.notes, drawn));
    case "payment":
      return of(paymentText(drawn));
    case "footer":
      return of(prose(inLanguage(texts.footer_i18n, row.locale), drawn));
    default:
      return null;
  }
}
