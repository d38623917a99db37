import { namedValues } from "../../../core/naming/named-values.ts";

/** The statuses of a domain (assets §2.1). */
export const DOMAIN_STATUSES = namedValues("DomainStatus", ["active", "redirect", "parked", "expired", "inactive"]);
