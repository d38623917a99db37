import { jsonArray } from "../../../core/database/projection.ts";
import { statement } from "../../../core/sql/statement.ts";

/** Select list of `ApiKeyRead` on alias `k`; `prefix` is the SQL of the key prefix. */
export const keyColumns = (prefix: string): string => `k.created_at, k.expires_at, k.id, k.last_used_at, k.name,
  k.organisation_id as org_id, case when k.account_id is null then 'service_account' else 'user' end as principal_type,
  ${prefix}::text || '_' || k.lookup || '_********' as redacted, k.revoked_at, array_to_json(k.scopes) as scopes,
  k.service_account_id, k.account_id as user_id`;

/** Newest first; ids break ties, so that the order is stable. */
export const NEWEST_FIRST = "k.created_at desc, k.id desc";

const listBy = (column: string) =>
  statement(
    `select ${jsonArray(`
    select ${keyColumns("$3")} from api_keys k
     where k.organisation_id = $1 and k.${column} = $2 and ($4::timestamptz is null or k.updated_at >= $4::timestamptz)
     order by ${NEWEST_FIRST}`)} as items`,
  );

/** Keys of a person or a service account: organisation, owner, prefix, changed since. */
export const KEYS_OF_PERSON = listBy("account_id");
export const KEYS_OF_SERVICE_ACCOUNT = listBy("service_account_id");

/** One key by id (`$2`). */
export const KEY = statement(`select row_to_json(r)::text as body from (
  select ${keyColumns("$3")} from api_keys k where k.organisation_id = $1 and k.id = $2) r`);
