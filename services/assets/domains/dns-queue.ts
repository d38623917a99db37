import { schedule } from "../../../core/jobs/jobs.ts";

/** How long a new domain is left alone, in milliseconds: it may be registered by the very next call (assets §2.1). */
const DELAY = 3000;

/** Has a new domain looked at in public DNS, a little later. */
export function queueDnsLook(domainId: string): void {
  schedule("domains.look-at-dns", { domain_id: domainId }, { runAt: new Date(Date.now() + DELAY) });
}
