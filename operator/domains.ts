import { createHmac } from "node:crypto";
import { promises as dns } from "node:dns";
import type pg from "pg";
import type { Config } from "../core/config/config.ts";
import { deriveKey, sameDigest } from "../core/security/crypto.ts";
import { OperatorError, requireOwnDomain } from "./organisations.ts";

/** A host name that an organisation has, or claims. */
export interface OrganisationDomain {
  id: string;
  hostname: string;
  /** Null for a claim, at which the organisation does not answer. */
  verified_at: string | null;
  created_at: string;
}

const COLUMNS = "id, hostname, verified_at, created_at";
/** Limits of a question to name servers, in milliseconds and attempts. */
const DNS = { timeout: 2000, tries: 2 };

/** The domains and claims of an organisation, by host name. */
export async function listDomains(client: pg.ClientBase, organisationId: string): Promise<OrganisationDomain[]> {
  const { rows } = await client.query<OrganisationDomain>(
    `select ${COLUMNS} from organisation_domains where organisation_id = $1 order by hostname, id`,
    [organisationId],
  );
  return rows;
}

/** The TXT record that proves a claim; it follows from the main secret, so nobody else can know it. */
export function proofOf(secret: string, organisationId: string, hostname: string): { name: string; value: string } {
  const mac = createHmac("sha256", deriveKey(secret, "claims of domains")).update(`${organisationId} ${hostname}`).digest("hex");
  return { name: `_kantoor.${hostname}`, value: `kantoor=${mac.slice(0, 40)}` };
}

/**
 * Claims a host name for an organisation, which answers there only once the claim is proved. Claiming again changes nothing.
 * @throws OperatorError if the name is invalid, below the base domain, or linked to another organisation
 */
export async function claimDomain(
  client: pg.ClientBase,
  organisationId: string,
  hostname: string,
  baseDomain: string,
): Promise<OrganisationDomain> {
  const host = requireOwnDomain(hostname, baseDomain);
  const known = await client.query<OrganisationDomain & { organisation_id: string }>(
    `select ${COLUMNS}, organisation_id from organisation_domains where hostname = $1 and (organisation_id = $2 or verified_at is not null)`,
    [host, organisationId],
  );
  if (known.rows.some((row) => row.organisation_id !== organisationId))
    throw new OperatorError(`'${host}' is linked to another organisation already.`);
  const [own] = known.rows.toSorted((a, b) => Number(b.verified_at !== null) - Number(a.verified_at !== null));
  if (own) {
    const { organisation_id: _, ...domain } = own;
    return domain;
  }
  const { rows } = await client.query<OrganisationDomain>(
    `insert into organisation_domains (organisation_id, hostname) values ($1, $2) returning ${COLUMNS}`,
    [organisationId, host],
  );
  return rows[0] as OrganisationDomain;
}

/** The TXT records of a name; empty if it has none. @throws OperatorError if no name server answers */
async function textsAt(name: string, { outboundNameServers }: Config): Promise<string[]> {
  const resolver = new dns.Resolver(DNS);
  if (outboundNameServers) resolver.setServers(outboundNameServers);
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(""));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOTFOUND" || code === "ENODATA") return [];
    throw new OperatorError(`No name server answers about ${name} (${code}).`);
  }
}

/** Whether public DNS has the record that proves a claim. @throws OperatorError if no name server answers */
export async function isProved(secret: string, config: Config, organisationId: string, hostname: string): Promise<boolean> {
  const { name, value } = proofOf(secret, organisationId, hostname);
  const wanted = Buffer.from(value);
  return (await textsAt(name, config)).some((text) => sameDigest(Buffer.from(text), wanted));
}

/** Removes a domain or claim of an organisation. @returns it, or undefined if there is none with this id */
export async function removeDomain(
  client: pg.ClientBase,
  organisationId: string,
  id: string,
): Promise<OrganisationDomain | undefined> {
  const { rows } = await client.query<OrganisationDomain>(
    `delete from organisation_domains where organisation_id = $1 and id = $2 returning ${COLUMNS}`,
    [organisationId, id],
  );
  return rows[0];
}
