import type { Organisation } from "../../core/declare/principal.ts";
import { systemRequest } from "../../core/request/system.ts";
import { inTenancy } from "../../mixins/tenancy.ts";

/**
 * Runs work as the system in a separate short transaction for an organisation: sessions, their leases and the webhook do not depend on the
 * caller.
 */
export const inOrganisation = <T>(organisation: Organisation, mode: "read" | "write", work: () => Promise<T>): Promise<T> =>
  inTenancy(() => systemRequest("uptime", organisation, mode), work);
