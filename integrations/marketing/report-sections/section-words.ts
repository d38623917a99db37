import type { Locale } from "../../../core/config/defaults.ts";
import type { ReportColumn, ReportValueKind } from "../../../core/declare/report-sections.ts";

/** A text in every language. */
export type Words = Readonly<Record<Locale, string>>;

const words = (nl: string, en: string): Words => ({ nl, en });

/** The label and format of a metric. A fraction is printed as a percentage. */
export interface MetricWords {
  label: Words;
  kind: ReportValueKind;
  isFraction?: true;
}

const metric = (nl: string, en: string, kind: ReportValueKind): MetricWords => ({ label: words(nl, en), kind });
const fraction = (nl: string, en: string): MetricWords => ({ label: words(nl, en), kind: "percent", isFraction: true });

/** The metrics that sections print as totals, by source. */
export const METRICS: Readonly<Record<string, Readonly<Record<string, MetricWords>>>> = {
  ga4: {
    sessions: metric("Bezoeken", "Visits", "count"),
    totalUsers: metric("Bezoekers", "Visitors", "count"),
    newUsers: metric("Nieuwe bezoekers", "New visitors", "count"),
    engagementRate: fraction("Betrokken bezoeken", "Engaged visits"),
    keyEvents: metric("Conversies", "Conversions", "count"),
    conversions: metric("Conversies", "Conversions", "count"),
    totalRevenue: metric("Omzet", "Revenue", "money"),
  },
  gsc: {
    clicks: metric("Klikken", "Clicks", "count"),
    impressions: metric("Vertoningen", "Impressions", "count"),
    ctr: fraction("Doorklikratio", "Click-through rate"),
    position: metric("Gemiddelde positie", "Average position", "decimal"),
  },
  seranking: {
    avg_position: metric("Gemiddelde positie", "Average position", "decimal"),
    top3: metric("Zoekwoorden in de top 3", "Keywords in the top 3", "count"),
    top10: metric("Zoekwoorden in de top 10", "Keywords in the top 10", "count"),
    top30: metric("Zoekwoorden in de top 30", "Keywords in the top 30", "count"),
    keywords_ranking: metric("Zoekwoorden met een positie", "Ranking keywords", "count"),
    keywords_tracked: metric("Gevolgde zoekwoorden", "Tracked keywords", "count"),
  },
};

/** Headings of tables. */
const COLUMNS = {
  channel: words("Kanaal", "Channel"),
  engine: words("Zoekmachine", "Search engine"),
  website: words("Website", "Website"),
  network: words("Netwerk", "Network"),
  event: words("Conversie", "Conversion"),
  query: words("Zoekopdracht", "Search query"),
  keyword: words("Zoekwoord", "Keyword"),
  group: words("Groep", "Group"),
  page: words("Pagina", "Page"),
  begin: words("Eerste positie", "Start position"),
  end: words("Laatste positie", "End position"),
  places: words("Posities gewonnen", "Positions gained"),
  status: words("Verloop", "Trend"),
  volume: words("Zoekvolume per maand", "Searches per month"),
  model: words("AI-model", "AI model"),
  mention_share: words("Vermeld in antwoorden", "Mentioned in answers"),
  link_share: words("Gelinkt in antwoorden", "Linked in answers"),
  prompts: words("Gevolgde vragen", "Tracked prompts"),
  issue: words("Bevinding", "Issue"),
  severity: words("Ernst", "Severity"),
  pages: words("Pagina's", "Pages"),
  sessions: words("Bezoeken", "Visits"),
  newUsers: words("Nieuwe bezoekers", "New visitors"),
  screenPageViews: words("Paginaweergaven", "Page views"),
  engagementRate: words("Betrokken bezoeken", "Engaged visits"),
  keyEvents: words("Conversies", "Conversions"),
  clicks: words("Klikken", "Clicks"),
  impressions: words("Vertoningen", "Impressions"),
  ctr: words("Doorklikratio", "Click-through rate"),
  position: words("Positie", "Position"),
  share: words("Aandeel", "Share"),
  before: words("Vorige periode", "Previous period"),
  delta: words("Verschil", "Change"),
} as const;

/** A table column with its heading. @param adds whether the column is summed when rows are folded into one */
export const column = (key: keyof typeof COLUMNS, kind: ReportValueKind, adds = false): ReportColumn => ({
  key,
  label: COLUMNS[key],
  kind,
  adds,
});

const CHANNELS: Readonly<Record<string, Words>> = {
  "Organic Search": words("Zoekmachines", "Search engines"),
  "Paid Search": words("Advertenties in zoekmachines", "Search ads"),
  Direct: words("Direct", "Direct"),
  Referral: words("Andere websites", "Other websites"),
  "Organic Social": words("Sociale media", "Social media"),
  "Paid Social": words("Advertenties op sociale media", "Social media ads"),
  Email: words("E-mail", "Email"),
  Display: words("Banneradvertenties", "Display ads"),
  "Cross-network": words("Advertenties in meerdere netwerken", "Cross-network ads"),
  "Organic Video": words("Video", "Video"),
  "Paid Video": words("Videoadvertenties", "Video ads"),
  "Organic Shopping": words("Productoverzichten", "Shopping listings"),
  "Paid Shopping": words("Productadvertenties", "Shopping ads"),
  "Paid Other": words("Overige advertenties", "Other ads"),
  Affiliates: words("Partnerwebsites", "Affiliates"),
  Audio: words("Audio", "Audio"),
  SMS: words("Sms", "Text messages"),
  "Mobile Push Notifications": words("Pushberichten", "Push notifications"),
  Unassigned: words("Niet toegewezen", "Unassigned"),
  "(other)": words("(overig)", "(other)"),
  Other: words("Zonder kanaal", "No channel"),
};
const STATUSES: Readonly<Record<string, Words>> = {
  new: words("Nieuw", "New"),
  dropped: words("Weggevallen", "Dropped out"),
  improved: words("Gestegen", "Improved"),
  declined: words("Gedaald", "Declined"),
  unchanged: words("Ongewijzigd", "Unchanged"),
  stable: words("Ongewijzigd", "Unchanged"),
};
const SEVERITIES: Readonly<Record<string, Words>> = {
  error: words("Fout", "Error"),
  warning: words("Waarschuwing", "Warning"),
  notice: words("Melding", "Notice"),
};

/** Looks up a source's name in the report's language; falls back to the name itself. */
const named =
  (names: Readonly<Record<string, Words>>) =>
  (name: string, locale: Locale): string =>
    Object.hasOwn(names, name) ? (names[name] as Words)[locale] : name;

export const channelName = named(CHANNELS);
export const statusName = named(STATUSES);
export const severityName = named(SEVERITIES);
