import { request } from "../../../../core/request/context.ts";
import { decimal } from "../../../../core/values/money.ts";
import { escapedHtml } from "../../../../core/values/text.ts";
import { paletteOf } from "../../../../mixins/documents/colours.ts";
import { Markup, renderTemplate } from "../../../../mixins/documents/engine.ts";
import { logoOf } from "../../../../mixins/documents/pictures.ts";
import { pdfOf } from "../../../../mixins/documents/printing/pdf.ts";
import type { BodyBlock } from "../../rendering/blocks/body-blocks.ts";
import { classic } from "../../rendering/designs/classic.ts";
import { issuer } from "../../rendering/document-rows.ts";
import { lettersParties } from "../../rendering/document-view.ts";
import { framed } from "../../rendering/frame.ts";
import { day, money } from "../../rendering/texts/formats.ts";
import type { Account } from "./statement.ts";
import type { ClientStatement } from "./statement-rows.ts";
import { type StatementWords, statementWords } from "./statement-words.ts";

/** Days keep to one line, although the entry takes all the room that is left. */
const CSS = `${classic.css}
.lines .date, .lines .due { white-space: nowrap; }`;

type Column = keyof StatementWords["columns"];
const FIGURES: ReadonlySet<Column> = new Set(["amount", "balance", "open"]);

/** A table as the shipped designs print the lines of a document: the entry takes the room that is left. */
function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly Partial<Record<Column, string>>[],
  words: StatementWords,
) {
  const key = (column: Column) => (column === "entry" ? "description" : column);
  return {
    key: "lines",
    caption,
    columns: columns.map((column) => ({ key: key(column), label: words.columns[column], is_figure: FIGURES.has(column) })),
    sections: [
      {
        ...{ kind: "product" as const, title: null, subtotal: null },
        rows: rows.map((row) => ({
          cells: columns.map((column) => ({ key: key(column), value: row[column] ?? "", is_figure: FIGURES.has(column) })),
        })),
      },
    ],
  } satisfies BodyBlock;
}

function accountBlocks(
  account: Account,
  from: string,
  { locale, words }: { locale: string; words: StatementWords },
): BodyBlock[] {
  const { currency, opening, entries, closing, open_items: items, overdue } = account;
  const amount = (text: string) => money(text, currency, locale);
  const heading = (text: string): BodyBlock => ({ key: "intro", html: new Markup(`<h2>${escapedHtml(text)}</h2>`) });
  const total = (key: string, label: string, text: string) => ({ key, label, value: amount(text), is_strong: key === "total" });
  // What is past its due date to the client's credit is not overdue.
  const late = decimal(overdue).greaterThan(0) ? [total("overdue", words.overdue, overdue)] : [];
  return [
    table(
      words.heading,
      ["date", "entry", "due", "amount", "balance"],
      [
        { date: day(from), entry: words.opening, balance: amount(opening) },
        ...entries.map(({ date, type, number, reference, due_date, amount: changed, balance }) => ({
          date: day(date),
          entry: [`${words.entries[type]} ${number}`, reference].filter(Boolean).join(" · "),
          due: due_date === null ? "" : day(due_date),
          amount: amount(changed),
          balance: amount(balance),
        })),
      ],
      words,
    ),
    { key: "totals", rows: [total("total", words.closing, closing), ...late] },
    ...(items.length === 0
      ? []
      : [
          heading(words.items),
          table(
            words.items,
            ["date", "entry", "due", "amount", "open"],
            items.map(({ number, issue_date, due_date, total: whole, open }) => ({
              ...{ date: day(issue_date), entry: number, due: day(due_date), amount: amount(whole), open: amount(open) },
            })),
            words,
          ),
        ]),
  ];
}

/** A statement of account as an HTML document, in the shipped design and the client's language. */
async function statementPage({ name, from, to, accounts, customer, locale }: ClientStatement): Promise<string> {
  const words = statementWords(locale);
  const { brand, logo_url, primary_color, accent_color, seller } = await issuer();
  const title = `${words.heading} ${name}`;
  const meta = [
    { key: "period", label: words.period, value: `${day(from)} – ${day(to)}` },
    ...(customer.client_number ? [{ key: "client_number", label: words.client_number, value: customer.client_number }] : []),
  ];
  const body = accounts.flatMap((account) => accountBlocks(account, from, { locale, words }));
  const view = {
    ...{ locale, title, brand, watermark: null, dated: to, palette: paletteOf(accent_color, primary_color) },
    ...{ heading: words.heading, logo: await logoOf(logo_url), meta },
    ...lettersParties({ seller, customer, locale }, words.to),
    body: body.length > 0 ? body : [{ key: "intro", html: new Markup(`<p>${escapedHtml(words.nothing)}</p>`) }],
  };
  const printed = renderTemplate(classic.html, view);
  return framed(view, { body: printed, css: CSS, template: {}, pictures: { background: null } });
}

/**
 * A statement of account as PDF, printed as invoices are.
 * @throws 503 `unavailable` when no PDF can be rendered
 */
export async function printedStatement(statement: ClientStatement): Promise<{ fileName: string; pdf: Buffer }> {
  const fileName = `${statementWords(statement.locale).file}-${statement.from}-${statement.to}.pdf`;
  return { fileName, pdf: await pdfOf(await statementPage(statement), request().organisation.id) };
}
