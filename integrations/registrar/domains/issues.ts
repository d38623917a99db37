import { addDays, type IsoDate } from "../../../core/calendar/dates.ts";
import type { RegistrarDomainRow } from "../models.ts";

/** The possible issues of a domain at its registrar, in display order (assets §10.5). */
export const ISSUES = [
  "no_account",
  "never_synced",
  "not_in_register",
  "expired",
  "expiring_soon",
  "transfer_unlocked",
  "autorenew_off",
  "nameserver_drift",
  "nameservers_missing",
  "push_error",
  "not_delegated_yet",
] as const;
export type Issue = (typeof ISSUES)[number];

/** Days before a registration expires from which the issue appears. */
const SOON = 60;

/** The inputs that a domain's issues are derived from. */
export interface IssueFacts {
  /** The accounts of the organisation. */
  accounts: readonly { last_synced_at: string | null }[];
  /** The domain's registration, null without one. */
  registration: Pick<
    RegistrarDomainRow,
    "registry_status" | "expires_on" | "transfer_lock" | "autorenew" | "ns_push_status" | "ns_observed"
  > | null;
  /** The name servers last found in public DNS, null before the first lookup. */
  publicNameservers: readonly string[] | null;
  /** Today in the organisation's zone. */
  today: IsoDate;
}

const differ = (one: readonly string[], other: readonly string[]): boolean =>
  one.length > 0 && other.length > 0 && [...new Set(one)].sort().join() !== [...new Set(other)].sort().join();

/** A domain's issues at its registrar (assets §10.5). Unreported values are no issue. */
export function issuesOf({ accounts, registration, publicNameservers, today }: IssueFacts): Issue[] {
  if (accounts.length === 0) return ["no_account"];
  const wasSynced = accounts.some(({ last_synced_at }) => last_synced_at !== null);
  if (registration === null && !wasSynced) return ["never_synced"];
  if (registration === null || registration.registry_status === "gone") return ["not_in_register"];
  const { expires_on: end, transfer_lock, autorenew, ns_push_status: push, ns_observed } = registration;
  const found: Record<Issue, boolean> = {
    no_account: false,
    never_synced: !wasSynced,
    not_in_register: false,
    expired: end !== null && end < today,
    expiring_soon: end !== null && end >= today && end <= addDays(today, SOON),
    transfer_unlocked: transfer_lock === false,
    autorenew_off: autorenew === false,
    nameserver_drift: push === "drift",
    nameservers_missing: push === "missing",
    push_error: push === "error",
    not_delegated_yet: differ(ns_observed ?? [], publicNameservers ?? []),
  };
  return ISSUES.filter((issue) => found[issue]);
}
