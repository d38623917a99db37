import { shortened } from "../../../core/values/stored-text.ts";
import { plainText } from "./plain-text.ts";

/** The ids a comment mentions, by kind, each once and in the order first seen. */
export interface Mentions {
  readonly user_ids: string[];
  readonly contact_ids: string[];
  readonly task_ids: string[];
}

/** Maximum length of an excerpt, including the `…`. */
export const EXCERPT_LENGTH = 140;

/** Characters of a comment read for its excerpt: enough to find 140 characters among links and marks. */
const LOOKED_AT = 10_000;

/** The destination of a marker: `(mention:<id>)`, `(mention:user:<id>)`, `(mention:contact:<id>)`, `(mention:task:<id>)`. */
const DESTINATION = /\(\s*mention:[^()]*\)/iy;
const TARGET = /^\(mention:(?:(user|contact|task):)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)$/i;

/** The destination that starts at an index, or an empty string. */
function destinationAt(text: string, at: number): string {
  DESTINATION.lastIndex = at;
  return DESTINATION.exec(text)?.[0] ?? "";
}

/** A link to a mention: the indexes of its brackets, and its destination. */
interface Marker {
  readonly open: number;
  readonly close: number;
  readonly destination: string;
}

/** The markers of a text, by closing bracket. Brackets nest and a backslash escapes the next character, as in CommonMark §6.3. */
function markersIn(text: string): Marker[] {
  const markers: Marker[] = [];
  const opened: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "[") opened.push(at);
    else if (text[at] === "]") {
      const open = opened.pop();
      const destination = destinationAt(text, at + 1);
      if (open !== undefined && destination !== "") markers.push({ open, close: at, destination });
    }
  }
  return markers;
}

/**
 * The people, contacts and tasks that a comment mentions (work chapter §3.8): `@[Name](mention:<id>)`, also `mention:user:<id>`,
 * `@[Name](mention:contact:<id>)` and `#[Title](mention:task:<id>)`. Anything else is not a marker. The caller checks access to each id.
 */
export function mentionsIn(body: string): Mentions {
  const ids = { user: new Set<string>(), contact: new Set<string>(), task: new Set<string>() };
  for (const { open, destination } of markersIn(body)) {
    const [, kind = "user", id] = TARGET.exec(destination.toLowerCase()) ?? [];
    const sign = kind === "task" ? "#" : "@";
    if (id !== undefined && body[open - 1] === sign) ids[kind as keyof typeof ids].add(id);
  }
  return { user_ids: [...ids.user], contact_ids: [...ids.contact], task_ids: [...ids.task] };
}

/**
 * Replaces each mention marker of a generated text by its name (work chapter §3.11). The result contains no marker, so a second call
 * changes nothing.
 */
export function withoutMarkers(text: string): string {
  const kept = [...markersIn(text)].reduce((characters, { open, close, destination }) => {
    if (/[@#]/.test(text[open - 1] ?? "")) characters[open - 1] = "";
    characters[open] = "";
    return characters.fill("", close, close + 1 + destination.length);
  }, text.split(""));
  // Joined names can form a marker again.
  return kept.join("").replace(/(\]\(\s*mention):/gi, "$1 ");
}

/**
 * The plain text of a comment, at most 140 characters, ending in `…` if truncated (work chapter §3.8, "Excerpts"). Reads only the beginning
 * of a very long comment.
 */
export function excerptOf(body: string): string {
  const looked = shortened(body, LOOKED_AT);
  const text = plainText(looked);
  if (text.length <= EXCERPT_LENGTH && looked.length === body.length) return text;
  return `${shortened(text, EXCERPT_LENGTH - 1).trimEnd()}…`;
}
