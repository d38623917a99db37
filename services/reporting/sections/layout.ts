import type { ReportAudience, ReportSection } from "../../../core/declare/report-sections.ts";

/** A section as a template's layout mentions it. */
export interface MentionedSection {
  key: string;
  enabled: boolean;
  /** What the template calls it, by language. */
  label_i18n: Readonly<Record<string, string>>;
}

/** What a template arranges: a difference from the catalogue, not a list of what is printed (workspace-reporting §1.3). */
export interface Layout {
  sections: readonly MentionedSection[];
}

/** A section as a report prints it. */
export interface ArrangedSection {
  key: string;
  /** What the template calls it, by language; empty for its own title. */
  labels: Readonly<Record<string, string>>;
}

/** A mention as a request has it. */
export type SentMention = Pick<MentionedSection, "key"> & Partial<MentionedSection>;

/** A layout with everything in it. */
export const wholeLayout = (sent: { sections?: readonly SentMention[] | undefined } | undefined): Layout => ({
  sections: (sent?.sections ?? []).map(({ key, enabled = true, label_i18n = {} }) => ({ key, enabled, label_i18n })),
});

/** The sections of the catalogue that a report of an audience can have. */
export const sectionsFor = <S extends Pick<ReportSection, "audience">>(catalogue: readonly S[], audience: ReportAudience): S[] =>
  catalogue.filter((section) => section.audience === "both" || section.audience === audience);

/**
 * The sections of one report, in order: those that the layout mentions come first in its order, the others follow in that of the catalogue.
 * Unknown keys and repeats are skipped. A client's own choice decides whether a section is printed, never where.
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
  return [...mentioned.values(), ...others].filter(isOn).map(({ key, label_i18n: labels }) => ({ key, labels }));
}
