import { notice } from "../../../../core/pages/elements.ts";
import { type Html, html } from "../../../../core/pages/html.ts";
import type { Reply } from "../inner.ts";
import { refusalOf } from "../layout.ts";
import { knownRefusal } from "../texts.ts";
import type { Visit } from "../visit.ts";

/** A part of the page with forms of its own. */
export type Section = "profile" | "password" | "email" | "sessions" | "factor" | "keys" | "apps";

/** What is shown once after something was done: at which section, and how it went. */
export interface Told {
  section: Section;
  text: string | null;
  /** The API refused: what was typed stays, and the fields it named are marked. */
  refused?: ReadonlySet<string>;
  /** Shown once: an enrolment, backup codes, or a new key. */
  extra?: Html;
}

/** The same as one section shows it. */
export interface Said {
  notice: Html;
  isRefused: boolean;
  wrong: ReadonlySet<string>;
}

const NOTHING: Said = { notice: html``, isRefused: false, wrong: new Set() };

/** What a section has to say. */
export function saidIn(section: Section, told: Told | undefined): Said {
  if (told?.section !== section) return NOTHING;
  const { text, refused, extra } = told;
  return {
    notice: html`${notice(text, refused !== undefined)}${extra}`,
    isRefused: refused !== undefined,
    wrong: refused ?? NOTHING.wrong,
  };
}

/** A refusal of the API in words, a sentence for each field it names, the most particular there is. */
export function refusedIn(section: Section, visit: Visit, reply: Reply): Told {
  const fields = Object.entries(reply.error?.fields ?? {});
  const sentences = fields.flatMap(([field, key]) => knownRefusal(visit.locale, key, `${section}.${field}`) ?? []);
  const text = sentences.length > 0 ? [...new Set(sentences)].join(" ") : refusalOf(visit, reply);
  return { section, text, refused: new Set(fields.map(([field]) => field)) };
}
