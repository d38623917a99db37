import type { ReportRow } from "../models.ts";

/** The texts that a person wrote: they stay when figures change. */
export const editedTexts = ({ narrative, edited_sections }: ReportRow): Record<string, string> =>
  Object.fromEntries(Object.entries(narrative).filter(([key]) => edited_sections.includes(key)));
