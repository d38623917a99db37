import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { createKey, createMember, createOrganisation, OperatorError } from "../organisations.ts";
import { FILL, PREPARE } from "./fill.ts";
import { zipfShares } from "./sizes.ts";

/** Companies whose rows one transaction adds. */
const BATCH = 5_000;
/** Companies for each colleague, and most colleagues of an organisation. */
const [OF_COLLEAGUE, MOST_COLLEAGUES] = [200, 40];

/** What to make. */
export interface SeedRequest {
  organisations: number;
  companies: number;
  /** The same text makes the same rows, on the same day. */
  seed: string;
  /** Also where organisations exist that no seed made. */
  beside: boolean;
  keyPrefix: string;
}

/** What was made: the largest organisation, and a key of its owner. */
export interface Seeded {
  organisations: number;
  companies: number;
  slug: string;
  api_key: string;
}

const OTHERS = "select 1 from organisations where status <> 'deleted' limit 1";
const TAKEN = "select slug from organisations where slug like $1 || '-%' limit 1";

/** The day on which seeded rows end: they are the same all day. */
const lastDay = (): string => `${new Date().toISOString().slice(0, 10)}T00:00:00Z`;

/** Runs work in a transaction. */
async function committed<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** An organisation with its owner, colleagues and statuses. @returns its id, and that of its owner */
async function organisationWith(client: pg.ClientBase, slug: string, companies: number, values: readonly unknown[]) {
  const { id } = await createOrganisation(client, { slug, name: `Organisation ${slug}` });
  const addressOf = (name: string) => `${name}@${slug}.example.test`;
  const owner = await createMember(client, id, { email: addressOf("owner"), fullName: "Owner", role: "owner" });
  const colleagues = Math.min(MOST_COLLEAGUES, Math.ceil(companies / OF_COLLEAGUE));
  for (let n = 1; n <= colleagues; n++)
    await createMember(client, id, { email: addressOf(`colleague${n}`), fullName: `Colleague ${n}`, role: "member" });
  await client.query(PREPARE, [id, 1, 1, ...values]);
  return { id, ownerId: owner.accountId };
}

/**
 * Makes organisations with owners, colleagues, clients, contacts, projects, tasks, hours, invoices and agreements, for measurements. The
 * organisations' sizes follow Zipf's law. A batch commits at a time, so an interrupted run leaves what it made.
 * @param show receives the companies made so far, and all
 * @throws OperatorError if there are other organisations, unless the caller accepts that, or if the seed was used
 */
export async function seedOrganisations(
  ownerUrl: string,
  { organisations, companies, seed, beside, keyPrefix }: SeedRequest,
  show: (done: number, total: number) => void,
): Promise<Seeded> {
  const shares = zipfShares(organisations, companies);
  const client = new pg.Client({ connectionString: ownerUrl, application_name: "kantoor seed" });
  client.on("error", () => {});
  await client.connect();
  try {
    if (!beside && (await client.query(OTHERS)).rows.length > 0)
      throw new OperatorError("An organisation already exists; `seed --help` names the option that makes others next to it.");
    if ((await client.query(TAKEN, [seed])).rows.length > 0)
      throw new OperatorError(`The seed '${seed}' was used: choose another one.`);
    const digits = String(organisations).length;
    const day = lastDay();
    let first: Omit<Seeded, "organisations" | "companies"> | undefined;
    let done = 0;
    for (const [index, size] of shares.entries()) {
      const slug = `${seed}-${String(index + 1).padStart(digits, "0")}`;
      const values = [slug, day];
      const { id, ownerId } = await committed(client, () => organisationWith(client, slug, size, values));
      if (!first) {
        const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
        const { value } = await createKey(client, id, keyPrefix, { name: "Seed", scopes, accountId: ownerId });
        first = { slug, api_key: value };
      }
      for (let from = 1; from <= size; from += BATCH) {
        const to = Math.min(from + BATCH - 1, size);
        await committed(client, async () => {
          await client.query("select setseed(hashtext($1)::float8 / 2147483648)", [`${slug} ${from}`]);
          for (const text of FILL) await client.query(text, [id, from, to, ...values]);
        });
        show((done += to - from + 1), companies);
      }
    }
    return { organisations, companies, ...(first as Pick<Seeded, "slug" | "api_key">) };
  } finally {
    await client.end();
  }
}
