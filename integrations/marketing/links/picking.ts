import { query, queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { callerId, NO_PERSON } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { connectionOf, IS_WORKING, WORKING_CONNECTIONS } from "../../../mixins/google/connection.ts";
import { hasScope } from "../../../mixins/google/scopes.ts";
import { inRequest } from "../../../mixins/google/transactions.ts";
import { feeding } from "../feeding.ts";
import { keepAnswer, keptAnswer, PICKER_SECONDS } from "../kept-answers.ts";
import { DISCONNECTED, GRANT_REFUSED, QUOTA_USED_UP, SCOPE_INSUFFICIENT, UNREADABLE } from "../sources/failures.ts";
import { sources } from "../sources/registry.ts";
import { type MarketingSource, type SourceAccess, type SourceAccount, SourceFailure } from "../sources/source.ts";
import type { AccountsResponse } from "./link-schemas.ts";
import { spelled, websiteRequired } from "./link-writes.ts";

type Answer = Static<typeof AccountsResponse>;
/** The source's answer, before the accounts that are already linked are marked. */
export type Picked = Omit<Answer, "source" | "connect_flag" | "accounts"> & { accounts: SourceAccount[] };

/** Failures caused by a missing key or token. */
const IS_UNSET = /_not_configured$|_not_connected$/;

const COLLEAGUES =
  statement(`select c.account_id as user_id, coalesce(nullif(a.full_name, ''), a.email) as name, c.email, false as is_me
  from ${WORKING_CONNECTIONS} join accounts a on a.id = c.account_id
  where ${IS_WORKING} and $2 = any(c.scopes) and c.account_id <> $3 order by 2, 1`);
const WEBSITE = statement(`select exists (select from marketing_website_credentials k
    where k.organisation_id = t.organisation_id and k.website_id = t.id) as has_credential
  from websites t where t.organisation_id = $1 and t.id = $2
  and ($3::uuid[] is null or t.company_id in (select selected_companies($3::uuid[])))`);
/** Accounts with a client: by their active links, and by advertising. */
const LINKED =
  statement(`select l.external_id, ($3::uuid[] is null or l.company_id in (select selected_companies($3::uuid[]))) as is_visible,
    false as is_attached
  from marketing_links l where l.organisation_id = $1 and l.source = $2 and ${feeding("l")}
  union all select held.customer_id, $3::uuid[] is null or held.company_id in (select selected_companies($3::uuid[])), true
  from ads_accounts held where held.organisation_id = $1 and $2 = 'gads' and held.active and held.company_id is not null`);

const NOTHING: Picked = { connected: true, has_scope: true, configured: true, accounts: [], error: null, connected_via: [] };

/** @throws 422 without a website, 404 for a website that the caller cannot see */
async function requireOwnWebsite(websiteId: string | undefined): Promise<{ id: string; hasCredential: boolean }> {
  if (websiteId === undefined) throw websiteRequired("website_required");
  const { organisation, principal } = request();
  const asked = [organisation.id, websiteId, principal?.selection ?? null];
  const website = await queryOne<{ has_credential: boolean }>(WEBSITE, asked);
  if (!website) throw notFound();
  return { id: websiteId.toLowerCase(), hasCredential: website.has_credential };
}

/** The part of the response that describes a failure. */
function failed({ key }: SourceFailure): Partial<Picked> {
  if (IS_UNSET.test(key)) return { configured: false };
  if (key === DISCONNECTED) return { connected: false, has_scope: false };
  const has_scope = key !== GRANT_REFUSED && key !== SCOPE_INSUFFICIENT;
  return { has_scope, error: key === QUOTA_USED_UP ? UNREADABLE : key };
}

/** The accounts that the source lists, cached for ten minutes. */
async function listed(source: MarketingSource, access: SourceAccess): Promise<Partial<Picked>> {
  const key = `accounts ${source.key} ${access.connectionId ?? access.websiteId ?? "organisation"}`;
  const kept = await keptAnswer<SourceAccount[]>(key, PICKER_SECONDS);
  if (kept) return { accounts: kept };
  try {
    const accounts = await (await source.calls()).accounts(access);
    await keepAnswer(key, accounts);
    return { accounts };
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    return failed(error);
  }
}

const colleaguesWith = (scope: string): Promise<Answer["connected_via"]> =>
  query(COLLEAGUES, [request().organisation.id, scope, callerId() ?? NO_PERSON]);

async function byGrant(source: MarketingSource, scope: string): Promise<Picked> {
  const configured = (await source.isConfigured?.()) ?? true;
  const connection = await connectionOf();
  const isGranted = connection?.status === "active" && (connection.scopes.length === 0 || hasScope(connection.scopes, scope));
  const start = { ...NOTHING, configured, connected: connection !== undefined, has_scope: isGranted };
  const access = { transactions: inRequest, connectionId: connection?.id ?? null, websiteId: null };
  const found = isGranted && configured ? { ...start, ...(await listed(source, access)) } : start;
  return found.connected && found.has_scope ? found : { ...found, connected_via: await colleaguesWith(scope) };
}

/**
 * Lists the accounts of a source that the caller can link (marketing-ads §2.3); runs outside any transaction.
 * @throws 422, 404 for the website of a source whose credential is per website
 */
export async function pick(sourceKey: string, websiteId: string | undefined): Promise<Picked> {
  const source = sources.get(sourceKey) as MarketingSource;
  const { credential } = source;
  if (credential.kind === "grant") return byGrant(source, credential.scope);
  const access = { transactions: inRequest, connectionId: null, websiteId: null };
  const website = credential.kind === "website" ? await requireOwnWebsite(websiteId) : null;
  // Without its credential a website has no accounts, even if an answer is cached.
  const isConfigured = website?.hasCredential !== false && ((await source.isConfigured?.()) ?? true);
  if (!isConfigured) return { ...NOTHING, configured: false };
  return { ...NOTHING, ...(await listed(source, { ...access, websiteId: website?.id ?? null })) };
}

/** An account with a client. */
interface LinkedAccount {
  external_id: string;
  is_visible: boolean;
  /** Whether advertising attaches it to the client, so that no other client can link it. */
  is_attached: boolean;
}

/**
 * The response, with `already_linked` set for accounts that a visible client is linked to. Advertising accounts of clients that the caller
 * does not see cannot be linked and are left out.
 */
export async function picked(sourceKey: string, { accounts, ...found }: Picked): Promise<Answer> {
  const source = sources.get(sourceKey) as MarketingSource;
  const { credential } = source;
  const { organisation, principal } = request();
  const links = await query<LinkedAccount>(LINKED, [organisation.id, sourceKey, principal?.selection ?? null]);
  const spellings = (of: LinkedAccount[]) => new Set(of.map(({ external_id }) => spelled(source, external_id)));
  const linked = spellings(links.filter(({ is_visible }) => is_visible));
  const foreign = spellings(links.filter(({ is_visible, is_attached }) => is_attached && !is_visible));
  return {
    ...found,
    source: sourceKey,
    connect_flag: credential.kind === "grant" ? credential.connectFlag : "",
    accounts: accounts
      .filter(({ external_id }) => !foreign.has(spelled(source, external_id)))
      .map((account) => ({ ...account, already_linked: linked.has(spelled(source, account.external_id)) })),
  };
}
