import { namedValues } from "../naming/named-values.ts";

/** What can hang on a person, in the order in which it is listed and handed over (work chapter §1). */
export const OPEN_WORK_KINDS = namedValues("OpenWorkKind", [
  "company",
  "project",
  "task",
  "series",
  "template",
  "agreement",
  "rule",
]);
export type OpenWorkKind = (typeof OPEN_WORK_KINDS)[number];

/** How many records of one kind a hand-over changed. */
export interface HandedOver {
  readonly kind: OpenWorkKind;
  readonly count: number;
}

/** Records of one kind that hang on a person: all are counted, the first ones listed. */
export interface OpenWork {
  readonly kind: OpenWorkKind;
  readonly total: number;
  readonly items: readonly { readonly id: string; readonly title: string; readonly company_id: string | null }[];
}
