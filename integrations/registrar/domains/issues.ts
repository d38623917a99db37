import { addDays, type IsoDate } from "../../../core/calendar/dates.ts";
import type { RegistrarDomainRow } from "../models.ts";

/** What may be the matter with a domain at its registrar, in the order it is told (assets §10.5). */
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

/** Days before the end of a registration from which it is told. */
const SOON = 60;

/** What the issues of a domain follow from. */
export interface Known {
  /** The accounts of the organisation. */
  accounts: readonly { last_synced_at: string | null }[];
  /** The domain in a register, null where none has it. */
  registration: Pick<
    RegistrarDomainRow,
    "registry_status" | "expires_on" | "transfer_lock" | "autorenew" | "ns_push_status" | "ns_observed"
  > | null;
  /** What public DNS last named, null before the first look. */
  publicNameservers: readonly string[] | null;
  /** Where the organisation is. */
  today: IsoDate;
}

const differ = (one: readonly string[], other: readonly string[]): boolean =>
  one.length > 0 && other.length > 0 && [...new Set(one)].sort().join() !== [...new Set(other)].sort().join();

/** What is the matter with a domain at its registrar (assets §10.5). What is not reported is no issue. */
export function issuesOf({ accounts, registration, publicNameservers, today }: Known): Issue[] {
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
