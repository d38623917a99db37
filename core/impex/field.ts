import type { CustomDefinition, CustomType } from "../custom-fields/values.ts";
import { joinedAddresses, LONGEST_ADDRESSES } from "../mail/addresses.ts";
import { countryCode } from "../values/countries.ts";
import {
  bareText,
  type Cell,
  cellText,
  isFault,
  type Kind,
  NO,
  readBoolean,
  readDate,
  readDatetime,
  readLocalDatetime,
  readNumber,
  YES,
} from "./files/cell.ts";
import { addressesIn, numbersIn, readList } from "./files/lists.ts";

/** A column of a kind of record: what a file may hold and what an export shows. */
export interface Field {
  /** Stable: the header of an export, and the name under which values travel. */
  key: string;
  kind: Kind;
  /** Other headers an import takes for it, the best first; compared without case, spaces and punctuation. */
  names?: readonly string[];
  /** Ways to fill it from columns that say it otherwise. */
  shapes?: readonly Shape[];
  /** Of a choice: what is stored, each with the other words a file may use for it. Words under `""` say that nothing is known. */
  choices?: Readonly<Record<string, readonly string[]>>;
  /** Of a custom select: what is stored, by the labels that mean it in any language, in lower case. Other words are left for the body's rule. */
  options?: ReadonlyMap<string, string>;
  /** True when no record can be made without it, so that a file must have the column. */
  required?: boolean;
  /** Characters to which a tool pads the text with spaces in front: those of a cell of just that length are none of it. */
  padded?: number;
  /** True when an export leaves it out. */
  importOnly?: boolean;
  /** True when only files of other tools have it, so that a template leaves it out, too. */
  foreign?: boolean;
}

/** How other columns say what a field holds: a full name, a first name and one in the middle. */
export interface Shape {
  /** The columns, each by the headers it may have; those a file lacks, and blank cells, are `""`. One of them must be there. */
  from: readonly (readonly string[])[];
  /** The field's text, or `""` where this way does not give one. */
  read(...texts: string[]): string;
  /** True when it counts before the columns that are named like the field, else after them. */
  first?: true;
}

/** A header without case, spaces, accents and punctuation: `E-mail facturen` is `emailfacturen`. */
export const bare = (header: string): string =>
  header
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

/** What a cell holds, with what else stood in it, or the key of what is wrong with it. Nothing is a value that says nothing. */
export type Read = { value: unknown; left?: readonly string[] } | { error: string };

const readAs =
  (read: (cell: Cell) => unknown, error: string) =>
  (cell: Cell): Read => {
    const value = read(cell);
    return value === undefined ? { error } : { value };
  };

/** The first of several values in one cell, and the others. */
const readFirst =
  (split: (text: string) => readonly string[]) =>
  (cell: Cell): Read => {
    const [value, ...left] = split(cellText(cell));
    return left.length > 0 ? { value, left } : { value };
  };

/** As many of the addresses in one cell as their field has room for, and the others. */
function readAddresses(cell: Cell): Read {
  const typed = cellText(cell);
  const all = addressesIn(typed);
  if (all.length === 1) return { value: typed };
  const fits = (count: number) => joinedAddresses(all.slice(0, count)).length <= LONGEST_ADDRESSES;
  const count = all.findLastIndex((_, index) => fits(index + 1)) + 1 || 1;
  const value = joinedAddresses(all.slice(0, count));
  return count < all.length ? { value, left: all.slice(count) } : { value };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const readId = (cell: Cell): string | undefined => {
  const id = bareText(cell).toLowerCase();
  return UUID.test(id) ? id : undefined;
};
/** Whether a cell holds an id as an export writes it. */
export const isId = (cell: Cell): boolean => readId(cell) !== undefined;

const READERS: Readonly<Record<Exclude<Kind, "choice">, (cell: Cell) => Read>> = {
  id: readAs(readId, "errors.validation"),
  text: readAs(cellText, "errors.validation"),
  list: readAs((cell) => readList(cellText(cell)), "errors.validation"),
  number: readAs(readNumber, "impex.errors.invalid_number"),
  boolean: readAs(readBoolean, "impex.errors.invalid_bool"),
  date: readAs(readDate, "impex.errors.invalid_date"),
  datetime: readAs(readDatetime, "impex.errors.invalid_date"),
  "local datetime": readAs(readLocalDatetime, "impex.errors.invalid_date"),
  country: readAs((cell) => countryCode(cellText(cell)), "impex.errors.invalid_option"),
  phone: readFirst(numbersIn),
  email: readFirst(addressesIn),
  emails: readAddresses,
};

const wordsOf = new WeakMap<object, Map<string, string>>();

/** The words of a choice, each with what is stored for it. */
function choicesOf(choices: Readonly<Record<string, readonly string[]>>): Map<string, string> {
  let words = wordsOf.get(choices);
  if (!words) {
    const all = Object.entries(choices).flatMap(([value, names]) =>
      [value, ...names].map((name) => [bare(name), value] as const),
    );
    words = new Map(all.toReversed());
    wordsOf.set(choices, words);
  }
  return words;
}

function readChoice({ choices = {} }: Field, cell: Cell): Read {
  const found = choicesOf(choices).get(bare(cellText(cell)));
  return found === undefined ? { error: "impex.errors.invalid_option" } : { value: found || undefined };
}

const labelOf = (text: string): string => text.normalize("NFC").trim().toLowerCase();

/** What is stored for the words of a select: a value stands for itself, a label of one option for that. */
function optionsMeant(options: ReadonlyMap<string, string>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => optionsMeant(options, one));
  return options.get(labelOf(String(value))) ?? value;
}

