import type { ReportAudience, ReportSection } from "../../../core/declare/report-sections.ts";
import { SUMMARY } from "./summary.ts";

/** A section in a template's layout. */
export interface MentionedSection {
  key: string;
  enabled: boolean;
  /** The template's heading, by language. */
  label_i18n: Readonly<Record<string, string>>;
}

/** A template's layout: its differences from the catalogue, not a list of printed sections (workspace-reporting §1.3). */
export interface Layout {
  sections: readonly MentionedSection[];
}

/** A section as a report prints it. */
export interface ArrangedSection {
  key: string;
  /** The template's headings, by language; empty for the section's own. */
  labels: Readonly<Record<string, string>>;
}

/** A layout entry as sent. */
export type SentMention = Pick<MentionedSection, "key"> & Partial<MentionedSection>;

/** A layout with all defaults filled in. */
export const wholeLayout = (sent: { sections?: readonly SentMention[] | undefined } | undefined): Layout => ({
  sections: (sent?.sections ?? []).map(({ key, enabled = true, label_i18n = {} }) => ({ key, enabled, label_i18n })),
});

/** The catalogue's sections for reports of an audience. */
export const sectionsFor = <S extends Pick<ReportSection, "audience">>(catalogue: readonly S[], audience: ReportAudience): S[] =>
  catalogue.filter((section) => section.audience === "both" || section.audience === audience);

/**
 * The sections of one report, in order: those in the layout first, in its order, then the others in the catalogue's. Unknown and repeated
 * keys are skipped. The summary leads unless the layout mentions it. A client's own choice decides whether a section is printed, never where.
 * @param catalogue in order, of one audience
 * @param own the client's choice by key
 */
export function arrangedSections(
  catalogue: readonly Pick<ReportSection, "key">[],
  layout: Layout,
  own: Readonly<Record<string, boolean>> = {},
): ArrangedSection[] {
  const mentioned = new Map<string, MentionedSection>();
  const known = new Set(catalogue.map(({ key }) => key));
  for (const mention of layout.sections)
    if (known.has(mention.key) && !mentioned.has(mention.key)) mentioned.set(mention.key, mention);
  const others = catalogue.filter(({ key }) => !mentioned.has(key)).map(({ key }) => ({ key, enabled: true, label_i18n: {} }));
  const isOn = ({ key, enabled }: MentionedSection) => (Object.hasOwn(own, key) ? own[key] === true : enabled);
  const [summary, rest] = [others.filter(({ key }) => key === SUMMARY), others.filter(({ key }) => key !== SUMMARY)];
  return [...summary, ...mentioned.values(), ...rest].filter(isOn).map(({ key, label_i18n: labels }) => ({ key, labels }));
}
