import { oldRowsEverywhere } from "../../core/sql/old-rows.ts";

export const expiredChallenges = oldRowsEverywhere({ table: "sign_in_challenges", age: "r.expires_at", kept: "0" });
export const expiredLinks = oldRowsEverywhere({ table: "account_tokens", age: "r.expires_at", kept: "0" });
export const endedSessions = oldRowsEverywhere({ table: "sessions", age: "least(r.ended_at, r.expires_at)", kept: "1 day" });
/** Grants to act in the login of a contact. */
export const endedGrants = oldRowsEverywhere({
  table: "impersonations",
  age: "coalesce(r.ended_at, r.expires_at)",
  kept: "1 day",
});

/** OAuth clients without an approval (conventions §20). */
export const unapprovedClients = oldRowsEverywhere({
  table: "oauth_clients",
  age: "r.created_at",
  kept: "24 hours",
  also: "r.approved_at is null",
});
export const expiredCodes = oldRowsEverywhere({ table: "oauth_codes", age: "r.expires_at", kept: "1 day" });
export const expiredRefreshTokens = oldRowsEverywhere({ table: "oauth_refresh_tokens", age: "r.expires_at", kept: "0" });
