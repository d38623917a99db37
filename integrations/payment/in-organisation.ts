import type { Organisation, Principal } from "../../core/declare/principal.ts";
import { currentRequest } from "../../core/request/context.ts";
import { SYSTEM, systemRequest } from "../../core/request/system.ts";
import { inTenancy } from "../../mixins/tenancy.ts";

/** The organisation of a provider call, and the actor for the trail. */
export interface Behalf {
  organisation: Organisation;
  principal: Principal | null;
}

/** For callbacks and jobs. */
export const asSystem = (organisation: Organisation): Behalf => ({ organisation, principal: SYSTEM });

/**
 * Runs work in its own short transaction, scoped to the organisation. A provider's answer is stored even if the caller has lost access
 * since; check access before calling the provider.
 */
export function inOrganisation<T>(
  { organisation, principal }: Behalf,
  mode: "read" | "write",
  work: () => Promise<T>,
): Promise<T> {
  const requestId = currentRequest()?.requestId;
  // The provider causes the change, so the caller's selection does not restrict it.
  const actor = principal && { ...principal, selection: null };
  return inTenancy(
    () => ({
      ...systemRequest("invoicing.payments", organisation, mode),
      principal: actor,
      ...(requestId !== undefined && { requestId }),
    }),
    work,
  );
}
