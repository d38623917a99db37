import type { Locale } from "../../../core/config/defaults.ts";

/** The fixed words of reports, outside sections. */
export interface ReportWords {
  title: Readonly<Record<"client" | "internal", string>>;
  page: string;
  compared_with: string;
  /** Before an earlier value. */
  before: string;
  now: string;
  this_period: string;
  previous_period: string;
  /** Below a table without its last rows. */
  cut: string;
  no_comparison: string;
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
    this_period: "Deze periode",
    previous_period: "Vorige periode",
    cut: "{shown} van {all}",
    no_comparison: "Er is geen eerdere periode om mee te vergelijken.",
    other: "Overig",
    final_until: "Definitieve cijfers tot en met",
    stored_from: "De cijfers worden bewaard sinds {day}; een eerdere periode om mee te vergelijken is er niet.",
    prepared_for: "Voor",
    no_sections: "Er zijn geen onderdelen om te tonen.",
  },
  en: {
    title: { client: "Report", internal: "Internal report" },
    page: "Page",
    compared_with: "Compared with",
    before: "Previously",
    now: "Now",
    this_period: "This period",
    previous_period: "Previous period",
    cut: "{shown} of {all}",
    no_comparison: "There is no earlier period to compare with.",
    other: "Other",
    final_until: "Figures are final up to",
    stored_from: "Figures have been kept since {day}, so there is no earlier period to compare with.",
    prepared_for: "For",
    no_sections: "There are no sections to show.",
  },
};

export const reportWords = (locale: Locale): ReportWords => WORDS[locale];
