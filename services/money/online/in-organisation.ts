import { currentRequest, type Organisation, type Principal } from "../../../core/request/context.ts";
import { SYSTEM, systemRequest } from "../../../core/request/system.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";

/** Whose attempts are asked about, and who is behind it in the trail. */
export interface Behalf {
  organisation: Organisation;
  principal: Principal | null;
}

/** Callbacks and jobs. */
export const asSystem = (organisation: Organisation): Behalf => ({ organisation, principal: SYSTEM });

/**
 * Runs work in a short transaction of its own, bound to the organisation. What a provider told is kept whatever has become of the access of
 * who asked for it, so that no principal is proved current here: that is for what comes before the call.
 */
export function inOrganisation<T>(
  { organisation, principal }: Behalf,
  mode: "read" | "write",
  work: () => Promise<T>,
): Promise<T> {
  const requestId = currentRequest()?.requestId;
  // Nor does it depend on what that caller sees: the act is the provider's, the caller's is only the asking.
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
