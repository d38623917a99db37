import type { Organisation, Principal } from "../declare/principal.ts";
import { type RequestStore, requestStore } from "./context.ts";

/** The operator at the command line and the service itself: no person, every permission, a trail without actor. */
export const SYSTEM: Principal = {
  kind: "system",
  accountId: null,
  serviceAccountId: null,
  membershipId: null,
  name: null,
  credential: { kind: "none", id: "" },
  grants: ["*"],
  selection: null,
  isClientLogin: false,
  isSuperuser: false,
  licence: { licensing: "plan", installedAt: "", modules: [], plan: "unlimited", planEndsAt: null },
};

/** A request for the service's own work inside one organisation. */
export const systemRequest = (
  action: string,
  organisation: Organisation,
  mode: "read" | "write",
  guarded = false,
): RequestStore => requestStore({ action, mode, organisation, principal: SYSTEM, requestId: action, guarded });
