import type pg from "pg";
import { type Config, isEmbedded } from "../core/config/config.ts";
import { columns } from "../core/database/model.ts";
import type { Organisation } from "../core/declare/principal.ts";
import { OrganisationModel, organisationOf } from "../core/organisation/organisation.ts";
import { OPERATOR } from "../core/request/operator.ts";
import { digest, passwordFits, randomHex } from "../core/security/crypto.ts";
import { readPin } from "../core/security/pin.ts";
import { OperatorError } from "./organisations.ts";

/** Minutes a sign-in link is valid (access §10). */
const LINK_MINUTES = 60;
/** So many wrong PINs end the grant: 12 digits must not be guessed. */
const MOST_FAILURES = 10;

/** The sign-in link of a claim, or why it was refused. */
export type Claimed = { link: string; expiresAt: string; organisation: Organisation } | { refused: "invalid_pin" };

interface Grant {
  id: string;
  pin_hash: string;
  failures: number;
  expires_at: string;
}

/** The organisation served at a host. @throws OperatorError if there is none */
async function organisationAt(client: pg.ClientBase, host: string, baseDomain: string): Promise<Organisation> {
  const suffix = `.${baseDomain}`;
  const slug = host.endsWith(suffix) ? host.slice(0, -suffix.length) : null;
  const { rows } = await client.query(`select ${columns(OrganisationModel)} from resolve_host($1, $2)`, [host, slug]);
  if (!rows[0]) throw new OperatorError(`There is no organisation at '${host}'.`);
  return organisationOf(rows[0]);
}

/** The public origin of a host of this installation: scheme, host and port. */
function originOf(config: Config, host: string): string {
  const embedded = isEmbedded(config);
  const scheme = config.publicScheme ?? (embedded ? "http" : "https");
  const port = config.publicPort ?? (embedded && scheme === "http" && config.httpPort !== 0 ? config.httpPort : undefined);
  const isUsual = port === undefined || port === (scheme === "https" ? 443 : 80);
  return `${scheme}://${host}${isUsual ? "" : `:${port}`}`;
}

async function note(client: pg.ClientBase, organisation: Organisation, action: string, detail: object): Promise<void> {
  await client.query("insert into access_audit (organisation_id, action, actor_email, detail) values ($1, $2, $3, $4)", [
    organisation.id,
    action,
    OPERATOR,
    JSON.stringify(detail),
  ]);
  await client.query("insert into operator_audit (action, organisation, slug, actor, detail) values ($1, $2, $3, $4, $5)", [
    action,
    organisation.id,
    organisation.slug,
    OPERATOR,
    JSON.stringify(detail),
  ]);
}

/**
 * Claims an organisation's PIN (access §10) and returns a link on that host that signs the operator in once. It replaces an unused link of
 * an earlier claim. A refusal is returned, not thrown, because the failure count must be committed.
 * @param host the organisation's address, without scheme and port
 * @param typed the PIN, with or without dashes and spaces
 */
export async function claim(client: pg.ClientBase, config: Config, host: string, typed: string): Promise<Claimed> {
  const organisation = await organisationAt(client, host.trim().toLowerCase(), config.baseDomain);
  const { rows } = await client.query<Grant>(
    `select id, pin_hash, failures, expires_at from service_access_grants
      where organisation_id = $1 and revoked_at is null and expires_at > now() for update`,
    [organisation.id],
  );
  const [grant] = rows;
  const pin = readPin(typed);
  const fits = await passwordFits(pin ?? "", pin === null ? null : (grant?.pin_hash ?? null));
  if (!grant) return { refused: "invalid_pin" };
  if (!fits) {
    await missed(client, organisation, grant);
    return { refused: "invalid_pin" };
  }
  const token = randomHex(32);
  const made = await client.query<{ link_expires_at: Date }>(
    `update service_access_grants set claimed_at = coalesce(claimed_at, now()), failures = 0, link_hash = $3, link_used_at = null,
        link_expires_at = least(now() + make_interval(mins => $4), expires_at), version = version + 1, updated_at = now()
      where organisation_id = $1 and id = $2 returning link_expires_at`,
    [organisation.id, grant.id, digest(token), LINK_MINUTES],
  );
  await note(client, organisation, "service_access.claim", { grant: grant.id });
  const expiresAt = new Date((made.rows[0] as { link_expires_at: Date }).link_expires_at).toISOString();
  return { link: `${originOf(config, host.trim().toLowerCase())}/api/v1/auth/service-access/${token}`, expiresAt, organisation };
}

/** Counts a wrong PIN; the tenth revokes the grant. */
async function missed(client: pg.ClientBase, organisation: Organisation, { id, failures }: Grant): Promise<void> {
  const isOver = failures + 1 >= MOST_FAILURES;
  await client.query(
    `update service_access_grants set failures = failures + 1, version = version + 1, updated_at = now(),
        revoked_at = case when $3 then now() end
      where organisation_id = $1 and id = $2`,
    [organisation.id, id, isOver],
  );
  if (isOver) await note(client, organisation, "service_access.revoke", { grant: id, reason: "too many wrong PINs" });
}
