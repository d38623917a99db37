import { invalid, refusal } from "../../../core/errors/errors.ts";
import { readUrl } from "../../../core/outbound/guard/addressing.ts";
import { blankToNull } from "../../../core/values/text.ts";

/** The tested parts of a connection to a provider. */
export interface Connection {
  discovery_url: string | null;
  client_id: string | null;
  /** The plain secret; null if there is none or it does not decrypt. */
  secret: string | null;
}

/** Settings as sent. */
export interface AskedSettings {
  enabled: boolean;
  enforced: boolean;
  name: string;
  discovery_url?: string | null;
  client_id?: string | null;
  default_role: string;
  auto_provision?: boolean;
}

/** Settings as stored, without the secret. */
export type PlainSettings = Required<AskedSettings> & { discovery_url: string | null; client_id: string | null };

/** The settings of an organisation that has saved none (access §9.1). */
export const DEFAULTS: PlainSettings = {
  enabled: false,
  enforced: false,
  name: "SSO",
  discovery_url: null,
  client_id: null,
  default_role: "member",
  auto_provision: true,
};

/** Whether the settings suffice to sign in at the provider. */
export const isComplete = ({ enabled, discovery_url, client_id, secret }: Connection & { enabled: boolean }): boolean =>
  enabled && discovery_url !== null && client_id !== null && secret !== null;

/** The settings to store: fields not sent get their defaults, because a PUT replaces them all. */
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
 * Validates settings on their own (access §9.1).
 * @param hasSecret whether a secret will be stored with them
 * @param roles keys of the organisation's system roles
 * @throws 422 with every missing or invalid field
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

/** Whether two connections are the same, so that a test of one holds for the other. */
export const isSameConnection = (one: Connection, other: Connection): boolean =>
  one.discovery_url === other.discovery_url && one.client_id === other.client_id && one.secret === other.secret;

/** @throws 422 `sso_test_required` if an untested connection could lock people out */
export function requireTested(enforced: boolean, isTested: boolean): void {
  if (enforced && !isTested) throw refusal("sso_test_required", undefined, { fields: { enforced: "errors.sso_test_required" } });
}
