import { type LicenceState, mayBeWritten } from "../declare/licence.ts";
import type { Employer } from "./store.ts";

/** `run`; `wait` while the organisation or its licence does not allow it; `gone` with the organisation. */
export type Eligibility = "run" | "wait" | "gone";

/** Any licensed module will do: a hosted plan covers all of them or none. */
const ANY_MODULE = "domains";

/**
 * Whether a job may run now (conventions §7, §20). By the clock nothing runs for an organisation that is suspended or whose hosted plan
 * has lapsed. What a person asked for before that waits while the organisation is suspended or its module may not be written; a lapsed
 * plan alone does not stop it, for the mail that lets the customer in to pay is one of those.
 * @param employer undefined when the organisation is deleted
 * @param now milliseconds since the epoch
 */
export function eligibilityOf(employer: Employer | undefined, module: string | null, byClock: boolean, now: number): Eligibility {
  if (!employer) return "gone";
  const { organisation, licence } = employer;
  if (organisation.status !== "active" || !mayBeWritten(module, licence, now)) return "wait";
  const lapsed = licence.licensing === "plan" && !mayBeWritten(ANY_MODULE, licence, now);
  return byClock && lapsed ? "wait" : "run";
}

/**
 * Whether the jobs of a schedule need be made at all: on one agency's own box the licence is the same for every organisation. Where each
 * has a plan of its own, that is looked at when its job begins.
 * @param now milliseconds since the epoch
 */
export const mayRunSomewhere = (module: string | null, licence: LicenceState, now: number): boolean =>
  licence.licensing === "plan" || mayBeWritten(module, licence, now);
