import type { Config } from "../../config/config.ts";
import { type AddressKind, addressKind, isWithin } from "./addresses.ts";

/** The purpose of an outbound address (conventions §17). The operator sets `provider` addresses in the environment. */
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

/** The reason why an address is rejected. */
export type Reason =
  | "invalid" // not an http(s) address or host name
  | "https_required"
  | "credentials" // the address contains a user name or password
  | "port"
  | "unresolved" // the name does not resolve
  | "private"; // resolves to a non-public address

/** An address that is not allowed: a configuration error of the user who entered it, to show as data, never a server error. */
export class OutboundRefused extends Error {
  override name = "OutboundRefused";
  readonly reason: Reason;
  readonly target: Target;
  /** For `unresolved`: name servers answered that the name has no address. False if they gave no answer, which may be temporary. */
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
  /** Allowed kinds of addresses in addition to public ones. */
  beside: (config: Pick<Config, "posture">) => readonly AddressKind[];
  /** Whether ranges opened by the operator are allowed. */
  optIn: boolean;
}

const nothing = () => [];
const OWN_NETWORK: readonly AddressKind[] = ["private", "loopback", "link_local", "reserved"];
const supplied: Policy = { httpsOnly: false, beside: nothing, optIn: true };
const publicOnly: Policy = { httpsOnly: true, beside: nothing, optIn: false };

/** The table of conventions §17. No purpose follows redirects. */
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

/** Whether only https is allowed. */
export const isHttpsOnly = (target: Target): boolean => POLICIES[target].httpsOnly;

/**
 * Whether an address is allowed to connect to. No opt-in opens metadata addresses, and for SSO none opens link-local ones: they return the
 * machine's own credentials.
 */
export function isAllowed(target: Target, address: string, config: PolicyConfig): boolean {
  const kind = addressKind(address);
  const { beside, optIn } = POLICIES[target];
  if (kind === "public" || beside(config).includes(kind)) return true;
  if (!optIn || kind === "metadata" || (target === "sso" && kind === "link_local")) return false;
  return isWithin(address, config.outboundAllowedRanges ?? []);
}

/** Whether the machine's own hosts file is used for names unknown to DNS: only if its network can be reached at all. */
export function mayBeLocal(target: Target, config: PolicyConfig): boolean {
  const { beside, optIn } = POLICIES[target];
  return beside(config).length > 0 || (optIn && (config.outboundAllowedRanges ?? []).length > 0);
}
