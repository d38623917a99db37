import { isZone } from "../../../core/calendar/calendar.ts";
import { LOCALES } from "../../../core/config/defaults.ts";
import { type LicenceState, mayBeWritten } from "../../../core/declare/licence.ts";
import { switchable } from "../../../core/declare/permissions.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { currencyOf } from "../../../core/values/currencies.ts";

const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
const COLOR = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i;

/** Whether an address is safe as a picture's: http or https, never a scheme that a browser would execute. */
export const isWebAddress = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const good: Record<string, (value: string) => boolean> = {
  logo_url: isWebAddress,
  icon_url: isWebAddress,
  primary_color: (value) => COLOR.test(value),
  accent_color: (value) => COLOR.test(value),
  locale: (value) => (LOCALES as readonly string[]).includes(value),
  timezone: isZone,
  currency: (value) => currencyOf(value) === value,
  country: (value) => /^[A-Z]{2}$/.test(value) && regions.of(value) !== undefined,
};
/** Required values: a blank leaves them unchanged. */
const REQUIRED = new Set(["brand_name", "locale", "timezone", "currency", "country"]);

/**
 * The values that a PATCH of the organisation stores (conventions §15, §22).
 * @throws 422 with every invalid field
 */
export function tenantValues(sent: Readonly<Record<string, string | null | undefined>>): Record<string, string | null> {
  const values: Record<string, string | null> = {};
  const wrong: Record<string, string> = {};
  for (const [field, given] of Object.entries(sent)) {
    if (given === undefined) continue;
    const value = given?.trim() || null;
    if (value === null && REQUIRED.has(field)) continue;
    if (value !== null && good[field]?.(value) === false) wrong[field] = "errors.validation";
    values[field] = value;
  }
  if (Object.keys(wrong).length > 0) throw invalid(wrong);
  return values;
}

/** An organisation's modules in responses. */
export interface ModuleNames {
  /** Modules that a licence lists or a plan covers; every licensed module where no licence is required. */
  licensed: string[];
  /** Modules that accept writes now, by the rule of the 402 gate. */
  entitled: string[];
}

/** The modules an organisation has a right to (conventions §7, §22). @param now milliseconds since the epoch */
export function moduleNames(licence: LicenceState, now: number): ModuleNames {
  const entitled = switchable().filter(({ sku }) => mayBeWritten(sku, licence, now));
  const covered = (sku: string | null) =>
    sku !== null && (licence.licensing !== "required" || licence.modules.some(({ module }) => module === sku));
  return {
    licensed: entitled.filter(({ sku }) => covered(sku)).map(({ module }) => module),
    entitled: entitled.map(({ module }) => module),
  };
}

/** Why a set of modules cannot be enabled. */
export type ModuleRefusal = "unknown" | "requirements" | "licence";

/**
 * The modules of an organisation after a change, in catalogue order, or the reason it is refused (conventions §7, in this order): unknown
 * ones, a permanent one switched off, missing requirements, a newly enabled one that the licence does not allow. Enabled ones may stay.
 */
export function enabledAfter(
  before: readonly string[],
  asked: readonly string[],
  licence: LicenceState,
  now: number,
): string[] | ModuleRefusal {
  const known = switchable().filter(({ module }) => asked.includes(module));
  if (known.length < new Set(asked).size) return "unknown";
  if (switchable().some(({ module, permanent }) => permanent && !asked.includes(module))) return "unknown";
  if (known.some(({ requires }) => requires.some((needed) => !asked.includes(needed)))) return "requirements";
  if (known.some(({ module, sku }) => !before.includes(module) && !mayBeWritten(sku, licence, now))) return "licence";
  return known.map(({ module }) => module);
}
