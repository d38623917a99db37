import { request } from "../../../../core/request/context.ts";
import { decimal } from "../../../../core/values/money.ts";
import { escapedHtml } from "../../../../core/values/text.ts";
import { paletteOf } from "../../../../mixins/documents/colours.ts";
import { Markup, renderTemplate } from "../../../../mixins/documents/engine.ts";
import { logoOf } from "../../../../mixins/documents/pictures.ts";
import { pdfOf } from "../../../../mixins/documents/printing/pdf.ts";
import type { BodyBlock } from "../../rendering/blocks/body-blocks.ts";
import { classic } from "../../rendering/designs/classic.ts";
import type { DocumentRow } from "../../rendering/document-rows.ts";
import { lettersParties } from "../../rendering/document-view.ts";
import { framed } from "../../rendering/frame.ts";
import { day, iban, money, plain } from "../../rendering/texts/formats.ts";
import type { WordedNotice } from "./notice.ts";
import { type NoticeWords, noticeWords } from "./notice-words.ts";

type DunnedDocument = Extract<DocumentRow, { document: "invoice" }>;

const prose = (key: string, text: string): BodyBlock => ({
  key,
  html: new Markup(
    text
      .split(/\n{2,}/)
      .map((part) => `<p>${escapedHtml(part).replaceAll("\n", "<br>")}</p>`)
      .join(""),
  ),
});

/** What the notice claims, a row for each part. */
function claimRows(
  { principal, interest_parts, fees, costs }: WordedNotice,
  words: NoticeWords,
  { currency, locale, number }: DunnedDocument,
) {
  const amount = (text: string) => money(text, currency, locale);
  const some = (label: string, text: string) => (decimal(text).isZero() ? [] : [[label, amount(text)] as const]);
  return [
    [`${words.principal} ${number ?? ""}`, amount(principal)] as const,
    ...interest_parts.map(
      (part) => [words.interest(part.days, plain(part.rate, locale), day(part.from), day(part.to)), amount(part.amount)] as const,
    ),
    ...some(words.fees, fees),
    ...some(words.costs, costs),
  ];
}

const table = (rows: readonly (readonly [string, string])[], words: NoticeWords): BodyBlock => ({
  key: "lines",
  caption: words.total,
  columns: [
    { key: "description", label: words.description, is_figure: false },
    { key: "amount", label: words.amount, is_figure: true },
  ],
  sections: [
    {
      ...{ kind: "product" as const, title: null, subtotal: null },
      rows: rows.map(([description, amount]) => ({
        cells: [
          { key: "description", value: description, is_figure: false },
          { key: "amount", value: amount, is_figure: true },
        ],
      })),
    },
  ],
});

/** How to pay: account, its holder, and the number to name. */
function paymentRows({ seller, number }: DunnedDocument, notice: WordedNotice, words: NoticeWords): BodyBlock[] {
  const rows = [
    ...(seller.iban ? [{ key: "iban", label: words.iban, value: iban(seller.iban) }] : []),
    ...(seller.name ? [{ key: "account_name", label: words.account_name, value: seller.name }] : []),
    { key: "description", label: words.reference, value: number ?? "" },
    { key: "pay_by", label: words.pay_by, value: day(notice.pay_by) },
  ];
  return [{ key: "payment_box", rows }];
}

/** A notice as an HTML document, in the shipped design and the language of the invoice. */
async function letterPage(document: DunnedDocument, notice: WordedNotice): Promise<string> {
  const { locale, currency, customer, seller, brand, logo_url, primary_color, accent_color, number, issue_date, due_date } =
    document;
  const words = noticeWords(locale);
  const meta = [
    { key: "number", label: words.number, value: number ?? "" },
    { key: "issue_date", label: words.date, value: day(notice.sent_on) },
    ...(issue_date && due_date ? [{ key: "due_date", label: words.due_date, value: day(due_date) }] : []),
    ...(customer.client_number ? [{ key: "client_number", label: words.client_number, value: customer.client_number }] : []),
  ];
  const announced = notice.announced;
  const view = {
    ...{
      locale,
      title: notice.subject,
      brand,
      watermark: null,
      dated: notice.sent_on,
      palette: paletteOf(accent_color, primary_color),
    },
    ...{ heading: notice.subject, logo: await logoOf(logo_url), meta },
    ...lettersParties({ seller, customer, locale }, words.to),
    body: [
      prose("intro", notice.text),
      table(claimRows(notice, words, document), words),
      {
        key: "totals",
        rows: [{ key: "total", label: words.total, value: money(notice.total, currency, locale), is_strong: true }],
      },
      ...(announced === null ? [] : [prose("notes", words.announce(money(announced, currency, locale), day(notice.pay_by)))]),
      ...paymentRows(document, notice, words),
    ] satisfies BodyBlock[],
  };
  const printed = renderTemplate(classic.html, view);
  return framed(view, { body: printed, css: classic.css, template: {}, pictures: { background: null } });
}

/**
 * A notice as PDF, printed as invoices are.
 * @throws 503 `unavailable` when no PDF can be rendered
 */
export async function printedLetter(document: DunnedDocument, notice: WordedNotice): Promise<{ fileName: string; pdf: Buffer }> {
  const fileName = `${noticeWords(document.locale).file}-${notice.level}-${(document.number ?? "").replaceAll("/", "-")}.pdf`;
  return { fileName, pdf: await pdfOf(await letterPage(document, notice), request().organisation.id) };
}
