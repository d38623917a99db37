import type { EventRule, General, InboxRule, Schedule } from "../models.ts";

/** The parts of preferences with one rule per event: for the inbox, e-mail and push. */
export type RulesPart = "events" | "email_events" | "push_events";
/** The parts that consist of a single row. */
export type ScopePart = "general" | "email" | "push";
/** The source of an effective row. */
export type PreferenceSource = "default" | "org" | "user";

/** Days of notice before a due date, if the effective row names none (platform chapter §5.4). */
export const DUE_SOON_DAYS = 3;

/** The rules of an event without a person's or organisation's preference (platform chapter §5.4). */
export interface BuiltIn {
  readonly events: InboxRule;
  readonly email_events: EventRule;
  readonly push_events: EventRule;
}

/** The built-in rules of an event: inbox at once or daily, no e-mail, push only if immediate. */
export function builtIn(immediate: boolean): BuiltIn {
  const atOnce = { enabled: true, delay_minutes: 0, digest: "immediate" } as const;
  return {
    events: { ...atOnce, digest: immediate ? "immediate" : "daily", digest_time: null, digest_weekday: null },
    email_events: { enabled: false, delay_minutes: 0, digest: "daily" },
    push_events: { ...atOnce, enabled: immediate },
  };
}

/** The built-in rows of each scope. */
export const BUILT_IN_SCOPES: { readonly general: General; readonly email: Schedule; readonly push: Schedule } = {
  general: { due_soon_days: null, quiet_hours_start: null, quiet_hours_end: null },
  email: { digest_time: null, digest_weekday: null },
  push: { digest_time: null, digest_weekday: null },
};

/**
 * Joins a person's preferences as `p` and the organisation's as `o`, which defines the precedence: the person's row, else the
 * organisation's, else the built-in one; always whole rows (platform chapter §5.4).
 * @param organisation SQL of its id
 * @param account SQL of the person's id; null resolves the organisation's own
 */
export const joinPreferences = (organisation: string, account: string): string => `
  left join notification_preferences p on p.organisation_id = ${organisation} and p.account_id = ${account}
  left join notification_preferences o on o.organisation_id = ${organisation} and o.account_id is null`;

/** The effective rule of event `e.event_type`, as JSON; `e.built_in` has its built-in ones. */
export const ruleOf = (part: RulesPart): string =>
  `coalesce(p.${part} -> e.event_type, o.${part} -> e.event_type, e.built_in -> '${part}')`;
/** The source of that rule. */
export const ruleSource = (part: RulesPart): string =>
  `case when p.${part} ? e.event_type then 'user' when o.${part} ? e.event_type then 'org' else 'default' end`;
const timesOf = (row: string) => `(${row} ->> 'digest_time')::time as time, (${row} ->> 'digest_weekday')::int as weekday`;
/** The columns `digest`, `delay`, `time` and `weekday` of a delivery, from SQL of its rule and of the row with its times. */
export const sending = (rule: string, times: string): string =>
  `${rule} ->> 'digest' as digest, (${rule} ->> 'delay_minutes')::int as delay, ${timesOf(times)}`;
/** The effective row of a scope, as JSON; null if neither has one. */
export const scopeRow = (part: ScopePart): string => `coalesce(p.${part}, o.${part})`;
/** The source of that row. */
export const scopeSource = (part: ScopePart): string =>
  `case when p.${part} is not null then 'user' when o.${part} is not null then 'org' else 'default' end`;
/** The effective days of notice. */
export const dueSoonDays = `coalesce((${scopeRow("general")} ->> 'due_soon_days')::int, ${DUE_SOON_DAYS})`;
