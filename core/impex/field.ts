import type { CustomDefinition, CustomType } from "../custom-fields/values.ts";
import { type Cell, cellText, type Kind, readBoolean, readDate, readDatetime, readList, readNumber } from "./files/cell.ts";

/** A column of a kind of record: what a file may hold and what an export shows. */
export interface Field {
  /** Stable: the header of an export, and the name under which values travel. */
  key: string;
  kind: Kind;
  /** Other headers an import takes for it, the best first; compared without case, spaces and punctuation. */
  names?: readonly string[];
  /** Of a choice: what is stored, each with the other words a file may use for it. */
  choices?: Readonly<Record<string, readonly string[]>>;
  /** True when no record can be made without it, so that a file must have the column. */
  required?: boolean;
  /** True when an export leaves it out. */
  importOnly?: boolean;
}

/** A header without case, spaces, accents and punctuation: `E-mail facturen` is `emailfacturen`. */
export const bare = (header: string): string =>
  header
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

/** What a cell holds, or the key of what is wrong with it. */
export type Read = { value: unknown } | { error: string };

const readAs =
  (read: (cell: Cell) => unknown, error: string) =>
  (cell: Cell): Read => {
    const value = read(cell);
    return value === undefined ? { error } : { value };
  };

const READERS: Readonly<Record<Exclude<Kind, "choice">, (cell: Cell) => Read>> = {
  text: readAs(cellText, "errors.validation"),
  list: readAs(readList, "errors.validation"),
  number: readAs(readNumber, "impex.errors.invalid_number"),
  boolean: readAs(readBoolean, "impex.errors.invalid_bool"),
  date: readAs(readDate, "impex.errors.invalid_date"),
  datetime: readAs(readDatetime, "impex.errors.invalid_date"),
};

function readChoice({ choices = {} }: Field, cell: Cell): Read {
  const word = bare(cellText(cell));
  const found = Object.entries(choices).find(([value, names]) => [value, ...names].some((name) => bare(name) === word));
  return found ? { value: found[0] } : { error: "impex.errors.invalid_option" };
}

/** Reads a cell that is not blank as its field says. */
export function readCell(field: Field, cell: Cell): Read {
  if (cell === null) return { error: "errors.validation" };
  return field.kind === "choice" ? readChoice(field, cell) : READERS[field.kind](cell);
}

const KIND_OF: Partial<Record<CustomType, Kind>> = {
  number: "number",
  boolean: "boolean",
  date: "date",
  datetime: "datetime",
  multi_select: "list",
};

/** Begins the key of every column that holds a custom field. */
export const CUSTOM = "custom.";

/**
 * The columns of an organisation's custom fields: `custom.<key>`, found by every label too. A label of two fields names neither; one that
 * is also a name of another column is taken for that.
 */
export function customFields(definitions: readonly CustomDefinition[]): Field[] {
  const labels = definitions.map(({ label_i18n: label = {} }) => [...new Set(Object.values(label).map(bare))].filter(Boolean));
  const used = labels.flat();
  return definitions.map(({ key, data_type: type }, index) => ({
    key: `${CUSTOM}${key}`,
    kind: KIND_OF[type] ?? "text",
    names: (labels[index] as string[]).filter((label) => used.filter((other) => other === label).length === 1),
  }));
}
