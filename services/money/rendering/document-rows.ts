import { columns } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import { addressOf, HOSTNAME } from "../../../core/organisation/organisation-address.ts";
import { request } from "../../../core/request/context.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";
import type { SellerDetails } from "../calculation/seller.ts";
import { SOURCE_NUMBER_OF_CLIENT, sourceNumber } from "../documents/document-columns.ts";
import { ACTIVE_ACCOUNT } from "../documents/invoices/collectable.ts";
import { LOOK_JOIN, sellerOf } from "../documents/issued-looks.ts";
import { DocumentLine, type DocumentLineRow, Invoice, type InvoiceRow, Quote, type QuoteRow } from "../documents/models.ts";
import type { TemplateConfig } from "./template-config.ts";

/** The kinds of renderable documents. */
export type Rendered = "invoice" | "quote";

/** An organisation's branding on its documents. */
export interface Brand {
  brand: string;
  logo_url: string | null;
  primary_color: string | null;
  accent_color: string | null;
  /** Scheme, host and port of the organisation. */
  base: string;
}

/** Data printed besides the document's own. */
interface Surroundings extends Brand {
  /** The amount due on an invoice, as text with 2 decimals; 0 for a quote. */
  outstanding: string;
  lines: readonly DocumentLineRow[];
  seller: SellerDetails;
  public_links: boolean;
  /** Whether the document prints the code of a bank transfer; those issued before there was one stay without. */
  transfer_code: boolean;
  /** Null for the classic design. */
  template: TemplateConfig | null;
  /** The kept copies of an issued document's pictures, by the branding file they were copied from. */
  pictures: Readonly<Record<string, string>>;
  /** Whether an active payment account exists. */
  online: boolean;
  /** The number of the invoice that a credit note credits. */
  credit_for_number: string | null;
  /** Whether a draft is printed as a proforma. */
  proforma?: true;
}

/** An invoice or a quote with all data for printing. */
export type DocumentRow = Surroundings &
  (({ readonly document: "invoice" } & InvoiceRow) | ({ readonly document: "quote" } & QuoteRow));

const BRAND = "coalesce(o.brand_name, o.name) as brand, o.logo_url, o.primary_color, o.accent_color, o.slug";
/** A document's branding: frozen at issue, or current for a draft. */
const BRAND_OF_DOCUMENT = `coalesce(look.brand ->> 'brand', o.brand_name, o.name) as brand, o.slug, ${[
  "logo_url",
  "primary_color",
  "accent_color",
]
  .map((name) => `case when look.id is null then o.${name} else look.brand ->> '${name}' end as ${name}`)
  .join(", ")}`;
const LINE = columns(DocumentLine, "l")
  .split(", ")
  .filter((name) => name !== "l.organisation_id")
  .map((name) => (/\.(quantity|unit_price|amount|tax_rate_pct|tax_amount)$/.test(name) ? `${name}::text` : name));

const SOURCES = {
  invoice: {
    table: "invoices",
    shown: columns(Invoice, "t"),
    own: (source: string) => `'invoice' as document, t.outstanding, ${ACTIVE_ACCOUNT} as online, ${source} as credit_for_number`,
  },
  quote: {
    table: "quotes",
    shown: columns(Quote, "t"),
    own: () => "'quote' as document, '0'::text as outstanding, false as online, null::text as credit_for_number",
  },
};

/**
 * Reads documents of the organisation `$1`, each complete in one row.
 * @param which a condition on alias `t` and the settings `s`
 * @param source SQL of the number of a credited invoice
 */
const reading = (kind: Rendered, which: string, source: string): Statement => {
  const { table, shown, own } = SOURCES[kind];
  return statement(`select ${shown}, ${own(source)}, ${BRAND_OF_DOCUMENT}, ${HOSTNAME},
      case when look.id is null then template.config else look.template end as template, ${sellerOf(kind)} as seller,
      coalesce(look.pictures, '{}') as pictures,
      coalesce(s.public_invoice_links, true) as public_links,
      look.id is null or look.brand ? 'transfer_code' as transfer_code,
      (select coalesce(json_agg(line order by line.position), '[]') from (select ${LINE.join(", ")} from document_lines l
        where l.organisation_id = t.organisation_id and l.${kind}_id = t.id) line) as lines
    from ${table} t join organisations o on o.id = t.organisation_id
      left join invoicing_settings s on s.organisation_id = t.organisation_id
      ${LOOK_JOIN}
      left join invoice_templates template on template.organisation_id = t.organisation_id and template.id = t.template_id
    where t.organisation_id = $1 and ${which}`);
};

const SEEN = "t.id = any($2) and ($3::uuid[] is null or t.company_id in (select selected_companies($3)))";
const BY_CALLER = sourceNumber("$3::uuid[]");
const BY_IDS = { invoice: reading("invoice", SEEN, BY_CALLER), quote: reading("quote", SEEN, BY_CALLER) };
const LINKED = "t.public_token = $2 and t.status <> 'draft' and coalesce(s.public_invoice_links, true)";
const BY_TOKEN = {
  invoice: reading("invoice", LINKED, SOURCE_NUMBER_OF_CLIENT),
  quote: reading("quote", LINKED, SOURCE_NUMBER_OF_CLIENT),
};

type StoredDocument = Omit<DocumentRow, "base"> & { slug: string; hostname: string | null };

const complete = ({ slug, hostname, ...row }: StoredDocument): DocumentRow =>
  ({ ...row, base: addressOf(slug, hostname) }) as DocumentRow;

/**
 * Documents by id, without missing ones. Restricted members see only their clients' documents, and client logins no drafts (money §0
 * "Who"); the service itself sees all.
 */
export async function documentRows(kind: Rendered, ids: readonly string[]): Promise<DocumentRow[]> {
  const { organisation, principal } = request();
  const rows = await query<StoredDocument>(BY_IDS[kind], [organisation.id, ids, principal?.selection ?? null]);
  return rows.filter(({ status }) => !(principal?.isClientLogin && status === "draft")).map(complete);
}

/** The invoice or quote of a public token, unless links are off. */
export async function publicRow(kind: Rendered, token: string): Promise<DocumentRow | undefined> {
  const [row] = await query<StoredDocument>(BY_TOKEN[kind], [request().organisation.id, token]);
  return row && complete(row);
}

const ISSUER = statement(`select ${BRAND}, ${HOSTNAME}, coalesce(s.public_invoice_links, true) as public_links,
    coalesce(s.company_details, jsonb_build_object('name', coalesce(o.brand_name, o.name))) as seller
  from organisations o left join invoicing_settings s on s.organisation_id = o.id where o.id = $1`);

/** The organisation's own data on every document, for a sample. */
export async function issuer(): Promise<Brand & Pick<Surroundings, "seller" | "public_links">> {
  const [row] = await query<StoredDocument>(ISSUER, [request().organisation.id]);
  return complete(row as StoredDocument);
}
