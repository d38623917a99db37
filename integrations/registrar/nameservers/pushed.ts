import { newId } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { type CalledAccount, type DomainPlace, noteFailure } from "../domains/domain-place.ts";
import type { PushStatus, RegistrarAccountRow } from "../models.ts";
import { atFirstDot } from "../names.ts";
import type { Delegation, RegistrarFailure } from "../provider.ts";

// A domain that no list has reported gets no row until the registrar confirms it, because a row counts as held (assets §2.3).
const BEFORE = statement(`select ns_push_status, ns_desired from registrar_domains
  where organisation_id = $1 and account_id = $2 and name = $3 and registry_status is distinct from 'gone' for update`);
const PENDING = statement(`update registrar_domains set ns_desired = $4, ns_push_status = 'pending', version = version + 1,
    updated_at = statement_timestamp()
  where organisation_id = $1 and account_id = $2 and name = $3 and registry_status is distinct from 'gone'`);
const DONE =
  statement(`insert into registrar_domains as t (id, organisation_id, account_id, name, label, sld, tld, domain_id, ns_desired,
    ns_observed, ns_push_status, nsgroup_ref)
  values ($5, $1, $2, $3, $6, $7, $8, $9, $4, $4, 'active', $10)
  on conflict on constraint registrar_domains_key do update set domain_id = excluded.domain_id, ns_desired = excluded.ns_desired,
    ns_observed = excluded.ns_observed, ns_push_status = 'active', nsgroup_ref = coalesce(excluded.nsgroup_ref, t.nsgroup_ref),
    registry_status = nullif(t.registry_status, 'gone'), last_error = null, version = t.version + 1, updated_at = statement_timestamp()`);
const FAILED =
  statement(`update registrar_domains set ns_desired = $4, ns_push_status = 'error', last_error = $5, version = version + 1,
    updated_at = statement_timestamp()
  where organisation_id = $1 and account_id = $2 and name = $3`);

/** The stored name server state before a push. */
export interface Before {
  ns_push_status: PushStatus | null;
  ns_desired: string[] | null;
}

/** The domain of a push, and its account. */
export interface PushPlace {
  account: CalledAccount & Pick<RegistrarAccountRow, "name">;
  domain: Pick<DomainPlace, "id" | "name" | "label">;
}

/** Why a registrar refused or failed. */
export type PushFailure = Pick<RegistrarFailure, "kind" | "message">;

const placeOf = ({ account, domain }: PushPlace) => [request().organisation.id, account.id, domain.name];

/**
 * Stores the requested name servers as pending, in the running transaction, before the registrar is called; if the node dies, they stay
 * pending. Returns the previous state.
 */
export async function notePending(asked: PushPlace, hosts: readonly string[]): Promise<Before | null> {
  const before = await queryOne<Before>(BEFORE, placeOf(asked));
  if (before) enqueue(PENDING, [...placeOf(asked), hosts]);
  return before ?? null;
}

/** Stores that a domain has the requested name servers; the trail records it if anything changed. */
export function keepPushed(asked: PushPlace, hosts: readonly string[], before: Before | null, done: Delegation): void {
  const { domain, account } = asked;
  const { sld, tld } = atFirstDot(domain.name);
  enqueue(DONE, [...placeOf(asked), hosts, newId(), domain.label, sld, tld, domain.id, done.nameserverGroup]);
  const wasSo = before?.ns_push_status === "active" && before.ns_desired?.join() === hosts.join();
  if (done.changed || !wasSo)
    trail("domain", domain.id, "registrar.nameservers_pushed", { nameservers: hosts, account: account.name });
}

/** Stores why a domain did not get the requested name servers. @param failure a registrar failure, or Kantoor's own refusal as its key */
export function keepFailed(asked: PushPlace, hosts: readonly string[], failure: PushFailure | string): void {
  const message = typeof failure === "string" ? failure : failure.message;
  enqueue(FAILED, [...placeOf(asked), hosts, message]);
  if (typeof failure !== "string" && failure.kind !== "conflict") noteFailure(asked.account, failure);
}
