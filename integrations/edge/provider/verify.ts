import type { UpdateOf } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { answer, field, flag, list, map, nullable, type Static, Type } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import { type EdgeAccount, type EdgeAccountRow, GONE } from "../models.ts";
import { accessOf } from "./account-access.ts";
import { callEdge, type EdgeAccess } from "./client.ts";
import { EdgeFailure } from "./failure.ts";
import { listEdge } from "./listing.ts";
import { textIn } from "./reading.ts";

export const EdgeAccountVerifyResult = answer("EdgeAccountVerifyResult", {
  ok: field(flag(), "Whether the provider accepted the token"),
  capabilities: field(map(Type.Boolean()), "Permissions of the token; empty on failure"),
  capability_errors: field(map(Type.String()), "The provider's message for each capability that is false"),
  edge_account_id: nullable(Type.String({ description: "The provider's id of the account; null while it is not known" })),
  edge_account_name: nullable(Type.String({ description: "The provider's name for it; null until known" })),
  account_choices: field(
    list(map(Type.String())),
    "Accounts that the token sees, each with `id` and `name`, if there are several and none is chosen",
  ),
  error: nullable(Type.String({ description: "The provider's message on failure; null on success" })),
});

type Verified = Static<typeof EdgeAccountVerifyResult>;

const LONGEST_ERROR = 200;
const A_ZONE = statement(`select edge_zone_id from edge_zones
  where organisation_id = $1 and account_id = $2 and status <> '${GONE}' order by name, id limit 1`);

/** An account at the provider. */
export interface VisibleAccount {
  id: string;
  name: string;
}

/** The accounts visible to a token. @throws EdgeFailure */
export async function visibleAccounts(access: EdgeAccess): Promise<VisibleAccount[]> {
  const rows = await listEdge(access, { operation: "accounts.list", path: "/accounts" });
  return rows.flatMap((row) => {
    const id = textIn(row, "id");
    return id === null ? [] : [{ id, name: textIn(row, "name") ?? id }];
  });
}

/** A probe's failure, or null. @throws other errors */
const failureOf = (probe: Promise<unknown>): Promise<EdgeFailure | null> =>
  probe.then(
    () => null,
    (error: unknown) => {
      if (error instanceof EdgeFailure) return error;
      throw error;
    },
  );

const mustReach = (failure: EdgeFailure | null): EdgeFailure | null => {
  if (failure && !failure.wasReached) throw failure;
  return failure;
};

/** Verifies the token as a user token or, if the provider refuses that, as an account token. */
async function verifyToken(access: EdgeAccess, accountId: string | null): Promise<EdgeFailure | null> {
  const ofPerson = mustReach(await failureOf(callEdge(access, { operation: "tokens.verify", path: "/user/tokens/verify" })));
  if (!ofPerson || accountId === null || !(ofPerson.status === 401 || ofPerson.status === 403)) return ofPerson;
  const path = `/accounts/${encodeURIComponent(accountId)}/tokens/verify`;
  return mustReach(await failureOf(callEdge(access, { operation: "tokens.verify_of_account", path })));
}

const NO_ACCOUNT = "no account id is known";

/**
 * Finds out what a token may read. Each probe is one call without parameters; a refused one does not fail the others (assets §6, "Verify").
 */
async function probe(access: EdgeAccess, account: EdgeAccountRow, zoneId: string | undefined): Promise<Verified> {
  let visible: VisibleAccount[] = [];
  const accountsRead = mustReach(await failureOf(visibleAccounts(access).then((found) => (visible = found))));
  const [only, ...others] = visible;
  const pinned = account.edge_account_id;
  const accountId = pinned ?? (others.length === 0 ? (only?.id ?? null) : null);
  const read = (operation: string, path: string) => failureOf(callEdge(access, { operation, path }));
  const ofAccount = (operation: string, path: string) =>
    accountId === null ? NO_ACCOUNT : read(operation, `/accounts/${encodeURIComponent(accountId)}${path}`);
  const entrypoint = (zone: string) =>
    read("rulesets.entrypoint", `/zones/${zone}/rulesets/phases/http_request_dynamic_redirect/entrypoint`).then((failure) =>
      // A zone without redirects yet.
      failure?.isMissing ? null : failure,
    );
  const zone = zoneId === undefined ? undefined : encodeURIComponent(zoneId);
  const [tokenValid, zones, pages, registrar, dns, redirect] = await Promise.all([
    verifyToken(access, accountId),
    read("zones.list", "/zones"),
    ofAccount("projects.list", "/pages/projects"),
    ofAccount("registrations.list", "/registrar/domains"),
    zone && read("records.list", `/zones/${zone}/dns_records`),
    zone && entrypoint(zone),
  ]);
  const reads = {
    accounts_read: accountsRead,
    zones_read: zones,
    pages_read: pages,
    registrar_read: registrar,
    ...(zone && { dns_read: dns, redirect_read: redirect }),
  };
  const isValid = !tokenValid || Object.values(reads).includes(null);
  const choice = { edge_account_id: accountId, edge_account_name: visible.find(({ id }) => id === accountId)?.name ?? null };
  if (!isValid) return refused(account, tokenValid);
  const all = { token_valid: isValid ? null : tokenValid, ...reads };
  const errors = Object.entries(all).filter((entry): entry is [string, EdgeFailure | string] => Boolean(entry[1]));
  return {
    ok: true,
    capabilities: Object.fromEntries(Object.entries(all).map(([name, failure]) => [name, failure === null])),
    capability_errors: Object.fromEntries(
      errors.map(([name, failure]) => [name, shortened(typeof failure === "string" ? failure : failure.message, LONGEST_ERROR)]),
    ),
    ...choice,
    edge_account_name: choice.edge_account_name ?? (pinned === null ? null : account.edge_account_name),
    account_choices: pinned === null && others.length > 0 ? visible.map(({ id, name }) => ({ id, name })) : [],
    error: null,
  };
}

const refused = ({ edge_account_id, edge_account_name }: EdgeAccountRow, failure: EdgeFailure): Verified => ({
  ok: false,
  capabilities: {},
  capability_errors: {},
  edge_account_id,
  edge_account_name,
  account_choices: [],
  error: failure.message,
});

/**
 * Asks the provider what an account's token may read. A refused token and an unreachable provider are results, not errors.
 * @throws 409 edge_token_unreadable
 */
export async function verifyAccount(account: EdgeAccountRow): Promise<Verified> {
  const access = accessOf(account);
  const zone = await queryOne<{ edge_zone_id: string }>(A_ZONE, [request().organisation.id, account.id]);
  try {
    return await probe(access, account, zone?.edge_zone_id);
  } catch (error) {
    if (!(error instanceof EdgeFailure)) throw error;
    return refused(account, error);
  }
}

/** The columns a verification updates. */
export function verifiedValues(verified: Verified): UpdateOf<typeof EdgeAccount> {
  const { ok, capabilities, capability_errors, edge_account_id, edge_account_name, error } = verified;
  if (!ok) return { status: "error", last_error: error, capabilities, capability_errors };
  const last_verified_at = new Date().toISOString();
  return {
    status: "active",
    last_error: null,
    last_verified_at,
    capabilities,
    capability_errors,
    edge_account_id,
    edge_account_name,
  };
}
