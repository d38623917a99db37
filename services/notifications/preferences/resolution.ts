import type { EventRule, General, InboxRule, Schedule } from "../models.ts";

/** The parts of preferences that hold a rule by event: for the inbox, e-mail and push. */
export type RulesPart = "events" | "email_events" | "push_events";
/** The parts that are one row of their own. */
export type ScopePart = "general" | "email" | "push";
/** Where a row that counts comes from. */
export type PreferenceSource = "default" | "org" | "user";

/** Days before a due date on which a person hears of it, where the row that counts names none (platform chapter §5.4). */
export const DUE_SOON_DAYS = 3;

/** What counts for an event where neither the person nor the organisation said anything (platform chapter §5.4). */
export interface BuiltIn {
  readonly events: InboxRule;
  readonly email_events: EventRule;
  readonly push_events: EventRule;
}

/** The built-in rules of an event: in the inbox at once or daily, by e-mail not, by push where it is told at once. */
export function builtIn(immediate: boolean): BuiltIn {
  const atOnce = { enabled: true, delay_minutes: 0, digest: "immediate" } as const;
  return {
    events: { ...atOnce, digest: immediate ? "immediate" : "daily", digest_time: null, digest_weekday: null },
    email_events: { enabled: false, delay_minutes: 0, digest: "daily" },
    push_events: { ...atOnce, enabled: immediate },
  };
}

/** What counts where neither has such a row. */
export const BUILT_IN_SCOPES: { readonly general: General; readonly email: Schedule; readonly push: Schedule } = {
  general: { due_soon_days: null, quiet_hours_start: null, quiet_hours_end: null },
  email: { digest_time: null, digest_weekday: null },
  push: { digest_time: null, digest_weekday: null },
};

/**
 * Joins the preferences of a person as `p` and of the organisation as `o`, the one order in which they count: the person's row, else the
 * organisation's, else the built-in one; the row as a whole (platform chapter §5.4).
 * @param organisation SQL of its id
 * @param account SQL of the person's id; null resolves the organisation's own
 */
export const joinPreferences = (organisation: string, account: string): string => `
  left join notification_preferences p on p.organisation_id = ${organisation} and p.account_id = ${account}
  left join notification_preferences o on o.organisation_id = ${organisation} and o.account_id is null`;

/** The rule that counts for event `e.event_type`, as JSON; `e.built_in` is its built-in ones. */
export const ruleOf = (part: RulesPart): string =>
  `coalesce(p.${part} -> e.event_type, o.${part} -> e.event_type, e.built_in -> '${part}')`;
/** Where that rule comes from. */
export const ruleSource = (part: RulesPart): string =>
  `case when p.${part} ? e.event_type then 'user' when o.${part} ? e.event_type then 'org' else 'default' end`;
const timesOf = (row: string) => `(${row} ->> 'digest_time')::time as time, (${row} ->> 'digest_weekday')::int as weekday`;
/** The columns `digest`, `delay`, `time` and `weekday` of something to be sent, from SQL of its rule and of the row that has its times. */
export const sending = (rule: string, times: string): string =>
  `${rule} ->> 'digest' as digest, (${rule} ->> 'delay_minutes')::int as delay, ${timesOf(times)}`;
/** The row of a scope that counts, as JSON; null where neither has one. */
export const scopeRow = (part: ScopePart): string => `coalesce(p.${part}, o.${part})`;
/** Where that row comes from. */
export const scopeSource = (part: ScopePart): string =>
  `case when p.${part} is not null then 'user' when o.${part} is not null then 'org' else 'default' end`;
/** The days of notice that count. */
export const dueSoonDays = `coalesce((${scopeRow("general")} ->> 'due_soon_days')::int, ${DUE_SOON_DAYS})`;
