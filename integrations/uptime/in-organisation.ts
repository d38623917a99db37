import type { Organisation } from "../../core/request/context.ts";
import { systemRequest } from "../../core/request/system.ts";
import { inTenancy } from "../../mixins/tenancy.ts";

/**
 * Runs work as the system in a short transaction of its own, bound to the organisation: what a session, its lease and a webhook store does
 * not depend on who asked.
 */
export const inOrganisation = <T>(organisation: Organisation, mode: "read" | "write", work: () => Promise<T>): Promise<T> =>
  inTenancy(() => systemRequest("uptime", organisation, mode), work);
