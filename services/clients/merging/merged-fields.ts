import { isDeepStrictEqual } from "node:util";
import { blankToNull } from "../../../core/values/text.ts";

type Values = Readonly<Record<string, unknown>>;

/** A field in which two merged records differ: the kept record's value stays. */
export interface FieldConflict {
  field: string;
  kept: string | null;
  other: string;
}

/** What a merge writes to the kept record, and what it leaves out. */
export interface MergedFields {
  filled: Record<string, unknown>;
  conflicts: FieldConflict[];
}

/** The fields of a kind of record, by how they are merged. */
export interface MergedSpec {
  /** Each on its own. */
  single: readonly string[];
  /** Fields that are one value together, such as an address. */
  together: readonly (readonly string[])[];
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === "string" && blankToNull(value) === null);

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const conflict = (field: string, kept: unknown, other: unknown): FieldConflict => ({
  field,
  kept: isEmpty(kept) ? null : shown(kept),
  other: shown(other),
});

/** Adds fields that are one value together: all of them or none, so that no address has the street of one place and the city of another. */
function addTogether({ filled, conflicts }: MergedFields, kept: Values, other: Values, fields: readonly string[]): void {
  const differing = fields.filter((field) => !isEmpty(other[field]) && !isDeepStrictEqual(kept[field], other[field]));
  const isFree = differing.every((field) => isEmpty(kept[field]));
  for (const field of differing)
    if (isFree) filled[field] = other[field];
    else conflicts.push(conflict(field, kept[field], other[field]));
}

/** The custom values of both; on a conflict those of the kept record. */
function addCustom({ filled, conflicts }: MergedFields, kept: Values, other: Values): void {
  const merged: Record<string, unknown> = { ...kept };
  for (const [key, value] of Object.entries(other)) {
    if (isEmpty(value) || isDeepStrictEqual(kept[key], value)) continue;
    if (isEmpty(kept[key])) merged[key] = value;
    else conflicts.push(conflict(`custom.${key}`, kept[key], value));
  }
  if (!isDeepStrictEqual(merged, { ...kept })) filled["custom"] = merged;
}

/** The notes of both, those of the kept record first. */
function addNotes({ filled }: MergedFields, kept: string | null, other: string | null): void {
  if (isEmpty(other) || kept?.includes(other as string)) return;
  filled["notes"] = isEmpty(kept) ? other : `${kept}\n\n${other}`;
}

/**
 * The fields of two records that become one (clients §11.2): empty fields of the kept record take the other's value, notes are joined, and
 * where both have a value the kept record's stays and is reported.
 */
export function mergedFields(kept: Values, other: Values, { single, together }: MergedSpec): MergedFields {
  const merged: MergedFields = { filled: {}, conflicts: [] };
  for (const fields of [...single.map((field) => [field]), ...together]) addTogether(merged, kept, other, fields);
  addCustom(merged, (kept["custom"] ?? {}) as Values, (other["custom"] ?? {}) as Values);
  addNotes(merged, (kept["notes"] ?? null) as string | null, (other["notes"] ?? null) as string | null);
  return merged;
}
