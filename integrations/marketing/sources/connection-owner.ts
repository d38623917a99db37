import { sources } from "./registry.ts";

const GRANTED = [...sources.values()].filter(({ credential }) => credential.kind === "grant").map(({ key }) => `'${key}'`);

/** SQL: whether the source in `column` is read with a person's grant. */
export const ridesGrant = (column: string): string => (GRANTED.length === 0 ? "false" : `${column} in (${GRANTED.join(", ")})`);

/** SQL: whether a connection works: it is not broken and its owner is a current member. Jobs only use working ones. */
export const connectionWorks = (alias: string): string =>
  `(${alias}.status = 'active' and exists (select 1 from member_access m where m.organisation_id = ${alias}.organisation_id
    and m.account_id = ${alias}.account_id and m.is_live and not m.is_client))`;

/** SQL: joins the connection of link `t` and its owner as `grantor`; all null without a connection. */
export const GRANTOR = `left join lateral (select c.account_id, c.email, coalesce(nullif(a.full_name, ''), a.email) as name,
      ${connectionWorks("c")} as is_working
    from workspace_connections c join accounts a on a.id = c.account_id
    where c.organisation_id = t.organisation_id and c.id = t.connection_id limit 1) grantor on true`;

/** SQL on `GRANTOR`: whether the link's connection works. A source with a key is never disconnected. */
export const CONNECTION_OK = `case when ${ridesGrant("t.source")} then coalesce(grantor.is_working, false) else true end`;

/**
 * SQL on `GRANTOR`: a `ConnectionOwner`, null for links without one. Client logins never see a colleague's address (conventions §6).
 * @param caller SQL of the caller's account
 * @param clients whether it is for client logins
 */
export const connectionOwner = (caller: string, clients: boolean): string =>
  clients
    ? `case when ${caller} is null then null::jsonb end`
    : `case when grantor.account_id is not null and ${ridesGrant("t.source")} then jsonb_build_object('user_id', grantor.account_id,
        'name', grantor.name, 'email', grantor.email, 'is_me', grantor.account_id = ${caller}) end`;
