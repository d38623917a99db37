/** The statuses of a domain (assets §2.1). */
export const DOMAIN_STATUSES = ["active", "redirect", "parked", "expired", "inactive"] as const;
