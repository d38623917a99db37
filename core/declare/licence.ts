/**
 * What allows writes to licensed modules (conventions §7): always allowed (`none`, self-hosted), the licence of the installation
 * (`required`, self-hosted by an operator who requires licences), or the plan of each organisation (`plan`, hosted).
 */
export type Licensing = "none" | "required" | "plan";

/** The facts that decide whether a licensed module allows writes, loaded with the principal. Instants are ISO strings. */
export interface LicenceState {
  licensing: Licensing;
  installedAt: string;
  /** `required`: the modules of the installed licence. */
  modules: { module: string; expiresAt: string; graceDays: number }[];
  /** `plan`: the organisation's plan. */
  plan: string | null;
  planEndsAt: string | null;
}

/** Days after installation in which modules that no licence lists allow writes, when licences are required (conventions §7). */
const TRIAL_DAYS = 14;
/** The day of the trial, counted from 1, from which the end is announced. */
const ANNOUNCED_FROM = 10;
const DAY = 86_400_000;

/** The rule that an installation follows. */
export const licensingOf = ({
  posture,
  licensing,
}: {
  posture: "self-hosted" | "hosted";
  licensing: "off" | "required";
}): Licensing => (posture === "hosted" ? "plan" : licensing === "required" ? "required" : "none");

const endOfTrial = ({ installedAt }: LicenceState): number => Date.parse(installedAt) + TRIAL_DAYS * DAY;

/**
 * Whether a module allows writes (conventions §7). Reading never depends on it.
 * @param sku the licensed module, null for a module without a licence
 * @param now the instant of the request, milliseconds since the epoch
 */
export function mayBeWritten(sku: string | null, state: LicenceState, now: number): boolean {
  if (sku === null || state.licensing === "none") return true;
  if (state.licensing === "plan") {
    if (state.plan === "standard" || state.plan === "unlimited") return true;
    return state.plan === "trial" && (state.planEndsAt === null || now < Date.parse(state.planEndsAt));
  }
  const listed = state.modules.find(({ module }) => module === sku);
  if (listed) return now <= Date.parse(listed.expiresAt) + listed.graceDays * DAY;
  return now <= endOfTrial(state);
}

/**
 * When the built-in trial ends or ended, ISO. Null if no module depends on it: licences are not required, or one lists every module.
 * @param skus every licensed module
 */
export function trialEndsAt(skus: readonly string[], state: LicenceState): string | null {
  const dependsOnTrial =
    state.licensing === "required" && skus.some((sku) => !state.modules.some(({ module }) => module === sku));
  return dependsOnTrial ? new Date(endOfTrial(state)).toISOString() : null;
}

/**
 * The end of the trial while it should be announced: from its tenth day until it ends. Null before, after, and if no module depends on it.
 * @param now milliseconds since the epoch
 */
export function announcedTrialEnd(skus: readonly string[], state: LicenceState, now: number): string | null {
  const endsAt = trialEndsAt(skus, state);
  const isAnnounced = now >= Date.parse(state.installedAt) + (ANNOUNCED_FROM - 1) * DAY && now <= endOfTrial(state);
  return isAnnounced ? endsAt : null;
}
