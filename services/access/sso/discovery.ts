import { callOutside, OutboundFailed } from "../../../core/outbound/call.ts";
import { OutboundRefused } from "../../../core/outbound/guard/policy.ts";

/** A provider's metadata (OpenID Connect Discovery 1.0 §3), with the fields a sign-in requires. */
export interface ProviderMetadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  jwks_uri: string;
  userinfo_endpoint?: string;
  token_endpoint_auth_methods_supported?: string[];
  [more: string]: unknown;
}

const NEEDED = ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"] as const;

const isWebAddress = (value: unknown): boolean => typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value);

function metadataIn(body: Buffer): ProviderMetadata | null {
  try {
    const document = JSON.parse(body.toString("utf8")) as Record<string, unknown> | null;
    return document !== null && NEEDED.every((name) => isWebAddress(document[name])) ? (document as ProviderMetadata) : null;
  } catch {
    return null;
  }
}

/**
 * Reads a provider's discovery document at an address an organisation entered (conventions §17). Call it outside a transaction.
 * @returns the document, or the translation key of its error
 */
export async function discovered(url: string): Promise<{ metadata: ProviderMetadata } | { error: string }> {
  try {
    const { status, body } = await callOutside("sso", url, { headers: { accept: "application/json" } });
    if (status !== 200) return { error: "errors.sso_discovery_failed" };
    const metadata = metadataIn(body);
    return metadata ? { metadata } : { error: "errors.sso_discovery_invalid" };
  } catch (error) {
    if (error instanceof OutboundRefused) return { error: "errors.sso_address_refused" };
    if (error instanceof OutboundFailed) return { error: "errors.sso_unreachable" };
    throw error;
  }
}