/** Reads a cell that is not blank as its field says. */
export function readCell(field: Field, cell: Cell): Read {
  if (isFault(cell)) return { error: "errors.validation" };
  if (field.options) {
    const read = READERS[field.kind === "list" ? "list" : "text"](cell);
    return "error" in read ? read : { value: optionsMeant(field.options, read.value) };
  }
  if (field.padded !== undefined && cellText(cell).length === field.padded) return { value: cellText(cell).trimStart() };
  return field.kind === "choice" ? readChoice(field, cell) : READERS[field.kind](cell);
}

const EXAMPLES: Partial<Record<Kind, readonly string[]>> = {
  boolean: [...YES, ...NO],
  date: ["2025-12-31", "31-12-2025"],
  datetime: ["2025-12-31T14:30:00Z", "31-12-2025 14:30"],
  "local datetime": ["2025-12-31T14:30:00Z", "31-12-2025 14:30"],
  number: ["1234.56", "1.234,56"],
  country: ["NL", "Nederland", "Netherlands", "Niederlande"],
};

/** The words a column would have understood, or examples of them; none where any text may stand. */
export function wordsFor({ kind, choices = {}, options }: Field): string[] {
  if (options) return [...options.keys()];
  if (kind === "choice") return Object.entries(choices).flatMap(([value, names]) => [value, ...names].filter(Boolean));
  return [...(EXAMPLES[kind] ?? [])];
}

const KIND_OF: Partial<Record<CustomType, Kind>> = {
  number: "number",
  boolean: "boolean",
  date: "date",
  datetime: "datetime",
  multi_select: "list",
};

/**
 * The labels and values of a select. A value is found as it is before any label is; a label that two options have means neither.
 */
function optionsOf({ data_type: type, options_json: options = [] }: CustomDefinition): Map<string, string> | undefined {
  if (type !== "select" && type !== "multi_select") return undefined;
  const labels = Map.groupBy(
    options.flatMap(({ value, label_i18n: label = {} }) =>
      [...new Set(Object.values(label).map(labelOf))].flatMap((text) => (text === "" ? [] : [{ text, value }])),
    ),
    ({ text }) => text,
  );
  const values = Map.groupBy(options, ({ value }) => labelOf(value));
  const meant = [...labels].flatMap(([text, [only, other]]) =>
    only && !other && !values.has(text) ? [[text, only.value] as const] : [],
  );
  const own = [...values].flatMap(([text, [only, other]]) => (only && !other ? [[text, only.value] as const] : []));
  return new Map([...meant, ...own]);
}

/** Begins the key of every column that holds a custom field. */
export const CUSTOM = "custom.";

/**
 * The columns of an organisation's custom fields: `custom.<key>`, found by every label too. A label of two fields names neither; one that
 * is also a name of another column is taken for that.
 */
export function customFields(definitions: readonly CustomDefinition[]): Field[] {
  const labels = definitions.map(({ label_i18n: label = {} }) => [...new Set(Object.values(label).map(bare))].filter(Boolean));
  const used = labels.flat();
  return definitions.map((definition, index) => ({
    key: `${CUSTOM}${definition.key}`,
    kind: KIND_OF[definition.data_type] ?? "text",
    ...(optionsOf(definition) && { options: optionsOf(definition) as Map<string, string> }),
    names: (labels[index] as string[]).filter((label) => used.filter((other) => other === label).length === 1),
  }));
}
