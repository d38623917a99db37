/** What every scope of Google begins with. */
export const SCOPE_ADDRESS = "https://www.googleapis.com/auth/";

/** Scopes by what they are for. */
export const SCOPE = {
  calendar: `${SCOPE_ADDRESS}calendar.events`,
  /** The broader scope that includes `calendar.events`, of people who once granted more. */
  calendarWhole: `${SCOPE_ADDRESS}calendar`,
  drive: `${SCOPE_ADDRESS}drive`,
  mail: `${SCOPE_ADDRESS}gmail.readonly`,
  analytics: `${SCOPE_ADDRESS}analytics.readonly`,
  searchConsole: `${SCOPE_ADDRESS}webmasters.readonly`,
  ads: `${SCOPE_ADDRESS}adwords`,
} as const;

/** Whether a list of scopes has one of these. An empty list is no evidence that one is missing. */
export const hasScope = (scopes: readonly string[], ...wanted: readonly string[]): boolean =>
  wanted.some((one) => scopes.includes(one));
