import { invalid, refusal } from "../../../core/declare/errors.ts";
import { readUrl } from "../../../core/outbound/guard/addressing.ts";
import { blankToNull } from "../../../core/values/text.ts";

/** What a connection to a provider is made of: what was tested is these three. */
export interface Connection {
  discovery_url: string | null;
  client_id: string | null;
  /** The secret itself; null when there is none, or none that still decrypts. */
  secret: string | null;
}

/** Settings as they were sent. */
export interface AskedSettings {
  enabled: boolean;
  enforced: boolean;
  name: string;
  discovery_url?: string | null;
  client_id?: string | null;
  default_role: string;
  auto_provision?: boolean;
}

/** Settings as they are stored but for the secret. */
export type PlainSettings = Required<AskedSettings> & { discovery_url: string | null; client_id: string | null };

/** What an organisation without settings has (access §9.1). */
export const DEFAULTS: PlainSettings = {
  enabled: false,
  enforced: false,
  name: "SSO",
  discovery_url: null,
  client_id: null,
  default_role: "member",
  auto_provision: true,
};

/** Whether signing in at the provider would really work. */
export const isComplete = ({ enabled, discovery_url, client_id, secret }: Connection & { enabled: boolean }): boolean =>
  enabled && discovery_url !== null && client_id !== null && secret !== null;

/** Settings as they will be stored: what is not sent is as by default, for a PUT replaces them all. */
export function plainSettings(asked: AskedSettings): PlainSettings {
  const tidy = (value: string | null | undefined) => blankToNull(value?.trim()) ?? null;
  return {
    enabled: asked.enabled,
    enforced: asked.enforced,
    name: asked.name,
    discovery_url: tidy(asked.discovery_url),
    client_id: tidy(asked.client_id),
    default_role: asked.default_role,
    auto_provision: asked.auto_provision ?? DEFAULTS.auto_provision,
  };
}

function isAddress(url: string): boolean {
  try {
    readUrl("sso", url);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks settings by themselves (access §9.1).
 * @param hasSecret whether there will be a secret once they are stored
 * @param roles keys of the organisation's system roles
 * @throws 422 with every field that is missing or wrong
 */
export function requireWhole(
  { enabled, enforced, discovery_url: url, client_id: client, default_role: role }: PlainSettings,
  hasSecret: boolean,
  roles: readonly string[],
): void {
  const faults: Record<string, string | false> = {
    discovery_url: url === null ? enabled && "errors.required" : !isAddress(url) && "errors.invalid_url",
    client_id: enabled && client === null && "errors.required",
    client_secret: enabled && !hasSecret && "errors.required",
    enforced: enforced && !enabled && "errors.validation",
    default_role: !roles.includes(role) && "errors.validation",
  };
  const wrong = Object.entries(faults).filter((entry): entry is [string, string] => entry[1] !== false);
  if (wrong.length > 0) throw invalid(Object.fromEntries(wrong));
}

/** Whether two connections are the same one, so that a test of the first says something about the second. */
export const isSameConnection = (one: Connection, other: Connection): boolean =>
  one.discovery_url === other.discovery_url && one.client_id === other.client_id && one.secret === other.secret;

/** @throws 422 `sso_test_required` for a connection that would lock people out if it did not work */
export function requireTested(enforced: boolean, isTested: boolean): void {
  if (enforced && !isTested) throw refusal("sso_test_required", undefined, { fields: { enforced: "errors.sso_test_required" } });
}
