import type { Locale } from "../../../core/config/defaults.ts";

/** The fixed words of reports, outside sections. */
export interface ReportWords {
  title: Readonly<Record<"client" | "internal", string>>;
  page: string;
  compared_with: string;
  before: string;
  now: string;
  other: string;
  final_until: string;
  /** `{day}` is the first stored day. */
  stored_from: string;
  prepared_for: string;
  no_sections: string;
}

const WORDS: Readonly<Record<Locale, ReportWords>> = {
  nl: {
    title: { client: "Rapportage", internal: "Interne rapportage" },
    page: "Pagina",
    compared_with: "Vergeleken met",
    before: "Eerder",
    now: "Nu",
    other: "Overig",
    final_until: "Definitieve cijfers tot en met",
    stored_from: "Cijfers zijn bewaard vanaf {day}; een vergelijking met een periode daarvoor ontbreekt.",
    prepared_for: "Voor",
    no_sections: "Er zijn geen onderdelen om te tonen.",
  },
  en: {
    title: { client: "Report", internal: "Internal report" },
    page: "Page",
    compared_with: "Compared with",
    before: "Before",
    now: "Now",
    other: "Other",
    final_until: "Figures are final up to",
    stored_from: "Figures are stored from {day}; there is no comparison with a period before.",
    prepared_for: "For",
    no_sections: "There are no sections to show.",
  },
};

export const wordsOf = (locale: Locale): ReportWords => WORDS[locale];
