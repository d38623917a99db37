import { schedule } from "../../../core/jobs/jobs.ts";

/** Delay before the first DNS lookup of a new domain, in milliseconds: the very next call may register it (assets §2.1). */
const DELAY = 3000;

/** Schedules a DNS lookup of a new domain after a short delay. */
export function queueDnsLook(domainId: string): void {
  schedule("domains.look-at-dns", { domain_id: domainId }, { runAt: new Date(Date.now() + DELAY) });
}
