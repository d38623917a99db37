import type { TemplateConfig } from "./template-config.ts";

/** The region of a block; only blocks of the body can move. */
export type Region = "identity" | "sender" | "addressee" | "meta" | "body";

/** A part of a block: an address line, a column, a row of the totals. */
export interface FieldDeclaration {
  key: string;
  /** Whether it is printed by default. */
  default: boolean;
  /** Whether it is always printed. */
  locked: boolean;
  /** Whether a template can replace its label. */
  labelled: boolean;
}

/** A part of a document that a template arranges (money §14). */
export interface BlockDeclaration {
  key: string;
  region: Region;
  default: boolean;
  locked: boolean;
  movable: boolean;
  fields: readonly FieldDeclaration[];
}

/** Parses a field from its line in the catalogue: `!` locked, `-` off by default, `:` labelled. */
function field(line: string): FieldDeclaration {
  const [, marks = "", key = ""] = /^([!:-]*)(\w+)$/.exec(line) ?? [];
  return { key, default: !marks.includes("-"), locked: marks.includes("!"), labelled: marks.includes(":") };
}

function block(region: Region, line: string, fields = ""): BlockDeclaration {
  const { labelled: _, ...own } = field(line);
  const parts = fields.split(" ").filter(Boolean).map(field);
  return { key: own.key, region, default: own.default, locked: own.locked, movable: region === "body", fields: parts };
}

/** All blocks and fields, in their default order (money §14). */
export const BLOCKS: readonly BlockDeclaration[] = [
  block("identity", "logo"),
  block("identity", "!heading"),
  block("sender", "seller", "!name address postal_city -country :phone :email -:website :iban -:bic !:vat_number :coc_number"),
  block("addressee", "!bill_to", ":label !name :attn address postal_city country :vat_number :coc_number -:email"),
  block("meta", "!meta", "!:number !:issue_date :reference :due_date -:payment_terms -:client_number -:delivery_date :period"),
  block("body", "-payment_box", ":amount :iban :account_name :description"),
  block("body", "-payment_qr"),
  block("body", "-payment_link", ":label url"),
  block("body", "intro"),
  block("body", "!lines", "!:description :quantity -:unit :unit_price :tax !:amount"),
  block("body", "-tax_summary"),
  block("body", "transfer_qr"),
  block("body", "!totals", ":subtotal !tax_rows !:total :paid :credited :to_pay"),
  block("body", "!reverse_charge"),
  block("body", "notes"),
  block("body", "payment"),
  block("body", "footer"),
];

/** A field that a template prints. */
export interface PlacedField {
  key: string;
  /** The template's own labels, by language; empty for the built-in one. */
  labels: Readonly<Record<string, string>>;
}

/** A block that a template prints, with its fields in order. */
export interface PlacedBlock {
  key: string;
  region: Region;
  fields: readonly PlacedField[];
}

type Mention = { key: string; enabled?: boolean };

/**
 * Reorders keys by a diff: the named ones fill their slots in the diff's order; the others keep their position. If a key occurs twice, the
 * first counts.
 */
function ordered<T extends { key: string }>(declared: readonly T[], named: readonly string[], mayMove: (one: T) => boolean): T[] {
  const movable = new Map(declared.filter(mayMove).map((one) => [one.key, one]));
  const queue = [...new Set(named)].flatMap((key) => movable.get(key) ?? []);
  const isQueued = new Set(queue);
  return declared.map((one) => (isQueued.has(one) ? (queue.shift() as T) : one));
}

const firstBy = <T extends Mention>(mentions: readonly T[]): Map<string, T> =>
  new Map(mentions.toReversed().map((one) => [one.key, one]));

/**
 * The printed blocks of a template, in order: the catalogue, changed by the template's layout. Unmentioned keys keep position and default,
 * unknown ones are ignored, locked ones stay on (money §14). The older switches for columns and logo apply where the layout does not
 * mention them.
 */
export function placedBlocks({ layout = [], columns, show_logo: showLogo = true }: TemplateConfig): PlacedBlock[] {
  const mentions = firstBy(layout);
  const older = columns as Readonly<Record<string, boolean | undefined>> | undefined;
  const isOn = (one: { key: string; default: boolean; locked: boolean }, mention: Mention | undefined, fallback?: boolean) =>
    one.locked || (mention?.enabled ?? fallback ?? one.default);

  return ordered(
    BLOCKS,
    layout.map(({ key }) => key),
    ({ movable }) => movable,
  ).flatMap((block) => {
    const mention = mentions.get(block.key);
    if (!isOn(block, mention, block.key === "logo" ? showLogo : undefined)) return [];
    const said = mention?.fields ?? [];
    const byKey = firstBy(said);
    const fields = ordered(
      block.fields,
      said.map(({ key }) => key),
      () => true,
    ).flatMap((one) => {
      const own = byKey.get(one.key);
      if (!isOn(one, own, block.key === "lines" ? older?.[one.key] : undefined)) return [];
      return [{ key: one.key, labels: one.labelled ? (own?.label_i18n ?? {}) : {} }];
    });
    return [{ key: block.key, region: block.region, fields }];
  });
}
