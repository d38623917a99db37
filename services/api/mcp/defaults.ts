import type { ToolDefault } from "../../../core/declare/tool.ts";

/** The organisation's date and the moment of a call. */
export interface CallMoment {
  now: Date;
  /** In the organisation's zone. */
  today: string;
}

type Given = Readonly<Record<string, unknown>>;

/** What a default says to a model, after the parameter's own description. */
export const SAYS: Readonly<Record<ToolDefault, string>> = {
  this_year: "Without it: this year.",
  ends_now: "Without it, `minutes` end now.",
};

const VALUES: Readonly<Record<ToolDefault, (given: Given, at: CallMoment) => unknown>> = {
  this_year: (_, { today }) => Number(today.slice(0, 4)),
  ends_now: ({ minutes, ended_at }, { now }) =>
    typeof minutes === "number" && Number.isFinite(minutes) && ended_at === undefined
      ? new Date(Math.floor(now.getTime() / 60_000 - minutes) * 60_000).toISOString()
      : undefined,
};

/** The arguments with the defaults of a tool for those that the caller left out; a default that has no value here changes nothing. */
export function withDefaults(defaults: Readonly<Record<string, ToolDefault>>, given: Given, at: CallMoment): Given {
  const added = Object.entries(defaults).flatMap(([name, kind]) => {
    const value = given[name] === undefined || given[name] === null ? VALUES[kind](given, at) : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...given, ...Object.fromEntries(added) };
}
