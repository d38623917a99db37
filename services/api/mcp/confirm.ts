import { shortened } from "../../../core/values/stored-text.ts";
import type { Operation } from "./operations.ts";

/** Mails to other people that a job sends after the answer; their actions change nothing outside themselves. */
const MAILS_LATER: ReadonlySet<string> = new Set([
  "POST /members/invite",
  "POST /portal/logins/:entity_type/:subject_id",
  "POST /portal/logins/:entity_type/:subject_id/resend",
]);
/** Most of the arguments that a question repeats, in characters. */
const SHOWN = 600;

/** Whether a call leaves the organisation: it mails another person, or changes something at a provider. Asking a language model does neither. */
export function leavesOrganisation({ module, route: { declaration } }: Operation): boolean {
  if (MAILS_LATER.has(String(declaration.rest))) return true;
  return declaration.acts === "outside" && declaration.method !== "GET" && module !== "ai";
}

/** The question that a person answers before a call that leaves the organisation; null for any other call. */
export function questionOf(operation: Operation, given: Readonly<Record<string, unknown>>): string | null {
  if (!leavesOrganisation(operation)) return null;
  const { idempotency_key: _key, if_match: _match, ...said } = given;
  const text = JSON.stringify(said);
  const shown = text.length > SHOWN ? `${shortened(text, SHOWN)}…` : text;
  return `${operation.summary}? This leaves your organisation. Asked with: ${shown}`;
}
