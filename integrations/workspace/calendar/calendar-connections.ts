import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import { IS_WORKING, WORKING_CONNECTIONS } from "../../../mixins/google/connection.ts";
import { SCOPE } from "../../../mixins/google/scopes.ts";

/**
 * The connections whose calendars jobs read and write, for the `from` of their statements, with the organisation as `$1` and the connection
 * as `c`: of an organisation that has calendars switched on, working, and with a grant for them. The broader scope `calendar` includes
 * `calendar.events`, and an empty list of scopes is no evidence that one is missing.
 */
export const CALENDAR_CONNECTIONS = `${WORKING_CONNECTIONS}
  join workspace_settings s on s.organisation_id = c.organisation_id and s.calendar_enabled`;
/** The condition that goes with it. */
export const HAS_CALENDAR = `${IS_WORKING} and ${holdsCalendar("c.scopes")}`;

/** Whether a list of scopes allows calendars, as SQL. */
export function holdsCalendar(scopes: string): string {
  return `(${scopes} = '{}' or ${scopes} && array['${SCOPE.calendar}', '${SCOPE.calendarWhole}']::text[])`;
}

/** A connection whose calendar may be read and written now. */
export interface CalendarConnection {
  readonly id: string;
  readonly account_id: string;
  /** The person at Google. */
  readonly subject: string;
}

const select = (condition: string) =>
  statement(`select c.id, c.account_id, c.subject from ${CALENDAR_CONNECTIONS} where ${HAS_CALENDAR} and ${condition}`);
const BY_ID = select("c.id = $2");
const BY_ACCOUNT = select("c.account_id = $2");

/** The connection, while its calendar may be read and written. */
export const calendarConnection = (connectionId: string): Promise<CalendarConnection | undefined> =>
  queryOne<CalendarConnection>(BY_ID, [request().organisation.id, connectionId]);

/** The connection of a person, while its calendar may be read and written. */
export const calendarConnectionOf = (accountId: string): Promise<CalendarConnection | undefined> =>
  queryOne<CalendarConnection>(BY_ACCOUNT, [request().organisation.id, accountId]);
