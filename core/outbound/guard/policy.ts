import type { Config } from "../../config/config.ts";
import { type AddressKind, addressKind, isWithin } from "./addresses.ts";

/** What an outside address is for (conventions §17). `provider` is an address the operator set in the environment. */
export type Target =
  | "automation"
  | "webhook"
  | "notification"
  | "smtp"
  | "website"
  | "uptime"
  | "push"
  | "sso"
  | "client_metadata"
  | "ai"
  | "provider";

/** Why an address is not called. */
export type Reason =
  | "invalid" // no address of this kind at all
  | "https_required"
  | "credentials" // a user name or password inside the address
  | "port"
  | "unresolved" // the name does not resolve
  | "private"; // resolves to something that is not public

/** An address that may not be called: a configuration error of the user who gave it, to be shown as data, never a server error. */
export class OutboundRefused extends Error {
  override name = "OutboundRefused";
  readonly reason: Reason;
  readonly target: Target;
  /** Of `unresolved`: name servers answered that the name has no address. Else they gave no answer, which may pass. */
  readonly isKnownAbsent: boolean;
  constructor(target: Target, reason: Reason, message: string, isKnownAbsent = false) {
    super(message);
    this.isKnownAbsent = isKnownAbsent;
    this.target = target;
    this.reason = reason;
  }
}

interface Policy {
  httpsOnly: boolean;
  /** Kinds of addresses that may be called beside public ones. */
  beside: (config: Pick<Config, "posture">) => readonly AddressKind[];
  /** Whether ranges the operator opened count. */
  optIn: boolean;
}

const nothing = () => [];
const OWN_NETWORK: readonly AddressKind[] = ["private", "loopback", "link_local", "reserved"];
const supplied: Policy = { httpsOnly: false, beside: nothing, optIn: true };
const publicOnly: Policy = { httpsOnly: true, beside: nothing, optIn: false };

/** The table of conventions §17. Redirects are followed for none of them. */
const POLICIES: Record<Target, Policy> = {
  automation: supplied,
  webhook: supplied,
  notification: supplied,
  smtp: supplied,
  website: supplied,
  uptime: supplied,
  push: publicOnly,
  client_metadata: publicOnly,
  sso: {
    httpsOnly: false,
    beside: ({ posture }) => (posture === "self-hosted" ? ["private", "loopback"] : []),
    optIn: true,
  },
  ai: { httpsOnly: false, beside: () => OWN_NETWORK, optIn: true },
  provider: { httpsOnly: false, beside: () => [...OWN_NETWORK, "metadata"], optIn: true },
};

export type PolicyConfig = Pick<Config, "posture" | "outboundAllowedRanges">;

/** Whether https is the only scheme. */
export const isHttpsOnly = (target: Target): boolean => POLICIES[target].httpsOnly;

/**
 * Whether an address may be connected to. No opt-in opens metadata addresses, and for SSO none opens link-local ones: what they answer
 * are the machine's own credentials.
 */
export function isAllowed(target: Target, address: string, config: PolicyConfig): boolean {
  const kind = addressKind(address);
  const { beside, optIn } = POLICIES[target];
  if (kind === "public" || beside(config).includes(kind)) return true;
  if (!optIn || kind === "metadata" || (target === "sso" && kind === "link_local")) return false;
  return isWithin(address, config.outboundAllowedRanges ?? []);
}

/** Whether names of the machine's own hosts file count where DNS knows none: only where its network may be reached at all. */
export function mayBeLocal(target: Target, config: PolicyConfig): boolean {
  const { beside, optIn } = POLICIES[target];
  return beside(config).length > 0 || (optIn && (config.outboundAllowedRanges ?? []).length > 0);
}
