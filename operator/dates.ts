import { readInstant } from "../core/schema/schema.ts";
import { OperatorError } from "./organisations.ts";

/**
 * Parses an operator's date or instant: a date means the end of that day in UTC.
 * @param option name of the option, for the error message
 */
export function readMoment(text: string, option: string): string {
  const moment = readInstant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59Z` : text);
  if (moment === null) throw new OperatorError(`--${option} must be a date (2027-06-30) or an instant (2027-06-30T12:00:00Z).`);
  return moment;
}
