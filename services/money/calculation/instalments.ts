import type { IsoDate } from "../../../core/calendar/dates.ts";
import { type DecimalInput, type DecimalText, decimal, sum } from "../../../core/values/money.ts";

/** A turn of a plan: its day and its share in percent. */
export interface Turn {
  readonly due_on: IsoDate;
  readonly percent: DecimalInput;
}

/** The most turns of a plan. */
export const MOST_TURNS = 60;

const WHOLE = 100;

/** The field by which a plan breaks a rule: days that do not follow each other, shares that are not 100 % together; null if it keeps all. */
export function brokenRule(turns: readonly Turn[]): "due_on" | "percent" | null {
  if (turns.some(({ due_on }, index) => index > 0 && due_on <= (turns[index - 1] as Turn).due_on)) return "due_on";
  return turns.length > 0 && !sum(turns.map(({ percent }) => percent)).equals(WHOLE) ? "percent" : null;
}

/** Whether a plan keeps every turn that has been invoiced, with its day and its share. */
export const keepsInvoiced = (invoiced: readonly { due_on: IsoDate; percent: DecimalText }[], turns: readonly Turn[]): boolean =>
  invoiced.every((turn) => turns.some((one) => one.due_on === turn.due_on && decimal(one.percent).equals(decimal(turn.percent))));
