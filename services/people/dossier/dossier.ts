/** The categories of a dossier, in display order (people chapter §12). */
export const DOSSIER_CATEGORIES = ["contract", "growth_plan", "bonus", "benefits", "cao", "other"] as const;
/** One of the dossier's categories. */
export type DossierCategory = (typeof DOSSIER_CATEGORIES)[number];

/** The most documents a dossier returns, newest first (people chapter §12). */
export const MAX_DOCUMENTS = 500;

const TITLE_CHARACTERS = 255;
const NOTE_CHARACTERS = 500;

/** Whether a category exists; if not, the caller answers 422 `fields.category`. */
export function isCategory(category: string): category is DossierCategory {
  return DOSSIER_CATEGORIES.some((known) => known === category);
}

/** The first `count` characters. A character outside the basic plane counts as one and is never split. */
function cut(text: string, count: number): string {
  return [...text].slice(0, count).join("");
}

/** A document's stored title: the given one, else the file's name; at most 255 characters (people chapter §12). */
export function documentTitle(title: string, fileName: string): string {
  return cut(title.trim() === "" ? fileName : title, TITLE_CHARACTERS);
}

/** A document's stored note: at most 500 characters; blank becomes null (people chapter §12). */
export function documentNote(note: string): string | null {
  return note.trim() === "" ? null : cut(note, NOTE_CHARACTERS);
}
