import { type LicenceState, mayBeWritten } from "../declare/licence.ts";
import type { JobOrganisation } from "./store.ts";

/** `run`; `wait` while the organisation or its licence does not allow the job; `gone` when the organisation is deleted. */
export type Eligibility = "run" | "wait" | "gone";

/** Why a job that had waited for seven days failed permanently. */
export const WAITED_IN_VAIN = "the organisation was suspended, or its licence lapsed, for seven days";

/** Any licensed module works here: a hosted plan covers all of them or none. */
const ANY_MODULE = "domains";

/**
 * Whether a job may run now (conventions §7, §20). Scheduled jobs do not run for an organisation that is suspended or whose hosted plan has
 * lapsed. Requested jobs wait while the organisation is suspended or the licence of their module does not allow writes. A lapsed plan alone
 * does not stop them: the mail that lets the customer in to pay is one of them.
 * @param employer undefined when the organisation is deleted
 * @param now milliseconds since the epoch
 */
export function eligibilityOf(
  employer: JobOrganisation | undefined,
  module: string | null,
  byClock: boolean,
  now: number,
): Eligibility {
  if (!employer) return "gone";
  const { organisation, licence } = employer;
  if (organisation.status !== "active" || !mayBeWritten(module, licence, now)) return "wait";
  const lapsed = licence.licensing === "plan" && !mayBeWritten(ANY_MODULE, licence, now);
  return byClock && lapsed ? "wait" : "run";
}

/**
 * Whether a schedule needs to create jobs at all: on a self-hosted installation all organisations share one licence. If each has its own
 * plan, the check happens when its job begins.
 * @param now milliseconds since the epoch
 */
export const mayRunSomewhere = (module: string | null, licence: LicenceState, now: number): boolean =>
  licence.licensing === "plan" || mayBeWritten(module, licence, now);
