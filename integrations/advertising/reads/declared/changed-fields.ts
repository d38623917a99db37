import { adName } from "../../ad-name.ts";
import type { ChangedResource } from "../ads-row.ts";

/** One changed field; null if it was not set. */
export interface ChangedField {
  field: string;
  from: string | null;
  to: string | null;
}

/** Longest value, in characters. */
const LONGEST = 300;

/** The message inside one side of a change, of any resource type. */
const messageIn = (side: ChangedResource | undefined): unknown => Object.values(side ?? {}).find((one) => one !== undefined);

const objectIn = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const camel = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

function valueAt(message: unknown, path: string): unknown {
  let value = message;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, camel(name))) return undefined;
    value = (value as Record<string, unknown>)[camel(name)];
  }
  return value;
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return [...(typeof value === "string" ? value : JSON.stringify(value))].slice(0, LONGEST).join("");
}

/** The name in one side of a change: of an ad as readers know it, of other objects their own; null if the side lacks it. */
function nameIn(side: ChangedResource | undefined): string | null {
  const message = objectIn(messageIn(side));
  const ad = side?.["ad"] === undefined ? message["ad"] : message;
  if (ad !== undefined) return adName({ ...objectIn(ad), id: undefined, type: undefined });
  return typeof message["name"] === "string" && message["name"] !== "" ? message["name"] : null;
}

/** The name of a changed object, the newer one first; null if the provider's entry lacks it. */
export const changedName = (before: ChangedResource | undefined, after: ChangedResource | undefined): string | null =>
  nameIn(after) ?? nameIn(before);

/**
 * The changed fields with their values before and after. Paths in the mask start inside the message of `oldResource` and `newResource`,
 * whose only key is the resource type (marketing-ads §3.6).
 */
export function changedFields(
  mask: string | undefined,
  before: ChangedResource | undefined,
  after: ChangedResource | undefined,
): ChangedField[] {
  const paths = (mask ?? "")
    .split(",")
    .map((path) => path.trim())
    .filter((path) => path !== "");
  const [old, fresh] = [messageIn(before), messageIn(after)];
  return paths.map((field) => ({ field, from: textOf(valueAt(old, field)), to: textOf(valueAt(fresh, field)) }));
}
