import { invalid } from "../../core/errors/errors.ts";

/** Names by locale. */
type Label = Record<string, string>;

/** An entry of the navigation, or a group; `label` is null without a custom name. */
export interface NavItem {
  key: string;
  hidden: boolean;
  label: Label | null;
}
export interface NavGroup {
  key: string;
  label: Label | null;
}

/** The stored layout of a person or the organisation. */
export interface Layout {
  items: NavItem[];
  groups: NavGroup[];
}

/** A layout as sent. */
export interface SentLayout {
  items: readonly { key: string; hidden?: boolean; label?: Label | null }[];
  groups?: readonly { key: string; label?: Label | null }[];
}

/** The navigation as a reader gets it. */
export interface Navigation {
  items: NavItem[] | null;
  groups: NavGroup[] | null;
  source: "user" | "default" | "none";
}

const LOCALES = new Set(["nl", "en"]);
/** Most characters of a name. */
const LONGEST = 60;

/** @throws 422 `{label}` for an unsupported locale or a name that is too long */
function nameOf(sent: Label | null | undefined): Label | null {
  const names = Object.entries(sent ?? {}).map(([locale, text]) => [locale, text.trim()] as const);
  if (names.some(([locale, text]) => !LOCALES.has(locale) || [...text].length > LONGEST))
    throw invalid({ label: "errors.validation" });
  const kept = names.filter(([, text]) => text !== "");
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

/** A person's stored layout: order and hidden entries. Names and groups belong to the organisation (platform chapter §6). */
export const ownLayout = ({ items }: SentLayout): Layout => ({
  items: items.map(({ key, hidden = false }) => ({ key, hidden, label: null })),
  groups: [],
});

/**
 * The organisation's stored layout: entries with names, and named groups (platform chapter §6).
 * @throws 422 `{label}`
 */
export const defaultLayout = ({ items, groups = [] }: SentLayout): Layout => ({
  items: items.map(({ key, hidden = false, label }) => ({ key, hidden, label: nameOf(label) })),
  groups: groups.map(({ key, label }) => ({ key, label: nameOf(label) })).filter(({ label }) => label !== null),
});

/** The person's own layout, else the organisation's, else none; always with the organisation's names and groups (platform chapter §6). */
export function navigation(own: Layout | undefined, shared: Layout | undefined): Navigation {
  const groups = shared?.groups ?? null;
  if (!own) return { items: shared?.items ?? null, groups, source: shared ? "default" : "none" };
  const names = new Map(shared?.items.map(({ key, label }) => [key, label]));
  return { items: own.items.map((item) => ({ ...item, label: names.get(item.key) ?? null })), groups, source: "user" };
}
