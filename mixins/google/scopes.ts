/** The prefix of every Google scope. */
export const SCOPE_ADDRESS = "https://www.googleapis.com/auth/";

/** Scopes by purpose. */
export const SCOPE = {
  calendar: `${SCOPE_ADDRESS}calendar.events`,
  /** The broader scope that includes `calendar.events`; some older grants have it. */
  calendarWhole: `${SCOPE_ADDRESS}calendar`,
  drive: `${SCOPE_ADDRESS}drive`,
  mail: `${SCOPE_ADDRESS}gmail.readonly`,
  analytics: `${SCOPE_ADDRESS}analytics.readonly`,
  searchConsole: `${SCOPE_ADDRESS}webmasters.readonly`,
  ads: `${SCOPE_ADDRESS}adwords`,
} as const;

/** Whether a list contains one of these scopes. An empty list does not prove that a scope is missing. */
export const hasScope = (scopes: readonly string[], ...wanted: readonly string[]): boolean =>
  wanted.some((one) => scopes.includes(one));
