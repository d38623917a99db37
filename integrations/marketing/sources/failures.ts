/** The failure of an answer that is not what the provider describes, and of every other that says nothing better (marketing-ads §2.3). */
export const UNREADABLE = "marketing.accounts_error";
/** A quota of the property, the site or the account is used up. */
export const QUOTA_USED_UP = "marketing.quota_used_up";
/** The connection that a link was read with is gone. */
export const DISCONNECTED = "marketing.disconnected";
/** The grant may not be used for the source. */
export const SCOPE_INSUFFICIENT = "marketing.scope_insufficient";
/** The provider refused to refresh the grant. */
export const GRANT_REFUSED = "errors.workspace_connection_error";
