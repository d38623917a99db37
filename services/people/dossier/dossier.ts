/** The categories of a dossier, in the order they are shown (people chapter §12). */
export const DOSSIER_CATEGORIES = ["contract", "growth_plan", "bonus", "benefits", "cao", "other"] as const;
/** One of the dossier's categories. */
export type DossierCategory = (typeof DOSSIER_CATEGORIES)[number];

/** The most documents a dossier answers, newest first (people chapter §12). */
export const MAX_DOCUMENTS = 500;
/** The default cap on an upload, 10 MiB; an instance may set another (people chapter §12). */
export const MAX_UPLOAD_BYTES = 10 * 1024 * 1024;

const TITLE_CHARACTERS = 255;
const NOTE_CHARACTERS = 500;

/** The content types an upload may have by default: images, PDF, plain text, CSV, ZIP, Word and Excel (people chapter §12). */
export const UPLOAD_TYPES: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/gif",
  "image/svg+xml",
  "image/x-icon",
  "image/vnd.microsoft.icon",
  "application/pdf",
  "text/plain",
  "text/csv",
  "application/zip",
  "application/msword",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.ms-excel",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
]);

const INLINE_TYPES: ReadonlySet<string> = new Set(["application/pdf", "image/png", "image/jpeg", "image/webp", "image/gif"]);

/** Whether a category exists, else 422 `fields.category`. */
export function isCategory(category: string): category is DossierCategory {
  return DOSSIER_CATEGORIES.some((known) => known === category);
}

/** The first `count` characters; a character outside the basic plane is one, and is never cut in half. */
function cut(text: string, count: number): string {
  return [...text].slice(0, count).join("");
}

/** The title a document is stored with: the one given, else the file's name; at most 255 characters (people chapter §12). */
export function documentTitle(title: string, fileName: string): string {
  return cut(title.trim() === "" ? fileName : title, TITLE_CHARACTERS);
}

/** The note a document is stored with: at most 500 characters, blank is null (people chapter §12). */
export function documentNote(note: string): string | null {
  return note.trim() === "" ? null : cut(note, NOTE_CHARACTERS);
}

function mediaType(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

/** How a document is sent: PDF and PNG, JPEG, WebP, GIF inline, all else, SVG above all, as an attachment (people chapter §12). */
export function disposition(contentType: string): "inline" | "attachment" {
  return INLINE_TYPES.has(mediaType(contentType)) ? "inline" : "attachment";
}

/** Why an upload is refused by its type (as sniffed from the bytes) or measured size, as a message key; null when it is not. */
export function uploadError(
  contentType: string,
  bytes: number,
  limits: { readonly types: ReadonlySet<string>; readonly max_bytes: number } = {
    types: UPLOAD_TYPES,
    max_bytes: MAX_UPLOAD_BYTES,
  },
): "errors.upload_type" | "errors.upload_too_large" | null {
  if (!limits.types.has(mediaType(contentType))) return "errors.upload_type";
  return bytes > limits.max_bytes ? "errors.upload_too_large" : null;
}
