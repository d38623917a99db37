/** The provider's answer is malformed, or no other key describes the failure (marketing-ads §2.3). */
export const UNREADABLE = "marketing.accounts_error";
/** A quota of the property, the site or the account is used up. */
export const QUOTA_USED_UP = "marketing.quota_used_up";
/** The connection of the link no longer exists. */
export const DISCONNECTED = "marketing.disconnected";
/** The grant does not cover the source. */
export const SCOPE_INSUFFICIENT = "marketing.scope_insufficient";
/** The person behind the grant cannot see that property or site; the source itself works. */
export const NO_ACCESS = "marketing.no_access";
/** The provider refused to refresh the grant. */
export const GRANT_REFUSED = "errors.workspace_connection_error";
