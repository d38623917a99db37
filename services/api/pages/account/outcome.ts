import { notice } from "../../../../core/pages/elements.ts";
import { type Html, html } from "../../../../core/pages/html.ts";
import type { Reply } from "../inner.ts";
import { refusalOf } from "../layout.ts";
import { knownRefusal } from "../texts.ts";
import type { Visit } from "../visit.ts";

/** A part of the page with its own forms. */
export type Section = "profile" | "password" | "email" | "sessions" | "factor" | "keys" | "apps";

/** The outcome of a form, shown once in its section. */
export interface FormOutcome {
  section: Section;
  text: string | null;
  /** Set when the API refused: the form keeps its input and marks these fields. */
  refused?: ReadonlySet<string>;
  /** Shown once: an enrolment, backup codes, or a new key. */
  extra?: Html;
}

/** The outcome as one section shows it. */
export interface SectionOutcome {
  notice: Html;
  isRefused: boolean;
  wrong: ReadonlySet<string>;
}

const NOTHING: SectionOutcome = { notice: html``, isRefused: false, wrong: new Set() };

/** The outcome for a section, or nothing. */
export function outcomeIn(section: Section, outcome: FormOutcome | undefined): SectionOutcome {
  if (outcome?.section !== section) return NOTHING;
  const { text, refused, extra } = outcome;
  return {
    notice: html`${notice(text, refused !== undefined)}${extra}`,
    isRefused: refused !== undefined,
    wrong: refused ?? NOTHING.wrong,
  };
}

/** A refusal in words: one sentence per named field, as specific as possible. */
export function refusedOutcome(section: Section, visit: Visit, reply: Reply): FormOutcome {
  const fields = Object.entries(reply.error?.fields ?? {});
  const sentences = fields.flatMap(([field, key]) => knownRefusal(visit.locale, key, `${section}.${field}`) ?? []);
  const text = sentences.length > 0 ? [...new Set(sentences)].join(" ") : refusalOf(visit, reply);
  return { section, text, refused: new Set(fields.map(([field]) => field)) };
}
