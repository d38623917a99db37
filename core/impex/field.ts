import type { CustomDefinition, CustomType } from "../custom-fields/values.ts";
import { joinedAddresses, LONGEST_ADDRESSES } from "../mail/addresses.ts";
import { countryCode } from "../values/countries.ts";
import { bareText, type Cell, cellText, isFault, type Kind, NO, readBoolean, readNumber, YES } from "./files/cell.ts";
import { type DateReading, readDate, readDatetime, readLocalDatetime } from "./files/date-cells.ts";
import { plainDate } from "./files/dates.ts";
import { addressesIn, numbersIn, readList } from "./files/lists.ts";

/** A column of a kind of record, for imports and exports. */
export interface Field {
  /** Stable: the header in exports, and the name of the value. */
  key: string;
  kind: Kind;
  /** Other headers accepted by an import, best first; compared without case, spaces and punctuation. */
  names?: readonly string[];
  /** Ways to derive the value from differently structured columns. */
  shapes?: readonly Shape[];
  /** For a choice: the stored values, each with other accepted words. Words under `""` mean "unknown". */
  choices?: Readonly<Record<string, readonly string[]>>;
  /** For a custom select: the stored value by its labels in any language, in lower case. The body's validation handles other words. */
  options?: ReadonlyMap<string, string>;
  /** True if no record can be created without it, so the file must have the column. */
  required?: boolean;
  /** True for a text that is or begins with a date, in any notation. */
  dated?: true;
  /**
   * Names that mean the field only where no other field claims the column. With `nextTo` a column of these names must stand next to it. Each
   * use is reported.
   */
  guesses?: readonly { names: readonly string[]; nextTo?: readonly string[] }[];
  /** True if a body trims the text, too: rows are matched by the trimmed one. */
  trimmed?: boolean;
  /** True if exports omit it. */
  importOnly?: boolean;
  /** True if only files of other tools have it, so templates omit it, too. */
  foreign?: boolean;
}

/** A way to derive a field from other columns, such as a full name from first, middle and last name. */
export interface Shape {
  /** The columns, each with its possible headers; missing columns and blank cells become `""`. At least one column must exist. */
  from: readonly (readonly string[])[];
  /** The field's text, or `""` if these columns do not yield one. */
  read(...texts: string[]): string;
  /** True if the value says all that the columns do, in another unit or as another word: nothing of them is left out. */
  isWhole?: true;
  /** True if it is a guess by the neighbours of a column, the first of `from`: its use is reported. */
  isGuess?: true;
  /** True if it takes precedence over columns named like the field; otherwise they take precedence. */
  first?: true;
}

/** A header without case, spaces, accents and punctuation: `E-mail facturen` becomes `emailfacturen`. */
export const bare = (header: string): string =>
  header
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

/** The value of a cell with its leftovers, or its error key. An undefined value means "unknown". */
export type Read = { value: unknown; left?: readonly string[] } | { error: string };

const readAs =
  (read: (cell: Cell, dates?: DateReading) => unknown, error: string) =>
  (cell: Cell, dates?: DateReading): Read => {
    const value = read(cell, dates);
    return value === undefined ? { error } : { value };
  };

/** The first of several values in one cell, and the rest. */
const readFirst =
  (split: (text: string) => readonly string[]) =>
  (cell: Cell): Read => {
    const [value, ...left] = split(cellText(cell));
    return left.length > 0 ? { value, left } : { value };
  };

/** As many of a cell's addresses as the field has space for, and the rest. */
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
/** Whether a cell contains an id as written by an export. */
export const isId = (cell: Cell): boolean => readId(cell) !== undefined;

const readWholeDate = readAs(readDate, "impex.errors.invalid_date");
/** Outlook and MySQL write zeros for an unknown day, such as `0-0-00`. */
const isZeroDate = (cell: Cell): boolean => /^0+[-/.]0+[-/.]0+$/.test(cellText(cell).trim());

const READERS: Readonly<Record<Exclude<Kind, "choice">, (cell: Cell, dates?: DateReading) => Read>> = {
  id: readAs(readId, "errors.validation"),
  text: readAs(cellText, "errors.validation"),
  list: readAs((cell) => readList(cellText(cell)), "errors.validation"),
  number: readAs(readNumber, "impex.errors.invalid_number"),
  boolean: readAs(readBoolean, "impex.errors.invalid_bool"),
  date: (cell, dates) => (isZeroDate(cell) ? { value: undefined } : readWholeDate(cell, dates)),
  datetime: readAs(readDatetime, "impex.errors.invalid_date"),
  "local datetime": readAs(readLocalDatetime, "impex.errors.invalid_date"),
  country: readAs((cell) => countryCode(cellText(cell)), "impex.errors.invalid_option"),
  phone: readFirst(numbersIn),
  email: readFirst(addressesIn),
  emails: readAddresses,
};

const optionsByWord = new WeakMap<object, Map<string, string>>();

/** The words of a choice, each with its stored value. */
function choicesOf(choices: Readonly<Record<string, readonly string[]>>): Map<string, string> {
  let words = optionsByWord.get(choices);
  if (!words) {
    const all = Object.entries(choices).flatMap(([value, names]) =>
      [value, ...names].map((name) => [bare(name), value] as const),
    );
    words = new Map(all.toReversed());
    optionsByWord.set(choices, words);
  }
  return words;
}

function readChoice({ choices = {} }: Field, cell: Cell): Read {
  const found = choicesOf(choices).get(bare(cellText(cell)));
  return found === undefined ? { error: "impex.errors.invalid_option" } : { value: found || undefined };
}

const labelOf = (text: string): string => text.normalize("NFC").trim().toLowerCase();

/** The stored value for the words of a select: a value means itself, a unique label means its option. */
function optionsMeant(options: ReadonlyMap<string, string>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => optionsMeant(options, one));
  return options.get(labelOf(String(value))) ?? value;
}

/** Parses a non-blank cell for its field. @param dates the reading of its dates; day first without it */
export function readCell(field: Field, cell: Cell, dates?: DateReading): Read {
  if (isFault(cell)) return { error: "errors.validation" };
  if (field.options) {
    const read = READERS[field.kind === "list" ? "list" : "text"](cell);
    return "error" in read ? read : { value: optionsMeant(field.options, read.value) };
  }
  if (field.dated) return { value: plainDate(cellText(cell), dates?.order ?? "dmy") };
  if (field.trimmed) return { value: bareText(cell) };
  return field.kind === "choice" ? readChoice(field, cell) : READERS[field.kind](cell, dates);
}

const EXAMPLES: Partial<Record<Kind, readonly string[]>> = {
  boolean: [...YES, ...NO],
  date: ["2025-12-31", "31-12-2025"],
  datetime: ["2025-12-31T14:30:00Z", "31-12-2025 14:30"],
  "local datetime": ["2025-12-31T14:30:00Z", "31-12-2025 14:30"],
  number: ["1234.56", "1.234,56"],
  country: ["NL", "Nederland", "Netherlands", "Niederlande"],
};

/** The accepted words of a column, or examples; empty if any text is allowed. */
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

/** The labels and values of a select. Values take precedence over labels; a label shared by two options means neither. */
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

/** Prefix of the key of every custom field's column. */
export const CUSTOM = "custom.";

/**
 * The columns of an organisation's custom fields: `custom.<key>`, also matched by every label. A label shared by two fields matches
 * neither; if another column has the same name, that column takes precedence.
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
